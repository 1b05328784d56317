// Numbers of seconds or milliseconds since 1970, exact to the last digit that was written.

extension Timestamp {
  /// The most digits of a fraction that are written; only an exponent such as `1e-99999999` asks for more.
  private static let mostFractionDigits = 100

  /// Reads a decimal number (RFC 8259 §6, leading zeros allowed) of seconds, or of that power of ten of them.
  ///
  /// Nil for other text, for numbers far outside the years 0001 to 9999, and for fractions of absurd length.
  package init?(decimal text: ArraySlice<UInt8>, powerOfTen: Int) {
    var cursor = ByteCursor(text)
    let isNegative = cursor.takes("-")
    let (whole, part) = (cursor.digits(), cursor.takes(".") ? cursor.digits() : nil)
    guard !whole.isEmpty, part?.isEmpty != true, let spelled = cursor.exponent(), cursor.isAtEnd else { return nil }
    var digits = (whole + (part ?? [])).drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty else {
      self.init(seconds: 0)
      return
    }
    let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeLast(zeros)
    // An exponent that is no `Int` is out of all bounds.
    guard let given = spelled.isEmpty ? 0 : Int(String(decoding: spelled.dropFirst(), as: UTF8.self)),
      given.magnitude < 1 << 40
    else { return nil }
    let wholeDigits = digits.count + zeros - (part?.count ?? 0) + given + powerOfTen
    guard wholeDigits <= 12, digits.count - wholeDigits <= Self.mostFractionDigits else { return nil }
    let leading = digits.prefix(max(wholeDigits, 0))
    let scale = (0..<max(wholeDigits, 0) - leading.count).reduce(1) { scale, _ in scale * 10 }
    let missing = Array(repeating: UInt8(ascii: "0"), count: max(-wholeDigits, 0))
    self.init(
      magnitude: leading.reduce(0) { $0 * 10 + Int($1 - 48) } * scale,
      fraction: missing + digits.dropFirst(leading.count), isNegative: isNegative)
  }

  /// - Parameter fraction: digits without a zero at the end.
  private init?(magnitude: Int, fraction: [UInt8], isNegative: Bool) {
    guard isNegative, let last = fraction.last else {
      self.init(seconds: isNegative ? -magnitude : magnitude, fraction: fraction)
      return
    }
    // -1.25 s is 0.75 s after -2 s: the ten's complement of a fraction that does not end in zero.
    let (nine, ten) = (UInt8(ascii: "9") + 48, UInt8(ascii: "9") + 49)
    self.init(seconds: -magnitude - 1, fraction: fraction.dropLast().map { nine - $0 } + [ten - last])
  }
}
