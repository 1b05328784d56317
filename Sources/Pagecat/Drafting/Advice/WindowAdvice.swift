// The comment about times in a request: how to fetch window by window, and only what is new.

import JSONText
import Primitives

/// Advice about a window of time in a request, or about a time since which records are asked for.
struct WindowAdvice {
  let lines: [String]

  /// Nil if the request has no such times.
  ///
  /// - Parameter records: the first records, among whose members the time of each may be.
  init?(_ draft: SpecDraft, records: [JSONValue]) {
    let times = RequestTime.all(in: draft)
    guard let start = times.first(where: { $0.end == .start }) else { return nil }
    let end = times.first { $0.end == .end && $0.place == start.place && $0.form == start.form }
    if let end, start.timestamp < end.timestamp || start.timestamp == end.timestamp {
      lines = Self.window(start, end)
    } else {
      lines = Self.since(start, records)
    }
  }

  private static let secondsPerHour = 3600

  private static func window(_ start: RequestTime, _ end: RequestTime) -> [String] {
    let seconds = end.timestamp.seconds - start.timestamp.seconds
    // The end of a window of days, or of 23:59:59, is in the window.
    let isInside = start.form.isDay || (seconds + 1) % secondsPerHour == 0
    let unit = start.form.isDay ? Timestamp.secondsPerDay : 1
    let span = "step: \(step(isInside ? seconds + unit : seconds))"
    let form = start.form.name.map { ", as: \($0)" } ?? ""
    let now = start.form.isDay ? "\"${today}\"" : "\"${now}\""
    let (key, other) = isInside ? ("end", "before") : ("before", "end")
    let mark = isInside ? "next" : "to"
    let marked = isInside ? ", before: next" : ""
    let kind = start.form.name.map { ", as: \($0)" } ?? ""
    return [
      "'\(start.name)' and '\(end.name)' in '\(start.place)' are a window of time. To fetch window by window, write them as",
      "  \(start.spelled("${record.from}"))",
      "  \(end.spelled("${record.to}"))",
      "and add ('\(other): to' in place of '\(key): to' if the end is \(isInside ? "not " : "")in the window, too):",
      "  each: { from: { from: \(start.scalar), to: \(now), \(span), \(key): to\(form) } }",
      "To fetch only what is new since the last run, with --state FILE, add instead:",
      "  each: { from: { from: \"${since}\", to: \(now), \(span), \(key): to\(marked)\(form) } }",
      "  incremental: { mark: \"${record.\(mark)}\"\(kind), start: \(start.scalar) }",
    ]
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
      "  incremental: { mark: \(SpecDraft.scalar(name)), start: \(text)\(kind) }",
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
