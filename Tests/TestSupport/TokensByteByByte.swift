// Where tokens stand in lines, found byte by byte: what the walk's places are held against.

package import JSONText

/// The places of the brackets, commas, colons and line feeds of compact lines down to some depth, in their order. A
/// bracket is as deep as what is in it.
package func tokens(of lines: [UInt8], downTo depth: Int) -> [Int] {
  var places: [Int] = []
  var (open, isInString, isEscaped) = (0, false, false)
  for (place, byte) in lines.enumerated() {
    let isToken = !isInString && "{}[],:\n".utf8.contains(byte)
    if isToken, byte | 0x20 == UInt8(ascii: "{") { open += 1 }
    if isToken, open <= depth { places.append(place) }
    if isToken, byte | 0x20 == UInt8(ascii: "}") { open -= 1 }
    if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
  }
  return places
}

/// What is wrong with places that were found on the way; nil when each is right, and a record of which the first one is
/// known has all of them. And of how many records they are known.
package func mistake(in punctuation: Punctuation, of lines: [UInt8], downTo depth: Int) -> (String?, known: Int) {
  let found = punctuation.places(in: lines).filter { $0 < lines.count }
  let right = tokens(of: lines, downTo: depth)
  guard zip(found, found.dropFirst()).allSatisfy({ $0 < $1 }) else { return ("not in order: \(found)", 0) }
  let all = Set(found)
  guard all.isSubset(of: right) else { return ("no tokens: \(all.subtracting(right).sorted())", 0) }
  var known = 0
  for line in right.split(whereSeparator: { lines[$0] == 0x0A }) where all.contains(line.first ?? -1) {
    known += 1
    guard all.isSuperset(of: line) else { return ("not all of \(line): \(found)", known) }
  }
  return (nil, known)
}
