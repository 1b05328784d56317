// Decimal numbers as texts hold them.

import Primitives

/// A decimal number as it is written: digits × 10^exponent, with no zero at either end of the digits.
struct DecimalText {
  /// Digits as numbers 0 to 9; empty for zero.
  let digits: [UInt8]
  let exponent: Int
  let isNegative: Bool

  /// Reads the grammar of RFC 8259 §6, but allows leading zeros, which occur in strings.
  init?(_ text: ArraySlice<UInt8>) {
    var cursor = ByteCursor(text)
    isNegative = cursor.takes("-")
    var digits = cursor.digits()
    guard !digits.isEmpty else { return nil }
    var exponent = 0
    if cursor.takes(".") {
      let fraction = cursor.digits()
      guard !fraction.isEmpty else { return nil }
      digits += fraction
      exponent = -fraction.count
    }
    if cursor.takes("e", or: "E") {
      guard let written = Self.exponent(&cursor) else { return nil }
      exponent += written
    }
    guard cursor.isAtEnd else { return nil }
    let significant = digits.reversed().drop { $0 == 48 }.reversed().drop { $0 == 48 }
    let zerosAtEnd = digits.reversed().prefix { $0 == 48 }.count
    self.digits = significant.map { $0 - 48 }
    self.exponent = significant.isEmpty ? 0 : exponent + zerosAtEnd
  }

  /// Beyond ±10^12 it stands still: no text is long enough to make up for that.
  private static func exponent(_ cursor: inout ByteCursor) -> Int? {
    let isNegative = cursor.takes("-")
    if !isNegative { _ = cursor.takes("+") }
    let digits = cursor.digits()
    guard !digits.isEmpty else { return nil }
    let magnitude = digits.reduce(0) { min($0 * 10 + Int($1 - 48), 1_000_000_000_000) }
    return isNegative ? -magnitude : magnitude
  }
}
