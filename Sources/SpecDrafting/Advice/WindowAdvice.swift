// The comment about times in a request: how to fetch window by window, and only what is new.

import JSONText
import Primitives
import YAMLText

/// Advice about a window of time in a request, or about a time since which records are asked for.
struct WindowAdvice {
  let lines: [String]

  /// Nil if the request has no such times.
  ///
  /// - Parameter records: the first records, among whose members the time of each may be.
  init?(_ draft: SpecDraft, records: [JSONValue]) {
    let times = RequestTime.all(in: draft)
    let pairs = times.filter { $0.end == .start }.flatMap { start in
      times.filter { $0.end == .end && $0.place == start.place && $0.form == start.form }.map { (start, $0) }
    }
    let pair = pairs.first { Self.belongTogether($0.name, $1.name) } ?? pairs.first
    guard let start = pair?.0 ?? times.first(where: { $0.end == .start }) else { return nil }
    let end = pair?.1
    if let end, start.timestamp < end.timestamp || start.timestamp == end.timestamp {
      lines = Self.window(start, end)
    } else {
      lines = Self.since(start, records)
    }
  }

  private static let secondsPerHour = 3600
  private static let opposites = [
    ("from", "to"), ("start", "end"), ("begin", "end"), ("since", "until"), ("since", "till"), ("after", "before"),
    ("min", "max"), ("gte", "lte"), ("gte", "lt"), ("gt", "lt"), ("first", "last"),
  ]

  /// Reports that two names differ in words such as `from` and `to` only.
  private static func belongTogether(_ start: String, _ end: String) -> Bool {
    let (start, end) = (start.lowercased(), end.lowercased())
    return opposites.contains { start.contains($0) && start.replacing($0, with: $1) == end }
  }

  private static func window(_ start: RequestTime, _ end: RequestTime) -> [String] {
    let form = start.form.name.map { ", as: \($0)" } ?? ""
    let now = start.form.isDay ? "\"${today}\"" : "\"${now}\""
    let steps = steps(start, end)
    let whole = (step: steps.whole, key: "end: to", mark: "next", other: ", before: next", when: "is in the window")
    let open = (step: steps.open, key: "before: to", mark: "to", other: "", when: "is not in the window")
    let ways = isOpen(start, end) ? [open, whole] : [whole, open]
    func each(_ way: Int, from: String, other: String) -> String {
      "  each: { from: { from: \(from), to: \(now), step: \(ways[way].step), \(ways[way].key)\(other)\(form) } }"
    }
    func increment(_ way: Int) -> [String] {
      [
        each(way, from: "\"${since}\"", other: ways[way].other),
        "  incremental: { mark: \"${record.\(ways[way].mark)}\"\(form), start: \(start.scalar) }",
      ]
    }
    let names = "'\(start.name)' and '\(end.name)' in '\(start.place)'"
    return [
      "\(names) look like a window of time. See whether a record of the end '\(end.value)' is in the window.",
      "To fetch window by window, write the two as",
      "  \(start.spelled("${record.from}"))",
      "  \(end.spelled("${record.to}"))",
      "and, if the end \(ways[0].when), add:",
      each(0, from: start.scalar, other: ""),
      "Or, if the end \(ways[1].when), add:",
      each(1, from: start.scalar, other: ""),
      "To fetch only what is new since the last run, with --state FILE, add instead, if the end \(ways[0].when):",
    ] + increment(0) + ["Or, if the end \(ways[1].when):"] + increment(1)
  }

  /// Reports that the end of a window is rather not in the window.
  ///
  /// Days are whole months or weeks then, or one day; times end at a full hour or later, not at 23:59:59.
  private static func isOpen(_ start: RequestTime, _ end: RequestTime) -> Bool {
    let seconds = end.timestamp.seconds - start.timestamp.seconds
    guard start.form.isDay else { return (seconds + 1) % secondsPerHour != 0 }
    let days = seconds / Timestamp.secondsPerDay
    let isMonths = start.timestamp.rfc3339.prefix(10).suffix(2) == end.timestamp.rfc3339.prefix(10).suffix(2)
    return days > 0 && (isMonths || days % 7 == 0 || days == 1)
  }

  /// Returns the steps of windows that are as long as the request's own, with and without the end.
  private static func steps(_ start: RequestTime, _ end: RequestTime) -> (whole: String, open: String) {
    let seconds = end.timestamp.seconds - start.timestamp.seconds
    guard start.form.isDay else {
      // The second that a window to 23:59:59 has less is the distance of the next window.
      let step = step((seconds + 1) % secondsPerHour == 0 ? seconds + 1 : seconds)
      return (step, step)
    }
    return (step(seconds + Timestamp.secondsPerDay), step(seconds))
  }

  /// Returns a duration as `step` spells it.
  private static func step(_ seconds: Int) -> String {
    if seconds >= Timestamp.secondsPerDay, seconds % Timestamp.secondsPerDay == 0 {
      return "\(seconds / Timestamp.secondsPerDay)d"
    }
    if seconds >= secondsPerHour, seconds % secondsPerHour == 0 { return "\(seconds / secondsPerHour)h" }
    return seconds > 0 ? "\(seconds)s" : "1d"
  }

  private static func since(_ start: RequestTime, _ records: [JSONValue]) -> [String] {
    let mark = mark(of: records)
    var (template, text, kind) = ("${since}", start.scalar, "")
    switch start.form {
    case .rfc3339: break
    case .date: template = "${since:date}"
    case .digits: (template, text) = ("${since:%Y%m%d}", String(start.timestamp.rfc3339.prefix(10)))
    case .seconds, .milliseconds:
      let form = start.form.name ?? ""
      if mark?.isNumber == true {
        kind = ", as: \(form)"
      } else {
        (template, text) = ("${since:\(form)}", start.timestamp.rfc3339)
      }
    }
    let name = mark?.name ?? "updated_at"
    let question =
      mark == nil
      ? "see how the API calls the time of each record" : "if that is the time that '\(start.name)' is about"
    return [
      "'\(start.name)' in '\(start.place)' is a time. To fetch only what is new since the last run, with --state FILE, write it as",
      "  \(start.spelled(template))",
      "and add ('mark' is '\(name)': \(question)):",
      "  incremental: { mark: \(YAMLScalar.text(name)), start: \(text)\(kind) }",
    ]
  }

  private struct Mark {
    let name: String
    let isNumber: Bool
  }

  /// Words of a member that has the time of a record, the likeliest first.
  private static let markWords = ["updat", "modif", "chang", "creat", "publish", "time", "date", "at"]

  /// Returns the member of a record that may have its time.
  private static func mark(of records: [JSONValue]) -> Mark? {
    guard let record = records.first, record.kind == .object else { return nil }
    let times = record.members.compactMap { member -> Mark? in
      if let text = member.value.string,
        Timestamp(rfc3339: text) != nil || Timestamp(rfc3339: text + "T00:00:00Z") != nil
      {
        return Mark(name: member.name, isNumber: false)
      }
      let digits = member.value.text.prefix { $0 != "." }
      guard member.value.kind == .number, [10, 13].contains(digits.utf8.count) else { return nil }
      return Mark(name: member.name, isNumber: true)
    }
    for word in markWords {
      if let mark = times.first(where: { $0.name.lowercased().contains(word) }) { return mark }
    }
    return nil
  }
}
