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
