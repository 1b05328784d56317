/// A day of the proleptic Gregorian calendar.
struct CivilDate {
  let year: Int
  let month: Int
  let day: Int

  /// Reads `yyyy-MM-dd`.
  init?(_ reader: inout FieldReader) {
    guard let year = reader.field(of: 4, in: 0...9_999), reader.takes("-") else { return nil }
    guard let month = reader.field(of: 2, in: 1...12), reader.takes("-") else { return nil }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let longest = month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    guard let day = reader.field(of: 2, in: 1...longest) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years begin in March, in
  /// eras of 400 years, which are 146,097 days.
  init(daysSince1970 days: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The inverse, `days_from_civil`.
  var daysSince1970: Int {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(flooredBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
