import Primitives
import TestSupport
import Testing

@Suite("Dates as HTTP writes them")
struct HTTPDateTests {
  @Test(
    "all three forms are read",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "sun, 06 nov 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
  func forms(text: String) {
    #expect(HTTPDate.seconds(of: text, now: 1_700_000_000) == 784_111_777)
  }

  @Test(
    "a year of two digits is the last one that is not more than 50 years ahead",
    arguments: [("Friday, 06-Nov-26 00:00:00 GMT", 1_793_923_200.0), ("Friday, 06-Nov-99 00:00:00 GMT", 941_846_400)])
  func centuries(text: String, seconds: Double) {
    #expect(HTTPDate.seconds(of: text, now: 1_700_000_000) == seconds)
  }

  // 1_700_000_000 is 2023-11-14T22:13:20Z.
  @Test(
    "a year of two digits is that of the last century where the time would be more than 50 years ahead",
    arguments: [
      ("Tuesday, 14-Nov-73 22:13:20 GMT", "2073-11-14T22:13:20Z"),
      ("Wednesday, 14-Nov-73 22:13:21 GMT", "1973-11-14T22:13:21Z"),
      ("Wednesday, 15-Nov-73 00:00:00 GMT", "1973-11-15T00:00:00Z"),
      ("Monday, 01-Jan-24 00:00:00 GMT", "2024-01-01T00:00:00Z"),
      ("Saturday, 29-Feb-00 00:00:00 GMT", "2000-02-29T00:00:00Z"), ("Saturday, 29-Feb-98 00:00:00 GMT", nil),
    ])
  func fiftyYears(text: String, time: String?) {
    let expected = time.flatMap { Timestamp(rfc3339: $0)?.unixTime }
    #expect(HTTPDate.seconds(of: text, now: 1_700_000_000) == expected)
  }

  @Test("a century may begin between now and the time")
  func nextCentury() {
    let now = 4_089_000_000.0  // 2099-07-29
    #expect(HTTPDate.seconds(of: "Saturday, 01-Jan-00 00:00:00 GMT", now: now) == 4_102_444_800)
    #expect(HTTPDate.seconds(of: "Friday, 31-Dec-99 00:00:00 GMT", now: now) == 4_102_358_400)
    // There is no 29 February 2100.
    #expect(HTTPDate.seconds(of: "Tuesday, 29-Feb-00 00:00:00 GMT", now: now) == 951_782_400)
  }

  @Test("a day that its month does not have is not a date", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) throws {
    guard let text = date.httpDate else { return }
    #expect((HTTPDate.seconds(of: text, now: 0) != nil) == date.isTime)
  }

  @Test(
    "what is not a date is nil",
    arguments: [
      "", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
  func noDate(text: String) {
    #expect(HTTPDate.seconds(of: text, now: 0) == nil)
  }
}
