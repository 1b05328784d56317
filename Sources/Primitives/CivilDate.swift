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
  func divided(flooringBy divisor: Int) -> (quotient: Int, remainder: Int) {
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
