// Times in a HAR: RFC 3339 with milliseconds.

/// A time in Unix seconds, and its text. (Foundation's formatter loses a millisecond now and then, because it cuts
/// where a binary fraction lies just below.)
enum HARTime {
  /// `2026-03-01T09:30:00.125Z`; times outside the years 0 to 9999 are their nearest end.
  static func text(of seconds: Double) -> String {
    let milliseconds = Int((min(max(seconds, -62_167_219_200), 253_402_300_799) * 1_000).rounded())
    let (days, inDay) = milliseconds.quotientAndRemainder(flooredBy: 86_400_000)
    let (year, month, day) = civil(fromDays: days)
    let clock = [inDay / 3_600_000, inDay / 60_000 % 60, inDay / 1_000 % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock.joined(separator: ":"))"
      + ".\(padded(inDay % 1_000, 3))Z"
  }

  /// The time that a text says, or nil. Browsers write an offset where we write `Z`, and more or fewer digits.
  static func seconds(of text: String) -> Double? {
    var rest = text.utf8[...]
    guard let year = number(4, in: 0...9_999, from: &rest), take("-", from: &rest),
      let month = number(2, in: 1...12, from: &rest), take("-", from: &rest),
      let day = number(2, in: 1...31, from: &rest), take("T", from: &rest),
      let hour = number(2, in: 0...23, from: &rest), take(":", from: &rest),
      let minute = number(2, in: 0...59, from: &rest), take(":", from: &rest),
      // A leap second is the next one.
      let second = number(2, in: 0...60, from: &rest),
      case let days = days(year: year, month: month, day: day), civil(fromDays: days).month == month
    else { return nil }
    let fraction = fraction(from: &rest)
    guard let offset = offset(from: &rest), rest.isEmpty else { return nil }
    let inDay = hour * 3_600 + minute * 60 + second - offset
    return Double(days * 86_400 + inDay) + fraction
  }
}

extension HARTime {
  private static func number(
    _ digits: Int, in range: ClosedRange<Int>, from rest: inout Substring.UTF8View
  ) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    let number = text.reduce(0) { $0 * 10 + Int($1) - 48 }
    return range.contains(number) ? number : nil
  }

  private static func take(_ character: Unicode.Scalar, from rest: inout Substring.UTF8View) -> Bool {
    guard let byte = rest.first, byte == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func fraction(from rest: inout Substring.UTF8View) -> Double {
    guard take(".", from: &rest) else { return 0 }
    var (value, scale) = (0.0, 1.0)
    while let digit = rest.first, (48...57).contains(digit) {
      scale /= 10
      value += scale * Double(digit - 48)
      rest = rest.dropFirst()
    }
    return value
  }

  private static func offset(from rest: inout Substring.UTF8View) -> Int? {
    if take("Z", from: &rest) { return 0 }
    let sign = take("+", from: &rest) ? 1 : take("-", from: &rest) ? -1 : 0
    guard sign != 0, let hours = number(2, in: 0...23, from: &rest) else { return nil }
    _ = take(":", from: &rest)
    guard let minutes = number(2, in: 0...59, from: &rest) else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": a year that begins in March has its leap day last.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = year.quotientAndRemainder(flooredBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension Int {
  fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
