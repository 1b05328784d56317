// A cursor over ASCII text of fixed-width fields and marks.

/// Takes digits and marks from the front of a text.
package struct ByteCursor {
  private let text: ArraySlice<UInt8>
  private var index: Int

  package init(_ text: ArraySlice<UInt8>) {
    self.text = text
    index = text.startIndex
  }

  package var isAtEnd: Bool { index == text.endIndex }

  /// Takes exactly `width` digits whose number is in the range.
  package mutating func number(digits width: Int, in range: ClosedRange<Int>) -> Int? {
    guard text.endIndex - index >= width else { return nil }
    var number = 0
    for position in index..<index + width {
      guard text[position].isDigit else { return nil }
      number = number * 10 + Int(text[position] - 48)
    }
    guard range.contains(number) else { return nil }
    index += width
    return number
  }

  /// Takes all digits up to another byte, perhaps none.
  package mutating func digits() -> ArraySlice<UInt8> {
    let start = index
    while index < text.endIndex, text[index].isDigit { index += 1 }
    return text[start..<index]
  }

  /// Takes an exponent such as `e+10`, perhaps none; nil where its digits are missing.
  package mutating func exponent() -> ArraySlice<UInt8>? {
    let start = index
    guard takes("e", or: "E") else { return text[start..<start] }
    _ = takes("+", or: "-")
    return digits().isEmpty ? nil : text[start..<index]
  }

  /// Takes the mark, or its other spelling, if the text continues with it.
  package mutating func takes(_ mark: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
    guard index < text.endIndex else { return false }
    let next = Unicode.Scalar(text[index])
    guard next == mark || next == other else { return false }
    index += 1
    return true
  }

  /// Takes a text, if the text continues with it.
  mutating func takes(_ wanted: String, ignoringCase: Bool = false) -> Bool {
    let bytes = Array(wanted.utf8)
    let isThere =
      text[index...].count >= bytes.count
      && zip(text[index...], bytes).allSatisfy { $0 == $1 || ignoringCase && $0.isLetter && $0 ^ $1 == 0x20 }
    if isThere { index += bytes.count }
    return isThere
  }
}

// Classes of ASCII bytes. Bytes beyond ASCII are in none of them.

extension UInt8 {
  /// True if the byte is `0` to `9`.
  @inlinable
  package var isDigit: Bool { self &- 0x30 < 10 }

  /// True if the byte is `A` to `Z` or `a` to `z`.
  @inlinable
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  @inlinable
  package var isLetterOrDigit: Bool { isLetter || isDigit }

  /// True for letters, digits, `_` and `-`, of which names are made.
  @inlinable
  package var isWord: Bool { isLetterOrDigit || self == 0x5F || self == 0x2D }

  /// The value of a hexadecimal digit of either case.
  @inlinable
  package var hexValue: UInt8? {
    if isDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}

/// A text that equals only texts of the same bytes, as texts of JSON do.
///
/// Two strings of Swift are equal if Unicode shows them alike: `é` as one scalar and as two.
package struct ExactText: Hashable, Sendable, Comparable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package static func < (a: ExactText, b: ExactText) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}
