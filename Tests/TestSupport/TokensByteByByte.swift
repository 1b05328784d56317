// Where tokens stand in lines, found byte by byte: what the walk's places are held against.

package import JSONText

/// The places of the brackets, commas, colons and line feeds of compact lines down to some depth, in their order.
///
/// A bracket is as deep as what is in it.
package func tokens(of lines: [UInt8], downTo depth: Int) -> [Int] {
  var offsets: [Int] = []
  var (open, isInString, isEscaped) = (0, false, false)
  for (offset, byte) in lines.enumerated() {
    let isToken = !isInString && "{}[],:\n".utf8.contains(byte)
    if isToken, byte | 0x20 == UInt8(ascii: "{") { open += 1 }
    if isToken, open <= depth { offsets.append(offset) }
    if isToken, byte | 0x20 == UInt8(ascii: "}") { open -= 1 }
    if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
  }
  return offsets
}

/// What is wrong with places that were found on the way, line feeds aside; nil when they are all that there are.
package func mistake(in tokenIndex: TokenIndex, of lines: [UInt8], downTo depth: Int) -> String? {
  let found = tokenIndex.offsets(in: lines).filter { $0 >= lines.count || lines[$0] != 0x0A }
  let right = tokens(of: lines, downTo: depth).filter { lines[$0] != 0x0A }
  guard found != right else { return nil }
  let offset = zip(found, right).first { $0 != $1 } ?? (found.last ?? -1, right.last ?? -1)
  return "\(found.count) instead of \(right.count); first \(offset.0) instead of \(offset.1)"
}
