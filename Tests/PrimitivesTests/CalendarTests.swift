import Foundation
import Primitives
import TestSupport
import Testing

/// The calendar and the forms of times, against Python's.
@Suite("The calendar is Python's", .limitedConcurrency)
struct CalendarTests {
  struct Case {
    let seconds: Int
    let (number, unit): (Int, CivilShift.Unit)
    let later: String
    let (pattern, text): (String, String)

    init?(_ line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 5, let seconds = Int(fields[0]),
        let number = Int(fields[1].prefix { !$0.isLetter }),
        let unit = CivilShift.Unit(rawValue: String(fields[1].drop { !$0.isLetter }))
      else { return nil }
      (self.seconds, self.number, self.unit) = (seconds, number, unit)
      (later, pattern, text) = (fields[2], fields[3], fields[4])
    }
  }

  private static func cases() throws -> [Case] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", root.appending(path: ".ci/calendar").path]
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Case($0) }
  }

  @Test(
    "for 100,000 shifts by units of time, months and years, and for as many patterns, written and read",
    .needs("python3"))
  func agree() throws {
    let cases = try Self.cases()
    #expect(cases.count == 100_000)
    var wrong: [String] = []
    for one in cases {
      let time = try #require(Timestamp(seconds: one.seconds))
      let later = CivilShift(one.number, one.unit).flatMap { time.shifted(by: $0) }?.rfc3339 ?? "none"
      if later != one.later {
        wrong.append("\(time.rfc3339) \(one.number)\(one.unit.rawValue): \(later), not \(one.later)")
      }
      let form = try #require(TimePattern(one.pattern).map { TimeForm.pattern($0) })
      if form.written(time) != one.text {
        wrong.append("\(one.pattern): \(form.written(time)), not \(one.text)")
      } else if !one.pattern.contains("%y"), let read = form.timestamp(of: Array(one.text.utf8)[...]),
        form.written(read) != one.text
      {
        wrong.append("\(one.pattern): '\(one.text)' is read as \(read.rfc3339)")
      }
      let isWhole = one.pattern.hasSuffix("T%H:%M:%S") || one.pattern.hasSuffix("%z") && one.pattern.contains("T%H")
      if isWhole, form.timestamp(of: Array(one.text.utf8)[...])?.seconds != one.seconds {
        wrong.append("\(one.pattern): '\(one.text)' is not read back")
      }
    }
    #expect(wrong.prefix(10) == [])
  }

  @Test(
    "Patterns are read with the fields that they have",
    arguments: [
      ("%d/%m/%Y", "31/01/2024", "2024-01-31T00:00:00Z"), ("%d/%m/%Y", "1/2/2024", "2024-02-01T00:00:00Z"),
      ("%d/%m/%Y", "31/02/2024", nil), ("%d/%m/%Y", "31/01/2024x", nil), ("%Y-%m", "2024-02", "2024-02-01T00:00:00Z"),
      ("%Y-%m-%d %H:%M:%S.%f", "2024-02-29 23:59:59.25", "2024-02-29T23:59:59.25Z"),
      ("%d %b %y", "05 aug 68", "2068-08-05T00:00:00Z"), ("%d %b %y", "05 Aug 69", "1969-08-05T00:00:00Z"),
      ("%Y-%jT%H%z", "2024-366T01+02:00", "2024-12-30T23:00:00Z"), ("%Y-%j", "2023-366", nil),
      ("%s", "1700000000", "2023-11-14T22:13:20Z"), ("%s", "-1", "1969-12-31T23:59:59Z"),
      ("%s", "99999999999999999999", nil), ("100%% %Y", "100% 2024", "2024-01-01T00:00:00Z"), ("%m", "01", nil),
      ("%H:%M:%S %d.%m.%Y", "23:59:60 31.12.2016", "2016-12-31T23:59:60Z"), ("%Y é", "2024 é", "2024-01-01T00:00:00Z"),
      ("/Date(%Q+0000)/", "/Date(1573755038123+0000)/", "2019-11-14T18:10:38.123Z"),
      ("%Q", "-1500", "1969-12-31T23:59:58.5Z"), ("%Q", "x", nil),
      ("%a, %d %b %Y %H:%M:%S GMT", "Wed, 31 Jan 2024 00:00:01 GMT", "2024-01-31T00:00:01Z"),
      ("%A %d/%m/%Y", "monday 01/01/2024", "2024-01-01T00:00:00Z"), ("%a %Y", "Foo 2024", nil),
    ] as [(String, String, String?)])
  func reads(pattern: String, text: String, time: String?) throws {
    #expect(try #require(TimePattern(pattern)).timestamp(of: text) == time)
  }

  @Test("Milliseconds and weekdays are written", arguments: [0, -1, 86_400 * 4, 1_706_659_200, -86_400 * 365])
  func writesOthers(seconds: Int) throws {
    let time = try #require(Timestamp(seconds: seconds, fraction: Array("25".utf8)))
    let text = TimeForm.pattern(try #require(TimePattern("%Q %a %A"))).written(time)
    let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    let day = days[(Int((Double(seconds) / 86_400).rounded(.down)) % 7 + 7) % 7]
    #expect(text == "\(seconds * 1_000 + 250) \(day.prefix(3)) \(day)")
  }

  @Test(
    "What can't be read is told, and what to write",
    arguments: [
      ("%d/%m", "says no year"), ("%s%f", "can't be read: digits follow %s, which takes all digits"),
      ("/Date(%s000)/", "can't be read: digits follow %s, which takes all digits"), ("%s.%f", nil), ("%s%z", nil),
      ("%Q%Y", "can't be read: digits follow %Q, which takes all digits"), ("%Y-%m", nil),
    ] as [(String, String?)])
  func problems(pattern: String, problem: String?) throws {
    #expect(try #require(TimeForm(pattern)).readingProblem?.problem == problem)
  }

  @Test(
    "A text without a field, or with one that is not known, is no form", arguments: ["", "dat", "%q", "%", "%%", "x"])
  func refuses(text: String) {
    #expect(TimeForm(text) == nil)
  }

  @Test("Shifts are at most ten thousand years")
  func bounds() {
    #expect(CivilShift("10000y") != nil && CivilShift("10001y") == nil && CivilShift("9223372036854775807w") == nil)
    #expect(CivilShift("mo") == nil && CivilShift("-1d") == nil && CivilShift("1mon") == nil)
    #expect(Timestamp(seconds: 0)?.shifted(by: CivilShift("9000y") ?? .none) == nil)
  }
}

extension TimePattern {
  fileprivate func timestamp(of text: String) -> String? {
    TimeForm.pattern(self).timestamp(of: Array(text.utf8)[...])?.rfc3339
  }
}
