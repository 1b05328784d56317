// The grammar of a number, for texts that no scan has seen.

extension ArraySlice<UInt8> {
  /// True if these bytes, and no others, are a JSON number (RFC 8259 §6).
  package var isJSONNumber: Bool {
    var rest = self
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let hasZero = rest.first == UInt8(ascii: "0")
    let whole = rest.takeDigits()
    guard whole == 1 || whole > 1 && !hasZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard rest.takeDigits() > 0 else { return false }
    }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard rest.takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Removes the digits at the start, and returns how many there were.
  private mutating func takeDigits() -> Int {
    let count = prefix { Bytes.isDigit($0) }.count
    removeFirst(count)
    return count
  }
}
