import Testing

@testable import Unwrapping

@Suite("Dates whose text has another order than time")
struct UnorderedDateTests {
  @Test(
    "are told with a form that reads them",
    arguments: [
      ("31/12/2023", "%d/%m/%Y"), ("12/31/2023", "%m/%d/%Y"), ("13.1.2024", "%d.%m.%Y"), ("1-2-2024 10:00", "%m-%d-%Y"),
      ("31 Dec 2023", "%d %b %Y"), ("December 31, 2023", "%b %d, %Y"),
      ("Sun, 31 Dec 2023 10:00:00 GMT", "%a, %d %b %Y %H:%M:%S GMT"),
    ])
  func forms(text: String, form: String) throws {
    let date = try #require(UnorderedDate(Array(text.utf8)))
    #expect(date.remedy == "say by 'as' how the API spells it, such as as: '\(form)'")
  }

  @Test(
    "are no others",
    arguments: [
      "2023-12-31", "2023-12-31T10:00:00Z", "32/12/2023", "1/2/24", "31 Foo 2023", "1.2.3", "31/12", "a/b/2023", "",
    ])
  func others(text: String) {
    #expect(UnorderedDate(Array(text.utf8)) == nil)
  }
}
