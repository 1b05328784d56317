// Points in time as text, exact to the last digit that was written. No floating point, no time zone but UTC.

/// A point in time: whole seconds since 1970 and the digits of the fraction.
///
/// The calendar is the proleptic Gregorian one of RFC 3339 (§1, "current era"), computed here because Foundation's
/// is Julian before 15 October 1582: it says 0001-01-03 for the first day of the year 1.
struct Instant {
  private(set) var seconds: Int
  /// ASCII digits, perhaps none.
  private(set) var fraction: [UInt8] = []
  /// Whether this is the second 60 after `seconds` (RFC 3339 §5.7).
  private(set) var isLeapSecond = false

  private static let years0001to9999 = -62_135_596_800...253_402_300_799

  /// RFC 3339 in UTC, or nil outside the years 0001 to 9999.
  var rfc3339: [UInt8]? {
    guard Self.years0001to9999.contains(seconds) else { return nil }
    let (days, second) = seconds.quotientAndRemainder(flooredBy: 86_400)
    let date = CivilDate(daysSince1970: days)
    var text: [UInt8] = []
    text.reserveCapacity(24 + fraction.count)
    text.append(date.year, padded: 1_000, before: "-")
    text.append(date.month, padded: 10, before: "-")
    text.append(date.day, padded: 10, before: "T")
    text.append(second / 3_600, padded: 10, before: ":")
    text.append(second / 60 % 60, padded: 10, before: ":")
    text.append(isLeapSecond ? 60 : second % 60, padded: 10, before: fraction.isEmpty ? "Z" : ".")
    guard !fraction.isEmpty else { return text }
    return text + fraction + [UInt8(ascii: "Z")]
  }
}

extension [UInt8] {
  /// A number with all its digits from that power of ten down, and the mark after it.
  fileprivate mutating func append(_ number: Int, padded powerOfTen: Int, before mark: Unicode.Scalar) {
    var power = powerOfTen
    while power > 0 {
      append(48 + UInt8(truncatingIfNeeded: number / power % 10))
      power /= 10
    }
    append(UInt8(ascii: mark))
  }
}

extension Instant {
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
  private init(magnitude: Int, fraction: [UInt8], isNegative: Bool) {
    guard isNegative, let last = fraction.last else {
      self.init(seconds: isNegative ? -magnitude : magnitude, fraction: fraction.map { $0 + 48 })
      return
    }
    // -1.25 s is 0.75 s after -2 s: the ten's complement of a fraction that doesn't end in zero.
    let complement = fraction.dropLast().map { 9 - $0 } + [10 - last]
    self.init(seconds: -magnitude - 1, fraction: complement.map { $0 + 48 })
  }

  /// Reads an RFC 3339 date-time (§5.6) with any offset.
  init?(rfc3339 text: ArraySlice<UInt8>) {
    var reader = FieldReader(text)
    guard let date = CivilDate(&reader), reader.takes("T", or: "t") else { return nil }
    guard let hour = reader.field(of: 2, in: 0...23), reader.takes(":") else { return nil }
    guard let minute = reader.field(of: 2, in: 0...59), reader.takes(":") else { return nil }
    guard let second = reader.field(of: 2, in: 0...60) else { return nil }
    if reader.takes(".") {
      fraction = Array(reader.digits())
      guard !fraction.isEmpty else { return nil }
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    isLeapSecond = second == 60
    seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + min(second, 59) - offset
    guard !isLeapSecond || endsMonth else { return nil }
  }

  /// Leap seconds are added only after 23:59:59 UTC of a month's last day (RFC 3339 appendix D).
  private var endsMonth: Bool {
    let (days, second) = seconds.quotientAndRemainder(flooredBy: 86_400)
    return second == 86_399 && CivilDate(daysSince1970: days + 1).day == 1
  }
}

extension Int {
  func quotientAndRemainder(flooredBy divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
