// Days of the calendar. Foundation's formats are not used: they count Julian days before 1582, and read 2024-02-30 as
// March 1st.

/// A day of the proleptic Gregorian calendar (RFC 3339 §1) in the years 0001 to 9999.
///
/// A day that its month does not have is no `CivilDate`.
package struct CivilDate: Hashable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  package init?(year: Int, month: Int, day: Int) {
    guard (1...9_999).contains(year), (1...12).contains(month),
      day >= 1, day <= Self.length(ofMonth: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads `2024-01-31` and nothing after it.
  package init?(_ text: some StringProtocol) {
    self.init(Array(text.utf8)[...])
  }

  /// Reads `2024-01-31` and nothing after it.
  package init?(_ text: ArraySlice<UInt8>) {
    var cursor = ByteCursor(text)
    self.init(&cursor)
    guard cursor.isAtEnd else { return nil }
  }

  /// Reads `2024-01-31`.
  init?(_ cursor: inout ByteCursor) {
    guard let year = cursor.number(digits: 4, in: 1...9_999), cursor.takes("-"),
      let month = cursor.number(digits: 2, in: 1...12), cursor.takes("-"),
      let day = cursor.number(digits: 2, in: 1...31)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The date as ISO 8601 spells it: `2024-01-31`.
  package var text: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  func append(to text: inout [UInt8]) {
    text.append(year, width: 4)
    text.append(UInt8(ascii: "-"))
    text.append(month, width: 2)
    text.append(UInt8(ascii: "-"))
    text.append(day, width: 2)
  }

  static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the leap day is the last
// one; an era has 400 years, which are 146,097 days.
extension CivilDate {
  /// - Parameter days: days since 1970-01-01 in the years 0001 to 9999.
  init(daysSince1970 days: Int) {
    let (era, dayOfEra) = (days + 719_468).divided(flooringBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Number of the day in its year, from 1.
  var dayOfYear: Int { (1..<month).reduce(day) { $0 + Self.length(ofMonth: $1, in: year) } }

  package var daysSince1970: Int {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).divided(flooringBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int {
  /// The quotient, rounded down, and the remainder, which is never negative.
  package func divided(flooringBy divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension [UInt8] {
  /// Appends the last `width` decimal digits of a number.
  mutating func append(_ number: Int, width: Int) {
    var power = (1..<width).reduce(1) { power, _ in power * 10 }
    while power > 0 {
      append(48 + UInt8(truncatingIfNeeded: number / power % 10))
      power /= 10
    }
  }
}

// Differences of time as a spec writes them: `7d`, `1mo`. Months and years are those of the calendar.

/// Months and seconds to add to a date or a time.
package struct CivilShift: Hashable, Sendable {
  package enum Unit: String, CaseIterable, Sendable {
    case second = "s"
    case minute = "m"
    case hour = "h"
    case day = "d"
    case week = "w"
    case month = "mo"
    case year = "y"

    /// Seconds of a unit that always has as many; 0 for months and years.
    fileprivate var seconds: Int {
      switch self {
      case .second: 1
      case .minute: 60
      case .hour: 3_600
      case .day: 86_400
      case .week: 604_800
      case .month, .year: 0
      }
    }

    fileprivate var months: Int { self == .month ? 1 : self == .year ? 12 : 0 }
  }

  package static let none = CivilShift(months: 0, seconds: 0)
  private static let mostMonths = 120_000
  private static let mostSeconds = 10_000 * 366 * 86_400

  package let months: Int
  package let seconds: Int

  private init(months: Int, seconds: Int) {
    (self.months, self.seconds) = (months, seconds)
  }

  /// Nil for more than ten thousand years.
  package init?(_ number: Int, _ unit: Unit) {
    let (months, isLong) = number.multipliedReportingOverflow(by: unit.months)
    let (seconds, isLonger) = number.multipliedReportingOverflow(by: unit.seconds)
    guard !isLong, !isLonger, months.magnitude <= Self.mostMonths, seconds.magnitude <= Self.mostSeconds else {
      return nil
    }
    self.init(months: months, seconds: seconds)
  }

  /// Reads digits and a unit, such as `15m`.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.prefix(while: \.isDigit)
    guard let number = Int(String(decoding: text.utf8.prefix(digits.count), as: UTF8.self)),
      let unit = Unit(rawValue: String(text.dropFirst(digits.count)))
    else {
      return nil
    }
    self.init(number, unit)
  }

  /// True if the shift is of whole days, months or years.
  package var isOfDays: Bool { seconds % Timestamp.secondsPerDay == 0 }

  /// Reports that the shift is shorter than another; months are longer than any seconds.
  package func isShorter(than other: CivilShift) -> Bool { (months, seconds) < (other.months, other.seconds) }

  /// The shift in the other direction.
  package var negated: CivilShift { CivilShift(months: -months, seconds: -seconds) }
}

extension CivilDate {
  /// The day of the same number some months later, or the last one that the month has; nil outside the years 0001 to 9999.
  package func adding(months: Int) -> CivilDate? {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    guard !overflow else { return nil }
    let (year, month) = sum.divided(flooringBy: 12)
    guard (1...9_999).contains(year) else { return nil }
    return CivilDate(year: year, month: month + 1, day: min(day, Self.length(ofMonth: month + 1, in: year)))
  }
}

extension Timestamp {
  /// The time after a shift, months first, in UTC; nil outside the years 0001 to 9999.
  ///
  /// The fraction stays.
  package func shifted(by shift: CivilShift) -> Timestamp? {
    var seconds = seconds
    if shift.months != 0 {
      let (days, second) = seconds.divided(flooringBy: Self.secondsPerDay)
      guard let day = CivilDate(daysSince1970: days).adding(months: shift.months) else { return nil }
      seconds = day.daysSince1970 * Self.secondsPerDay + second
    }
    let (sum, overflow) = seconds.addingReportingOverflow(shift.seconds)
    return overflow ? nil : Timestamp(seconds: sum, fraction: fraction)
  }
}

/// The months in English.
package enum MonthName {
  package static let all = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
}

// The time of day as RFC 3339 and HTTP spell it.

/// A time of day such as `23:59:59`.
///
/// The second 60 is a leap second; whether there can be one depends on the day.
struct ClockTime {
  /// Seconds since midnight.
  let seconds: Int
  let isLeapSecond: Bool

  init(hour: Int = 0, minute: Int = 0, second: Int = 0) {
    seconds = hour * 3_600 + minute * 60 + second
    isLeapSecond = second == 60
  }

  init?(_ cursor: inout ByteCursor) {
    guard let hour = cursor.number(digits: 2, in: 0...23), cursor.takes(":"),
      let minute = cursor.number(digits: 2, in: 0...59), cursor.takes(":"),
      let second = cursor.number(digits: 2, in: 0...60)
    else { return nil }
    self.init(hour: hour, minute: minute, second: second)
  }
}

extension ByteCursor {
  /// Takes `Z`, `+02:00` or `-02:00`, as seconds east of UTC.
  mutating func offset(colonIsOptional: Bool) -> Int? {
    if takes("Z", or: "z") { return 0 }
    let isWest = takes("-")
    guard isWest || takes("+"), let hours = number(digits: 2, in: 0...23), takes(":") || colonIsOptional,
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}
