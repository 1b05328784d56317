// Numbers of seconds or milliseconds since 1970, exact to the last digit that was written.

import JSONText
import Primitives

extension Timestamp {
  /// The most digits of a fraction that are written; only an exponent such as `1e-99999999` asks for more.
  private static let mostFractionDigits = 100

  /// Reads a decimal number (RFC 8259 §6, leading zeros allowed) of seconds, or of that power of ten of them.
  ///
  /// Nil for other text, for numbers far outside the years 0001 to 9999, and for fractions of absurd length.
  init?(decimal text: ArraySlice<UInt8>, powerOfTen: Int) {
    guard text.isDecimalNumber else { return nil }
    let number = Decimal(text)
    guard let exponent = number.exponent.small else { return nil }
    let wholeDigits = number.digits.isEmpty ? 0 : number.digits.count + exponent + powerOfTen
    guard wholeDigits <= 12, number.digits.count - wholeDigits <= Self.mostFractionDigits else { return nil }
    let given = number.digits.prefix(max(wholeDigits, 0))
    let missingZeros = max(wholeDigits, 0) - given.count
    let whole = given.reduce(0) { $0 * 10 + Int($1 - 48) }
    let scale = (0..<missingZeros).reduce(1) { scale, _ in scale * 10 }
    let zeros = Array(repeating: UInt8(ascii: "0"), count: max(-wholeDigits, 0))
    let fraction = zeros + number.digits.dropFirst(given.count)
    self.init(magnitude: whole * scale, fraction: fraction, isNegative: number.isNegative)
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

extension ArraySlice<UInt8> {
  /// Whether the text is a number as in JSON (RFC 8259 §6), perhaps with leading zeros, which occur in strings.
  fileprivate var isDecimalNumber: Bool {
    var cursor = ByteCursor(self)
    _ = cursor.takes("-")
    if cursor.digits().isEmpty { return false }
    if cursor.takes("."), cursor.digits().isEmpty { return false }
    return cursor.exponent() != nil && cursor.isAtEnd
  }
}
