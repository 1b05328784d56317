// The fields of a response as the server sent them: bytes, and the ranges of each name and value. Callers read one or
// two of a dozen fields, so the others never become strings.

package struct FieldBlock: Sendable {
  private struct Line {
    let name: Range<Int>
    let value: Range<Int>
  }

  private let bytes: [UInt8]
  private var lines: [Line] = []
  /// A bit for the first letter of each name: most names that are asked for are missing, which needs no search.
  private var initials: UInt32 = 0

  /// Finds name and value in each line.
  ///
  /// - Parameter lines: ranges of the field lines, without line ends. A line without a colon is skipped.
  package init(_ bytes: [UInt8], lines: ArraySlice<Range<Int>>) {
    self.bytes = bytes
    self.lines.reserveCapacity(16)
    for line in lines {
      guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else { continue }
      var (start, end) = (colon + 1, line.upperBound)
      while start < end, Self.isBlank(bytes[start]) { start += 1 }
      while start < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
      // A blank before the colon is an error (RFC 9112 §5.1), but the meaning is clear.
      var nameEnd = colon
      while nameEnd > line.lowerBound, Self.isBlank(bytes[nameEnd - 1]) { nameEnd -= 1 }
      self.lines.append(Line(name: line.lowerBound..<nameEnd, value: start..<end))
      initials |= Self.initial(bytes[line.lowerBound])
    }
  }

  /// Returns the bit of a letter, in both cases; other bytes share these bits.
  private static func initial(_ byte: UInt8) -> UInt32 { 1 << UInt32(byte & 0x1F) }

  /// Reports that a byte is a space or a tab (RFC 9110 §5.6.3).
  package static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  var fields: [HTTPFields.Field] {
    lines.map { line in
      // Cookies are secrets (RFC 6265 §8.3).
      let value = text(line.value)
      return .init(
        name: text(line.name), value: isName(line.name, "Set-Cookie") ? .secret(value) : Redactable(value))
    }
  }

  func values(of name: String) -> [String] {
    var values: [String] = []
    guard mayHaveName(startingWith: name) else { return values }
    for line in lines where isName(line.name, name) { values.append(text(line.value)) }
    return values
  }

  func firstValue(of name: String) -> String? {
    guard mayHaveName(startingWith: name) else { return nil }
    for line in lines where isName(line.name, name) { return text(line.value) }
    return nil
  }

  func hasName(startingWith prefix: String) -> Bool {
    guard mayHaveName(startingWith: prefix) else { return false }
    let count = prefix.utf8.count
    return lines.contains { $0.name.count >= count && isName($0.name.prefix(count), prefix) }
  }

  private func mayHaveName(startingWith prefix: String) -> Bool {
    prefix.utf8.first.map { initials & Self.initial($0) != 0 } ?? true
  }

  private func isName(_ place: Range<Int>, _ name: String) -> Bool {
    let other = name.utf8
    guard place.count == other.count else { return false }
    var index = place.lowerBound
    for byte in other {
      guard HTTPFields.isSameLetter(bytes[index], byte) else { return false }
      index += 1
    }
    return true
  }

  /// Reports that the first value of a name is valid UTF-8, so that its text is exactly what the server sent.
  func isText(_ name: String) -> Bool {
    guard let line = lines.first(where: { isName($0.name, name) }) else { return true }
    return text(line.value).utf8.elementsEqual(bytes[line.value])
  }

  /// Returns the bytes as text, with bytes beyond ASCII percent-encoded if they are not UTF-8.
  ///
  /// Such values are mostly URLs, and in a URL the percent-encoded bytes mean the same.
  private func text(_ place: Range<Int>) -> String {
    let text = String(decoding: bytes[place], as: UTF8.self)
    return text.utf8.elementsEqual(bytes[place]) ? text : String(percentEncodingBeyondASCII: bytes[place])
  }
}
