import Foundation
import JSONText
import Testing

@testable import Unwrapping

@Suite("The highest mark")
struct HighWaterMarkTests {
  private func highest(_ values: String) throws -> String? {
    var mark = HighWaterMark()
    for value in try JSONValue(parsing: Array("[\(values)]".utf8)).elements { try mark.see(value) }
    return mark.value?.text
  }

  @Test(
    "is the highest by instant, by value, or by bytes, and stays as it was spelled",
    arguments: [
      (#""2024-01-01T00:00:00Z","2024-01-01T01:00:00+02:00""#, #""2024-01-01T00:00:00Z""#),
      (#""2024-01-01T00:00:00.5Z","2024-01-01T00:00:00.50Z","2024-01-01T00:00:00.499Z""#, #""2024-01-01T00:00:00.5Z""#),
      (#""2016-12-31T23:59:60Z","2016-12-31T23:59:59.9Z","2017-01-01T00:00:00Z""#, #""2017-01-01T00:00:00Z""#),
      ("9,10,9.9,1.0e1", "10"), (#"0,"10","9",9.5"#, #""10""#), ("-1,-2,-0.5", "-0.5"), ("0,-0.0,1e-400", "1e-400"),
      ("123456789012345678901234567890,123456789012345678901234567891", "123456789012345678901234567891"),
      ("1e99999999999999999999,1e100000000000000000000,5", "1e100000000000000000000"),
      ("1e-99999999999999999999,1e-100000000000000000000", "1e-99999999999999999999"),
      (#""b","a","B","é""#, #""é""#), (#"null,"a",null"#, #""a""#), (#""2024-01-02","2024-01-10""#, #""2024-01-10""#),
    ])
  func order(_ values: String, _ expected: String) throws {
    #expect(try highest(values) == expected)
  }

  @Test(
    "is an error of values that can't be compared",
    arguments: [#"1,"x""#, #""2024-01-01T00:00:00Z","x""#, #""x","2024-01-01T00:00:00Z""#, "true", "1,[1]", "{}"])
  func mixed(_ values: String) {
    #expect(throws: HighWaterMark.Mixed.self) { try highest(values) }
  }

  @Test("is nothing where nothing was seen")
  func none() throws {
    #expect(try highest("null,null") == nil)
    #expect(try highest("") == nil)
  }
}
