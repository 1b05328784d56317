// Orders JSON numbers of any length and any exponent.

extension JSONValue {
  /// Reports that this value is a number smaller than another number; false if one of them is no number.
  package func isSmaller(than other: JSONValue) -> Bool {
    kind == .number && other.kind == .number && Decimal(bytes) < Decimal(other.bytes)
  }
}

extension Decimal: Comparable {
  package static func < (a: Decimal, b: Decimal) -> Bool {
    switch (a.sign, b.sign) {
    case (1, 1): a.magnitudeIsSmaller(than: b)
    case (-1, -1): b.magnitudeIsSmaller(than: a)
    case (let a, let b): a < b
    }
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Compares numbers that are not zero: by the power of ten before the first digit, then digit by digit.
  private func magnitudeIsSmaller(than other: Decimal) -> Bool {
    let (power, otherPower) = (exponent.adding(digits.count), other.exponent.adding(other.digits.count))
    return power == otherPower ? digits.lexicographicallyPrecedes(other.digits) : power.isSmaller(than: otherPower)
  }
}

extension Decimal.Exponent {
  fileprivate func isSmaller(than other: Self) -> Bool {
    guard isNegative == other.isNegative else { return isNegative }
    let isShorter =
      digits.count == other.digits.count
      ? digits.lexicographicallyPrecedes(other.digits) : digits.count < other.digits.count
    return isNegative ? self != other && !isShorter : isShorter
  }
}
