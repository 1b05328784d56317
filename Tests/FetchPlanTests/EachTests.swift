// `each`: records without a request.

import Diagnostics
import JSONText
import PipelineSpec
import Primitives
import TestSupport
import Testing

@testable import FetchPlan

@Suite struct EachTests {
  private func records(_ axes: [(String, Each.Values)], most: Int = 100) throws -> [String] {
    let job = makeJob("x/${input.a}") { job in
      job.each = Each(axes: axes.map { .init(name: $0.0, values: $0.1, position: job.position) })
    }
    return try makePlan(job).eachRecords()!.prefix(most).map(\.text)
  }

  private func values(_ from: TemplateValue, _ to: TemplateValue, _ step: String? = nil, most: Int = 100) throws
    -> String
  {
    try records([("a", .span(from: from, to: to, step: step))], most: most)
      .map { String($0.dropFirst(5).dropLast()) }.joined(separator: " ")
  }

  @Test("A list gives its values with their types, and a job without each gives nothing")
  func list() throws {
    #expect(
      try records([("a", .list([1, "b", "${param.price}", "${today}", "${param.none?}", ["x": 1]]))])
        == [#"{"a":1}"#, #"{"a":"b"}"#, #"{"a":1.50}"#, #"{"a":"2026-01-01"}"#, #"{"a":{"x":1}}"#])
    #expect(try records([("a", .list([]))]) == [])
    #expect(try makePlan(makeJob("x")).eachRecords() == nil)
  }

  private func window(_ start: JSONValue, _ end: JSONValue) -> JSONValue {
    JSONValue(members: [("start", start), ("end", end)])
  }

  @Test(
    "A window is halved at a whole unit of its form, and the halves are next to each other",
    arguments: [
      ("1", "4", nil, #"{"start":1,"end":2,"next":3} {"start":3,"end":4,"next":5}"#),
      ("1", "3", nil, #"{"start":1,"end":2,"next":3} {"start":3,"end":3,"next":4}"#), ("1", "1", nil, nil),
      ("-9223372036854775808", "9223372036854775807", nil, nil),
      (
        #""2024-02-28""#, #""2024-03-01""#, nil,
        #"{"start":"2024-02-28","end":"2024-02-29","next":"2024-03-01"} {"start":"2024-03-01","end":"2024-03-01","next":"2024-03-02"}"#
      ),
      (#""2024-02-28""#, #""2024-02-28""#, nil, nil),
      (
        #""2024-01-01T00:00:00Z""#, #""2024-01-01T00:00:02.999Z""#, nil,
        #"{"start":"2024-01-01T00:00:00Z","end":"2024-01-01T00:00:01.999Z","next":"2024-01-01T00:00:02Z"} "#
          + #"{"start":"2024-01-01T00:00:02Z","end":"2024-01-01T00:00:02.999Z","next":"2024-01-01T00:00:03Z"}"#
      ),
      ("100", "103", "seconds", #"{"start":100,"end":101,"next":102} {"start":102,"end":103,"next":104}"#),
      ("100", "100", "seconds", nil),
      (
        #""20240101""#, #""20240102""#, "%Y%m%d",
        #"{"start":"20240101","end":"20240101","next":"20240102"} {"start":"20240102","end":"20240102","next":"20240103"}"#
      ),
      (
        #""2024-01-01T00:00:00.5Z""#, #""2024-01-01T00:00:02.499Z""#, nil,
        #"{"start":"2024-01-01T00:00:00.5Z","end":"2024-01-01T00:00:01.499Z","next":"2024-01-01T00:00:01.5Z"} "#
          + #"{"start":"2024-01-01T00:00:01.5Z","end":"2024-01-01T00:00:02.499Z","next":"2024-01-01T00:00:02.5Z"}"#
      ),
      (#""2024-01-01T00:00:00.5Z""#, #""2024-01-01T00:00:01.499Z""#, nil, nil),
      (
        #""2024-01""#, #""2024-06""#, "%Y-%m",
        #"{"start":"2024-01","end":"2024-03","next":"2024-04"} {"start":"2024-04","end":"2024-06","next":"2024-07"}"#
      ),
      (#""2024-01""#, #""2024-01""#, "%Y-%m", nil),
      (#""01 10:00""#, #""01 10:00""#, "%d %H:%M", nil),
    ] as [(String, String, String?, String?)])
  func halves(start: String, end: String, form: String?, expected: String?) throws {
    let window = try window(JSONValue(parsing: Array(start.utf8)), JSONValue(parsing: Array(end.utf8)))
    let halves = EachSpan.halves(of: window, form.flatMap { TimeForm($0) })
    #expect(halves.map { "\($0.0.text) \($0.1.text)" } == expected)
  }

  @Test("The halves of a window have the fractions of its span, also where the end has none")
  func halvesOfFractions() throws {
    let span = try EachSpan(
      from: RedactableJSON(JSONValue("2024-01-01T00:00:00.000Z")),
      to: RedactableJSON(JSONValue("2024-01-01T00:00:02.000Z")), step: "1h")
    let halves = try #require(EachSpan.halves(of: span.window(at: 0), nil))
    #expect(
      halves.0.text
        == #"{"start":"2024-01-01T00:00:00Z","end":"2024-01-01T00:00:01.999Z","next":"2024-01-01T00:00:02Z"}"#)
    #expect(
      halves.1.text
        == #"{"start":"2024-01-01T00:00:02Z","end":"2024-01-01T00:00:02Z","next":"2024-01-01T00:00:02.001Z"}"#)
    let first = try #require(EachSpan.halves(of: halves.0, nil))
    #expect(
      first.0["end"]?.string == "2024-01-01T00:00:00.999Z" && first.1["end"]?.string == "2024-01-01T00:00:01.999Z")
  }

  @Test("The parts of a window are fetched in order, their sums are proved, and their state is a value")
  func parts() throws {
    let job = makeJob("x/${input.a.start}") { job in
      job.each = Each(axes: [
        .init(
          name: "a", values: .span(Each.Span(from: 1, to: 4, step: "4", isWindow: true, splits: true)),
          position: job.position)
      ])
    }
    let record = try #require(try makePlan(job).eachRecords()?.first { _ in true })
    let none = makeJob("x")
    #expect(WindowParts(none, of: record) == nil)
    let fresh = try #require(WindowParts(job, of: record))
    var parts = fresh
    #expect(parts.current == record)
    let areSplit = [parts.split(total: 10), parts.split(total: 6)]
    #expect(areSplit == [true, true])
    var fetched: [String] = []
    for count in [2, 3, 4] {
      let resumed = try #require(fresh.resumed(from: JSONValue(parsing: Array(parts.json.text.utf8))))
      #expect(resumed.current == parts.current)
      parts = resumed
      fetched.append(try #require(parts.current?["a"]?["start"]?.text))
      let found = parts.finish(received: count, pages: 1)
      #expect(found.missing.map(\.sign) == (count == 2 ? [] : [.total]))
      #expect(found.surplus == nil)
    }
    #expect(fetched == ["1", "2", "3"] && parts.current == nil && parts.pages == 3 && parts.received == 9)
    var more = fresh
    _ = more.split(total: 1)
    let found = [more.finish(received: 1, pages: 1).surplus, more.finish(received: 1, pages: 1).surplus]
    #expect(found[0] == nil)
    #expect(found[1]?.hasPrefix("the parts of the window from 1 to 4 had 2 records") == true)
    // What the first part gives again is of an earlier window, and what the second one gives again is of the first.
    var twice = fresh
    _ = twice.split(total: 3)
    _ = twice.finish(received: 2, repeats: 1, pages: 1)
    twice = try #require(fresh.resumed(from: JSONValue(parsing: Array(twice.json.text.utf8))))
    let rest = twice.finish(received: 2, repeats: 1, pages: 1)
    #expect(rest.missing.isEmpty && rest.surplus == nil)
  }

  @Test("Several axes give every combination, the last fastest")
  func product() throws {
    #expect(
      try records([("a", .list(["x", "y"])), ("b", .span(from: 1, to: 3, step: "2"))])
        == [#"{"a":"x","b":1}"#, #"{"a":"x","b":3}"#, #"{"a":"y","b":1}"#, #"{"a":"y","b":3}"#])
    #expect(try records([("a", .list(["x"])), ("b", .list([]))]) == [])
  }

  @Test(
    "The number of records is known without making them, and is the largest there is where it has no room",
    arguments: [
      (1, 5, 5), (2, 1, 0), (Int.min + 2, Int.max, .max - 1), (Int.min, Int.max, .max), (0, Int.max, UInt(Int.max) + 1),
    ] as [(Int, Int, UInt)])
  func count(from: Int, to: Int, expected: UInt) throws {
    for (others, factor) in [([], 1), ([1, 2], 2)] as [([TemplateValue], UInt)] {
      let job = makeJob("x") { job in
        var axes = [
          ("a", Each.Values.span(from: .init(integerLiteral: from), to: .init(integerLiteral: to), step: nil))
        ]
        if !others.isEmpty { axes.append(("b", .list(others))) }
        job.each = Each(axes: axes.map { .init(name: $0.0, values: $0.1, position: job.position) })
      }
      let (product, isOver) = expected.multipliedReportingOverflow(by: factor)
      #expect(try makePlan(job).eachRecords()?.count == (isOver ? .max : product))
    }
  }

  @Test("Spans over dates, both ends inclusive")
  func dates() throws {
    #expect(try values("2024-02-28", "2024-03-01") == #""2024-02-28" "2024-02-29" "2024-03-01""#)
    #expect(try values("2024-01-01", "2024-01-16", "1w") == #""2024-01-01" "2024-01-08" "2024-01-15""#)
    #expect(try values("2024-01-01", "2024-01-04", "48h") == #""2024-01-01" "2024-01-03""#)
    #expect(try values("${param.start}", "2024-02-01") == #""2024-01-30" "2024-01-31" "2024-02-01""#)
    #expect(try values("${today-1d}", "${today}") == #""2025-12-31" "2026-01-01""#)
    #expect(throws: ParameterError.self) { try values("2024-01-02", "2024-01-01") }
    #expect(try values("9999-12-30", "9999-12-31", "1d") == #""9999-12-30" "9999-12-31""#)
    #expect(try values("9999-12-30", "9999-12-31", "9000w") == #""9999-12-30""#)
  }

  @Test("A day that its month does not have is refused", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) throws {
    let day = String(date.text.prefix(10))
    if date.hasDay {
      #expect(try values(.string(Template(day)), .string(Template(day))) == "\"\(day)\"")
    } else {
      #expect(throws: (any Error).self) { try values(.string(Template(day)), .string(Template(day))) }
    }
    let time = TemplateValue.string(Template(date.text))
    if date.isTime {
      #expect(try values(time, time, "1h").isEmpty == false)
    } else {
      #expect(throws: (any Error).self) { try values(time, time, "1h") }
    }
  }

  @Test("Spans over times, in UTC")
  func times() throws {
    #expect(
      try values("2024-01-01T00:00:00Z", "2024-01-01T00:30:00Z", "15m")
        == #""2024-01-01T00:00:00Z" "2024-01-01T00:15:00Z" "2024-01-01T00:30:00Z""#)
    #expect(try values("2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00Z", "3601s") == #""2023-12-31T23:00:00Z""#)
    #expect(try values("${now-1h}", "${now}", "1h") == #""2025-12-31T23:00:00Z" "2026-01-01T00:00:00Z""#)
  }

  @Test("A date and a time make a span of dates, with every day that the time may belong to")
  func datesAndTimes() throws {
    #expect(try values("2024-01-01T23:59:59Z", "2024-01-02") == #""2024-01-01" "2024-01-02""#)
    #expect(try values("2024-01-01", "2024-01-02T00:00:00.5Z") == #""2024-01-01" "2024-01-02""#)
    #expect(try values("2025-12-31", "${now}") == #""2025-12-31" "2026-01-01""#)
    // In UTC it is the next day, or the one before.
    #expect(try values("2024-01-01T23:00:00-05:00", "2024-01-02") == #""2024-01-01" "2024-01-02""#)
    #expect(try values("2024-01-02T01:00:00+05:00", "2024-01-02") == #""2024-01-01" "2024-01-02""#)
    #expect(try values("2024-01-01", "2024-01-01T23:00:00-05:00") == #""2024-01-01" "2024-01-02""#)
    #expect(try values("2024-01-01", "2024-01-02T01:00:00+05:00") == #""2024-01-01" "2024-01-02""#)
    #expect(throws: ParameterError.self) { try values("2024-01-03T00:00:00Z", "2024-01-02") }
    #expect(
      try windows("2024-01-02T12:00:00Z", "2024-01-05", "2d").split(separator: " ")
        == ["2024-01-02-2024-01-03", "2024-01-04-2024-01-05"])
  }

  @Test("Spans over whole numbers, to the ends of what a number can be")
  func integers() throws {
    #expect(try values(1, 4) == "1 2 3 4")
    #expect(try values(-3, 3, "3") == "-3 0 3")
    #expect(try values("${param.n}", "7") == "5 6 7")
    #expect(try values(5, 4) == "")
    #expect(
      try values(.constant(JSONValue(Int.max - 1), spelling: ""), .constant(JSONValue(Int.max), spelling: ""))
        == "9223372036854775806 9223372036854775807")
    #expect(
      try values(
        .constant(JSONValue(Int.min), spelling: ""), .constant(JSONValue(Int.max), spelling: ""), "9223372036854775807")
        == "-9223372036854775808 -1 9223372036854775806")
    #expect(
      try values(.constant(JSONValue(Int.min), spelling: ""), .constant(JSONValue(Int.max), spelling: ""), most: 2)
        == "-9223372036854775808 -9223372036854775807")
  }

  @Test("Times keep their fractions, which are whole seconds apart")
  func fractions() throws {
    #expect(
      try values("2024-01-01T00:00:00.50Z", "2024-01-01T00:00:02.500Z", "1s")
        == #""2024-01-01T00:00:00.5Z" "2024-01-01T00:00:01.5Z" "2024-01-01T00:00:02.5Z""#)
    #expect(
      try values("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:02.49Z", "1s")
        == #""2024-01-01T00:00:00.5Z" "2024-01-01T00:00:01.5Z""#)
    #expect(throws: ParameterError.self) { try values("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.25Z", "1s") }
    #expect(try values("2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00Z", "1s") == #""2024-01-01T00:00:00Z""#)
  }

  private func windows(_ from: TemplateValue, _ to: TemplateValue, _ step: String? = nil) throws -> String {
    try records([("a", .span(from: from, to: to, step: step, isWindow: true))])
      .map { record in
        let value = JSONValue.record(record)
        return "\(value["a"]?["start"]?.text ?? "")-\(value["a"]?["end"]?.text ?? "")".replacing("\"", with: "")
      }.joined(separator: " ")
  }

  @Test("Windows end one unit before the next one starts, and the last one is cut at 'to'")
  func windows() throws {
    #expect(
      try windows("2024-02-20", "2024-03-07", "7d").split(separator: " ")
        == ["2024-02-20-2024-02-26", "2024-02-27-2024-03-04", "2024-03-05-2024-03-07"])
    #expect(try windows("2024-01-01", "2024-01-02") == "2024-01-01-2024-01-01 2024-01-02-2024-01-02")
    #expect(try windows("2024-01-01", "2024-01-08", "1w") == "2024-01-01-2024-01-07 2024-01-08-2024-01-08")
    #expect(
      try windows("2024-01-01T00:00:00Z", "2024-01-01T02:30:00+01:00", "1h").split(separator: " ")
        == ["2024-01-01T00:00:00Z-2024-01-01T00:59:59Z", "2024-01-01T01:00:00Z-2024-01-01T01:30:00Z"])
    #expect(
      try windows("2024-01-01T00:00:00Z", "2024-01-01T00:00:59.999Z", "1m")
        == "2024-01-01T00:00:00Z-2024-01-01T00:00:59.999Z")
    #expect(try windows(1, 10, "4") == "1-4 5-8 9-10")
    #expect(try windows(1, 8, "4") == "1-4 5-8")
    #expect(try windows(3, 3, "1000") == "3-3")
    #expect(try windows(3, 2, "1") == "")
    let most = TemplateValue.constant(JSONValue(Int.max), spelling: "")
    #expect(
      try windows(.constant(JSONValue(Int.max - 4), spelling: ""), most, "3")
        == "\(Int.max - 4)-\(Int.max - 2) \(Int.max - 1)-\(Int.max)")
    #expect(
      try windows(.constant(JSONValue(Int.min), spelling: ""), most, "9223372036854775807").split(separator: " ").last
        == "\(Int.max - 1)-\(Int.max)")
  }

  @Test("A window is one axis among others")
  func windowProduct() throws {
    #expect(
      try records([("a", .span(from: 1, to: 3, step: "2", isWindow: true)), ("c", .list(["x", "y"]))])
        == [
          #"{"a":{"start":1,"end":2,"next":3},"c":"x"}"#, #"{"a":{"start":1,"end":2,"next":3},"c":"y"}"#,
          #"{"a":{"start":3,"end":3,"next":4},"c":"x"}"#, #"{"a":{"start":3,"end":3,"next":4},"c":"y"}"#,
        ])
  }

  @Test("Months and years are counted from the start of the span, and a shorter month has its last day")
  func months() throws {
    #expect(
      try values("2024-01-31", "2024-05-30", "1mo") == #""2024-01-31" "2024-02-29" "2024-03-31" "2024-04-30""#)
    #expect(try values("2024-01-31", "2024-05-31", "2mo") == #""2024-01-31" "2024-03-31" "2024-05-31""#)
    #expect(try values("2020-02-29", "2024-02-29", "2y") == #""2020-02-29" "2022-02-28" "2024-02-29""#)
    #expect(throws: ParameterError.self) { try values("2024-02-29", "2024-02-28", "1mo") }
    #expect(try values("9999-11-30", "9999-12-31", "1mo") == #""9999-11-30" "9999-12-30""#)
    #expect(try values("0001-01-01", "9999-12-31", "9000y") == #""0001-01-01" "9001-01-01""#)
    #expect(
      try windows("2024-01-01", "2024-03-10", "1mo")
        == "2024-01-01-2024-01-31 2024-02-01-2024-02-29 2024-03-01-2024-03-10")
    #expect(
      try windows("2024-01-31T12:00:00.5Z", "2024-03-31T12:00:00.25Z", "1mo")
        == "2024-01-31T12:00:00.5Z-2024-02-29T12:00:00.49Z 2024-02-29T12:00:00.5Z-2024-03-31T12:00:00.25Z")
    #expect(try values("2024-01-01", "2024-01-08", "${param.days}d") == #""2024-01-01" "2024-01-08""#)
  }

  private func open(
    _ from: TemplateValue, _ to: TemplateValue, _ step: String? = nil, as form: String? = nil, isEnd: Bool = false
  ) throws -> String {
    try records([("a", .span(from: from, to: to, step: step, isWindow: true, form: form))])
      .map { record in
        let value = JSONValue.record(record)["a"]
        return "\(value?["start"]?.text ?? "")…\(value?[isEnd ? "end" : "next"]?.text ?? "")".replacing("\"", with: "")
      }.joined(separator: " ")
  }

  @Test("By 'next', each instant of the span is in exactly one window, and the last one has 'to'")
  func before() throws {
    #expect(
      try open("2024-01-30", "2024-02-03", "2d")
        == "2024-01-30…2024-02-01 2024-02-01…2024-02-03 2024-02-03…2024-02-04")
    #expect(
      try open("2024-01-01T00:00:00Z", "2024-01-01T01:30:00Z", "1h")
        == "2024-01-01T00:00:00Z…2024-01-01T01:00:00Z 2024-01-01T01:00:00Z…2024-01-01T01:30:01Z")
    #expect(
      try open("2024-01-01T00:00:00Z", "2024-01-01T00:00:59.999Z", "1m")
        == "2024-01-01T00:00:00Z…2024-01-01T00:01:00Z")
    #expect(try open(1, 10, "4") == "1…5 5…9 9…11")
    #expect(try open("9999-12-31", "9999-12-31") == "9999-12-31…null")
  }

  @Test("'as' spells the ends, and with a time of day a date is all of its day")
  func forms() throws {
    #expect(
      try open("2024-01-30", "2024-01-31", as: "seconds") == "1706572800…1706659200 1706659200…1706745600")
    #expect(
      try open("2024-01-30", "2024-01-31", as: "seconds", isEnd: true)
        == "1706572800…1706659199 1706659200…1706745599")
    #expect(
      try open("2024-01-30", "2024-01-30T12:00:00Z", "1d", as: "milliseconds", isEnd: true)
        == "1706572800000…1706616000000")
    #expect(
      try open("2024-01-30", "2024-01-30", as: "%Y-%m-%dT%H:%M:%S.%fZ", isEnd: true)
        == "2024-01-30T00:00:00.000000Z…2024-01-30T23:59:59.999999Z")
    #expect(try open("2024-01-30T10:00:00Z", "${now}", "2y", as: "%d/%m/%Y") == "30/01/2024…02/01/2026")
    #expect(try open("2024-01-01", "2024-01-02", as: "%d.%m.") == "01.01.…02.01. 02.01.…03.01.")
    #expect(try open(1_706_572_800, "${epoch}", "2y", as: "seconds") == "1706572800…1767225601")
    #expect(try open("31/01/2024", "02/02/2024", as: "%d/%m/%Y", isEnd: true).hasPrefix("31/01/2024…31/01/2024 01/02"))
    #expect(
      try open("2024-01-01T00:00:00.7Z", "2024-01-01T00:00:02.9Z", "1s", as: "seconds", isEnd: true)
        == "1704067200…1704067200 1704067201…1704067201 1704067202…1704067202")
  }

  static let faults: [(from: TemplateValue, to: TemplateValue, step: String?, problem: String)] = [
    (1, "2024-01-01", nil, "'from' is a whole number and 'to' is a date; both are of one kind"),
    (1, "${now}", nil, "'from' is a whole number and 'to' is a time; both are of one kind"),
    ("2024-01-01", "${now}", "1h", "a step over dates is in days, weeks, months or years, such as 1d or 1mo"),
    ("${now}", "${now}", nil, "a span of times needs a 'step', such as 1h or 1d"),
    ("2024-01-01", "2024-01-02", "1h", "a step over dates is in days, weeks, months or years, such as 1d or 1mo"),
    ("2024-01-01", "2024-01-02", "1", "a 'step' is such as 1h, 1d, 1w or 1mo"),
    (1, 2, "1d", "a step over whole numbers has no unit"),
    (1, 2, "0", "a 'step' is more than 0"), (1, 2, "-1", "a 'step' is more than 0"),
    (1, 2, "", "the 'step' '' has no number: write a whole number"),
    (1, 2, "x", "the 'step' 'x' has no number: write a whole number"),
    (1, 2, "99999999999999999999", "the 'step' is too large"),
    ("2024-01-01", "2024-01-02", "9223372036854775807w", "the 'step' is too large"),
    ("${param.text}", 2, nil, #""a b" is not a date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"#),
    ("${env.KEY}", 2, nil, #""***" is not a date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"#),
    ("${param.none?}", 2, nil, "'a' of 'each' has an end that is missing; give its template a default: ${…:-text}"),
    ("${param.price}", 2, nil, "1.50 is not a date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"),
  ]

  @Test("A span that makes no sense is a fault of the spec", arguments: faults)
  func refuses(from: TemplateValue, to: TemplateValue, step: String?, problem: String) {
    let job = makeJob("x") { job in
      job.each = Each(axes: [.init(name: "a", values: .span(from: from, to: to, step: step), position: job.position)])
    }
    let fault = faultOf { () throws(ParameterError) in try makePlan(job) }
    #expect(fault?.problem == problem)
    #expect(fault?.isConfiguration == true)
  }
}
