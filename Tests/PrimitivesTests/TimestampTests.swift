// Dates and times, against a calendar that counts on its fingers.

import Primitives
import TestSupport
import Testing

@Suite struct TimestampTests {
  static let times: [(text: String, seconds: Int?)] = [
    ("1970-01-01T00:00:00Z", 0), ("2026-01-01T00:00:00Z", 1_767_225_600), ("2024-02-29T23:59:59Z", 1_709_251_199),
    ("2024-01-01T00:00:00+02:00", 1_704_060_000), ("2024-01-01T00:00:00-00:30", 1_704_069_000),
    ("2024-01-01t00:00:00z", 1_704_067_200), ("2024-01-01T00:00:00.000Z", 1_704_067_200),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("9999-12-31T23:59:59Z", 253_402_300_799), ("1500-03-01T00:00:00Z", -14_826_672_000),
    ("2024-01-01T00:00:00.5Z", 1_704_067_200), ("2024-01-01T00:00:00.Z", nil), ("2024-01-01T00:00:00", nil),
    ("2024-01-01T00:00:00Zx", nil), ("2024-01-01 00:00:00Z", nil), ("2024-01-01T24:00:00Z", nil),
    ("2024-01-01T00:60:00Z", nil), ("2024-01-01T00:00:61Z", nil), ("2023-02-29T00:00:00Z", nil),
    ("2024-01-01T00:00:00+0200", nil), ("2024-01-01T00:00:00+24:00", nil), ("9999-12-31T23:59:59-01:00", nil),
    ("0001-01-01T00:00:00+01:00", nil), ("0000-06-01T00:00:00Z", nil), ("2024-01-01T0a:00:00Z", nil), ("", nil),
    ("2024-01-01", nil), ("2024-01-01T00:00:00é", nil),
  ]

  @Test("RFC 3339 times are read as seconds", arguments: times)
  func readsTimes(text: String, seconds: Int?) {
    #expect(Timestamp(rfc3339: text)?.seconds == seconds)
  }

  static let dates: [(text: String, isDate: Bool)] = [
    ("2024-02-29", true), ("2000-02-29", true), ("1900-02-29", false), ("2023-02-29", false), ("2024-04-31", false),
    ("2024-12-31", true), ("2024-13-01", false), ("2024-00-10", false), ("2024-01-00", false), ("0001-01-01", true),
    ("0000-01-01", false), ("9999-12-31", true), ("10000-01-01", false), ("2024-1-1", false), ("2024-01-01x", false),
    (" 2024-01-01", false), ("+024-01-01", false), ("", false), ("--", false), ("2024-01", false),
  ]

  @Test("A date is one that the calendar has", arguments: dates)
  func readsDates(text: String, isDate: Bool) {
    #expect(CivilDate(text)?.text == (isDate ? text : nil))
  }

  static let spans: [(year: Int, seconds: Int, years: Int)] = [
    (1, -62_135_596_800, 5), (1899, -2_240_524_800, 6), (1999, 915_148_800, 2), (2099, 4_070_908_800, 2),
    (9_999, 253_370_764_800, 1),
  ]

  @Test("Days have the names that counting gives them, over centuries and leap years", arguments: spans)
  func calendar(first: Int, start: Int, years: Int) {
    var seconds = start
    for year in first..<(first + years) {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (month, length) in lengths.enumerated() {
        for day in 1...length {
          let name = Timestamp(seconds: seconds + 1)?.date.text.split(separator: "-").map { Int($0)! }
          guard name == [year, month + 1, day] else {
            Issue.record("\(year)-\(month + 1)-\(day) is called \(name ?? [])")
            return
          }
          seconds += Timestamp.secondsPerDay
        }
      }
    }
  }

  @Test("A fraction is kept as it is spelled; zeros at its end do not count")
  func fractions() throws {
    let time = try #require(Timestamp(rfc3339: "2024-01-31T12:00:00.0120+01:00"))
    #expect(time.rfc3339 == "2024-01-31T11:00:00.0120Z")
    #expect(time.significantFraction == Array("012".utf8)[...])
    #expect(time == Timestamp(rfc3339: "2024-01-31T11:00:00.012Z"))
    #expect(Timestamp(rfc3339: "2024-01-31T12:00:00.00Z") == Timestamp(rfc3339: "2024-01-31T12:00:00Z"))
  }

  @Test("A leap second lies between the second before and the one that follows")
  func leapSeconds() throws {
    let texts = [
      "2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00Z",
    ]
    let times = try texts.map { try #require(Timestamp(rfc3339: $0)) }
    #expect(times.shuffled().sorted().map(\.rfc3339) == texts)
    #expect(times[1].httpDate == "Sat, 31 Dec 2016 23:59:60 GMT")
    #expect(times[1].date.text == "2016-12-31")
  }

  @Test("A day that its month does not have is not a date", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) {
    #expect((Timestamp(rfc3339: date.text) != nil) == date.isTime)
    #expect((CivilDate(date.text.prefix(10)) != nil) == date.hasDay)
  }

  @Test("Times are written in UTC; there are none outside of the years 1 to 9999")
  func writes() {
    #expect(Timestamp(seconds: 1_767_225_600)?.rfc3339 == "2026-01-01T00:00:00Z")
    #expect(Timestamp(seconds: -1)?.rfc3339 == "1969-12-31T23:59:59Z")
    #expect(Timestamp(seconds: 253_402_300_800) == nil)
    #expect(Timestamp(seconds: -62_135_596_801) == nil)
    #expect(Timestamp(seconds: .max) == nil)
    #expect(Timestamp(seconds: .min) == nil)
  }
}
