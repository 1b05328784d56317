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
    for place in index..<index + width {
      guard text[place].isDigit else { return nil }
      number = number * 10 + Int(text[place] - 48)
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
