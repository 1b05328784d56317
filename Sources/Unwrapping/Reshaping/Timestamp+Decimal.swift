// Numbers of seconds or milliseconds since 1970, exact to the last digit that was written.

import Primitives

extension Timestamp {
  /// The most digits of a fraction that are written; only an exponent such as `1e-99999999` asks for more.
  private static let mostFractionDigits = 100

  /// Reads a decimal number (RFC 8259 §6, leading zeros allowed) of seconds, or of that power of ten of them.
  ///
  /// Nil for other text, for numbers far outside the years 0001 to 9999, and for fractions of absurd length.
  init?(decimal text: ArraySlice<UInt8>, powerOfTen: Int) {
    guard let number = DecimalText(text) else { return nil }
    guard !number.digits.isEmpty else {
      self.init(seconds: 0)
      return
    }
    let wholeDigits = number.digits.count + number.exponent + powerOfTen
    guard wholeDigits <= 12, number.digits.count - wholeDigits <= Self.mostFractionDigits else { return nil }
    let given = number.digits.prefix(max(wholeDigits, 0))
    let missingZeros = max(wholeDigits, 0) - given.count
    let whole = (given + Array(repeating: 0, count: missingZeros)).reduce(0) { $0 * 10 + Int($1) }
    let fraction = Array(repeating: 0, count: max(-wholeDigits, 0)) + number.digits.dropFirst(given.count)
    self.init(magnitude: whole, fraction: fraction, isNegative: number.isNegative)
  }

  /// - Parameter fraction: digits 0 to 9 without a zero at the end.
  private init?(magnitude: Int, fraction: [UInt8], isNegative: Bool) {
    guard isNegative, let last = fraction.last else {
      self.init(seconds: isNegative ? -magnitude : magnitude, fraction: fraction.map { $0 + 48 })
      return
    }
    // -1.25 s is 0.75 s after -2 s: the ten's complement of a fraction that doesn't end in zero.
    let complement = fraction.dropLast().map { 9 - $0 } + [10 - last]
    self.init(seconds: -magnitude - 1, fraction: complement.map { $0 + 48 })
  }
}
