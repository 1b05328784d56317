import Foundation
import JSONText
import Primitives
import TestSupport
import Testing
import Unwrapping

@Suite("decode.dates")
struct DateTests {
  @Test(
    "seconds since 1970 become RFC 3339 in UTC, exact to the last digit",
    arguments: [
      ("0", "1970-01-01T00:00:00Z"), ("-0", "1970-01-01T00:00:00Z"), ("-0.0e5", "1970-01-01T00:00:00Z"),
      ("1700000000", "2023-11-14T22:13:20Z"), ("1700000000.123456", "2023-11-14T22:13:20.123456Z"),
      ("1700000000.500", "2023-11-14T22:13:20.5Z"), ("1700000000.000", "2023-11-14T22:13:20Z"),
      ("1.7e9", "2023-11-14T22:13:20Z"), ("17E+8", "2023-11-14T22:13:20Z"),
      ("17000000001e-1", "2023-11-14T22:13:20.1Z"),
      ("0.1", "1970-01-01T00:00:00.1Z"), ("1e-9", "1970-01-01T00:00:00.000000001Z"),
      ("-1", "1969-12-31T23:59:59Z"), ("-0.5", "1969-12-31T23:59:59.5Z"), ("-1.25", "1969-12-31T23:59:58.75Z"),
      ("-0.001", "1969-12-31T23:59:59.999Z"), ("951782400", "2000-02-29T00:00:00Z"),
      ("4107542400", "2100-03-01T00:00:00Z"), ("-62135596800", "0001-01-01T00:00:00Z"),
      ("253402300799", "9999-12-31T23:59:59Z"), ("253402300799.999", "9999-12-31T23:59:59.999Z"),
      ("-12219292800", "1582-10-15T00:00:00Z"), ("-12219292801", "1582-10-14T23:59:59Z"),
      (#""1700000000""#, "2023-11-14T22:13:20Z"), (#""001700000000.10""#, "2023-11-14T22:13:20.1Z"),
      (#""17000000\u0030\u0030""#, "2023-11-14T22:13:20Z"),
    ])
  func seconds(value: String, expected: String) throws {
    #expect(try read(value, .seconds) == "\"\(expected)\"")
  }

  @Test(
    "milliseconds since 1970 become RFC 3339 in UTC",
    arguments: [
      ("0", "1970-01-01T00:00:00Z"), ("1700000000123", "2023-11-14T22:13:20.123Z"),
      ("1700000000000", "2023-11-14T22:13:20Z"), ("1", "1970-01-01T00:00:00.001Z"), ("-1", "1969-12-31T23:59:59.999Z"),
      ("1.7e12", "2023-11-14T22:13:20Z"), ("0.25", "1970-01-01T00:00:00.00025Z"),
      (#""1700000000120""#, "2023-11-14T22:13:20.12Z"), ("253402300799999", "9999-12-31T23:59:59.999Z"),
    ])
  func milliseconds(value: String, expected: String) throws {
    #expect(try read(value, .milliseconds) == "\"\(expected)\"")
  }

  @Test(
    "RFC 3339 of any offset is written in UTC, with the digits of its fraction",
    arguments: [
      ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"), ("2024-02-29t12:00:00z", "2024-02-29T12:00:00Z"),
      ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"),
      ("2023-12-31T20:00:00.1200-05:30", "2024-01-01T01:30:00.1200Z"),
      ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z"), ("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"),
      ("1990-12-31T23:59:60Z", "1990-12-31T23:59:60Z"), ("1990-12-31T15:59:60.5-08:00", "1990-12-31T23:59:60.5Z"),
      ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"), ("1500-02-28T23:59:59Z", "1500-02-28T23:59:59Z"),
      (#"2024\u002d01-01T00:00:00Z"#, "2024-01-01T00:00:00Z"),
    ])
  func rfc3339(value: String, expected: String) throws {
    #expect(try read("\"\(value)\"", .rfc3339) == "\"\(expected)\"")
  }

  @Test(
    "what can't be read in its form is an error that shows it",
    arguments: [
      ("true", TimeForm.seconds, "boolean true"), ("{}", .seconds, "object {}"), ("[1]", .seconds, "array [1]"),
      (#""soon""#, .seconds, #"string "soon""#),
      (#""1 ""#, .seconds, #"string "1 ""#),
      (#""1.""#, .seconds, #"string "1.""#), (#""1e""#, .seconds, #"string "1e""#),
      (#""--1""#, .seconds, #"string "--1""#),
      (#"".5""#, .seconds, #"string ".5""#),
      ("253402300800", .seconds, "number 253402300800"), ("-62135596801", .seconds, "number -62135596801"),
      ("-62135596800.5", .seconds, "number -62135596800.5"),
      ("1700000000000", .seconds, "number 1700000000000"),
      ("1e999999999999999999", .seconds, "number 1e999999999999999999"),
      ("1e-999999999999999999", .seconds, "number 1e-999999999999999999"),
      ("253402300800000", .milliseconds, "number 253402300800000"),
    ])
  func unreadable(value: String, form: TimeForm, found: String) throws {
    let expected = form == .seconds ? "seconds" : "milliseconds"
    #expect(
      try complaint(#"{"at":\#(value)}"#, dates: [("at", form)])
        == "at: \(expected) since 1970 (years 0001 to 9999), as 'dates' says, \(found)")
  }

  @Test(
    "text that is no RFC 3339 date and time is an error",
    arguments: [
      "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2024-1-1T00:00:00Z", "2024-02-30T00:00:00Z",
      "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z",
      "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:60Z",
      "2024-01-31T23:59:60+01:00", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00+0100",
      "2024-01-01T00:00:00+01:60", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00Zz", "0000-12-31T23:59:59Z",
      "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "+2024-01-01T00:00:00Z", "2024-01-01T00:00:0Z",
    ])
  func noDateTime(value: String) throws {
    #expect(
      try complaint(#"{"at":"\#(value)"}"#, dates: [("at", .rfc3339)])
        == #"at: RFC 3339 date and time (years 0001 to 9999), as 'dates' says, string "\#(value)""#)
    #expect(try complaint(#"{"at":1700000000}"#, dates: [("at", .rfc3339)]) != nil)
  }

  @Test("a day that its month does not have is refused by dates and models, no time for marks", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) throws {
    let (record, day) = (#"{"at":"\#(date.text)"}"#, #"{"at":"\#(date.text.prefix(10))"}"#)
    #expect(try (complaint(record, dates: [("at", .rfc3339)]) == nil) == date.isTime)
    #expect(try (complaint(record, model: members(("at", .date))) == nil) == date.isTime)
    #expect(try (complaint(day, model: members(("at", .date))) == nil) == date.hasDay)
    var mark = HighWaterMark(JSONValue("2024-01-01T00:00:00Z"))
    #expect(((try? mark.see(JSONValue(date.text))) != nil) == date.isTime)
  }

  @Test("days of the years 1583 to 9999 are those that Foundation says, and earlier ones follow from them")
  func calendar() throws {
    let days = Array(stride(from: -719_162, through: 2_932_896, by: 499)) + [2_932_896]
    let format = Date.ISO8601FormatStyle()
    for day in days where day >= -141_418 {
      let theirs = Date(timeIntervalSince1970: Double(day * 86_400)).formatted(format)
      #expect(try read(String(day * 86_400), .seconds) == "\"\(theirs)\"")
    }
    // A Gregorian era of 400 years has 146,097 days and ends where it began.
    for day in days where day < -141_418 {
      let early = try read(String(day * 86_400), .seconds)
      let late = try read(String((day + 146_097 * 4) * 86_400), .seconds)
      #expect(early.dropFirst(5) == late.dropFirst(5))
      #expect(Int(early.dropFirst().prefix(4)).map { $0 + 1_600 } == Int(late.dropFirst().prefix(4)))
      #expect(try read(early, .rfc3339) == early)
    }
  }

  @Test(
    "only named members of the record itself change; null and missing ones, and no objects, stay as they are; an empty text is null"
  )
  func places() throws {
    let dates: [(name: String, form: TimeForm)] = [("at", .seconds), ("b", .milliseconds)]
    #expect(
      try shaped(#"{"x":1,"at":1,"c":{"at":1},"b":null,"at":2}"#, dates: dates)
        == #"{"x":1,"at":"1970-01-01T00:00:01Z","c":{"at":1},"b":null,"at":"1970-01-01T00:00:02Z"}"#)
    #expect(try shaped(#"{"at":"","b":""}"#, dates: dates) == #"{"at":null,"b":null}"#)
    for record in ["{}", #"{"x":[1,{"at":5}]}"#, "[1]", "1", "null", #""at""#] {
      #expect(try shaped(record, dates: dates) == record)
    }
  }

  @Test("a date is named as it is after keys, and may be escaped in the record")
  func namesAfterKeys() throws {
    #expect(
      try shaped(#"{"last_updated":1}"#, keys: .camelCase, dates: [("lastUpdated", .seconds)])
        == #"{"lastUpdated":"1970-01-01T00:00:01Z"}"#)
    #expect(try shaped(#"{"\u0061t":1}"#, dates: [("at", .seconds)]) == #"{"\u0061t":"1970-01-01T00:00:01Z"}"#)
    #expect(
      try complaint(#"{"odd name":true}"#, dates: [("odd name", .seconds)])?.hasPrefix(#"["odd name"]: "#) == true)
  }

  private func read(_ value: String, _ form: TimeForm) throws -> String {
    let record = try shaped(#"{"at":\#(value)}"#, dates: [("at", form)])
    return String(record.dropFirst(6).dropLast())
  }
}
