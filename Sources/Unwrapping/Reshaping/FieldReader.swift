// Fixed-width fields and decimal numbers, read from ASCII.

/// Takes digits and marks from the front of a text.
struct FieldReader {
  private let text: ArraySlice<UInt8>
  private var place: Int

  init(_ text: ArraySlice<UInt8>) {
    self.text = text
    place = text.startIndex
  }

  var isAtEnd: Bool { place == text.endIndex }

  /// Exactly that many digits, whose number is in the range.
  mutating func field(of width: Int, in range: ClosedRange<Int>) -> Int? {
    guard text.endIndex - place >= width else { return nil }
    var number = 0
    for index in place..<place + width {
      guard text[index].isDigit else { return nil }
      number = number * 10 + Int(text[index] - 48)
    }
    guard range.contains(number) else { return nil }
    place += width
    return number
  }

  /// All digits up to something else.
  mutating func digits() -> ArraySlice<UInt8> {
    let start = place
    while place < text.endIndex, text[place].isDigit { place += 1 }
    return text[start..<place]
  }

  /// Takes the mark, or its other spelling, if it comes next.
  mutating func takes(_ mark: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
    guard place < text.endIndex else { return false }
    let next = Unicode.Scalar(text[place])
    guard next == mark || next == other else { return false }
    place += 1
    return true
  }

  /// RFC 3339 §5.6 time-offset, in seconds east of UTC.
  mutating func offset() -> Int? {
    if takes("Z", or: "z") { return 0 }
    let isWest = takes("-")
    guard isWest || takes("+") else { return nil }
    guard let hours = field(of: 2, in: 0...23), takes(":"), let minutes = field(of: 2, in: 0...59) else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (48...57).contains(self) }
}
