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

/// A decimal number as it is written: digits × 10^exponent, with no zero at either end of the digits.
struct DecimalText {
  /// 0 to 9; none for zero.
  let digits: [UInt8]
  let exponent: Int
  let isNegative: Bool

  /// Reads the grammar of RFC 8259 §6, but with leading zeros, which occur in strings.
  init?(_ text: ArraySlice<UInt8>) {
    var reader = FieldReader(text)
    isNegative = reader.takes("-")
    var digits = reader.digits()
    guard !digits.isEmpty else { return nil }
    var exponent = 0
    if reader.takes(".") {
      let fraction = reader.digits()
      guard !fraction.isEmpty else { return nil }
      digits += fraction
      exponent = -fraction.count
    }
    if reader.takes("e", or: "E") {
      guard let written = Self.exponent(&reader) else { return nil }
      exponent += written
    }
    guard reader.isAtEnd else { return nil }
    let significant = digits.reversed().drop { $0 == 48 }.reversed().drop { $0 == 48 }
    let zerosAtEnd = digits.reversed().prefix { $0 == 48 }.count
    self.digits = significant.map { $0 - 48 }
    self.exponent = significant.isEmpty ? 0 : exponent + zerosAtEnd
  }

  /// Beyond ±10^12 it stands still: no text is long enough to make up for that.
  private static func exponent(_ reader: inout FieldReader) -> Int? {
    let isNegative = reader.takes("-")
    if !isNegative { _ = reader.takes("+") }
    let digits = reader.digits()
    guard !digits.isEmpty else { return nil }
    let magnitude = digits.reduce(0) { min($0 * 10 + Int($1 - 48), 1_000_000_000_000) }
    return isNegative ? -magnitude : magnitude
  }
}
