import Testing

@testable import Fetching

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

  @Test(
    "what is no date is nil",
    arguments: [
      "", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
  func noDate(text: String) {
    #expect(HTTPDate.seconds(of: text, now: 0) == nil)
  }
}
