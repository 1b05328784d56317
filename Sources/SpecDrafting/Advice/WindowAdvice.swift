// The comment about times in a request: how to fetch window by window, and only what is new.

import FetchPlan
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
      times.filter { $0.end == .end && $0.part == start.part && $0.form == start.form }.map { (start, $0) }
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
    let whole = (length: steps.whole, member: "end", when: "is in the window")
    let open = (length: steps.open, member: "next", when: "is not in the window")
    let ways = isOpen(start, end) ? [open, whole] : [whole, open]
    func each(_ way: Int, from: String) -> String {
      "  each: { span: { from: \(from), to: \(now), window: \(ways[way].length)\(form) } }"
    }
    func block(_ way: Int) -> [String] {
      ["  \(end.formatted("${input.span.\(ways[way].member)}"))", each(way, from: start.scalar)]
    }
    func increment(_ way: Int) -> [String] {
      [
        each(way, from: "\"${since}\""),
        "  incremental: { mark: \"${input.span.next}\"\(form), start: \(start.scalar) }",
      ]
    }
    let names = "'\(start.name)' and '\(end.name)' in '\(start.part)'"
    return [
      "\(names) look like a window of time. See whether a record of the end '\(end.value)' is in the window.",
      "To fetch window by window, write the first as",
      "  \(start.formatted("${input.span.start}"))",
      "and, if the end \(ways[0].when), the second so, and add 'each':",
    ] + block(0) + ["Or, if the end \(ways[1].when):"] + block(1) + [
      "To fetch only what is new since the last run, with --state FILE, add instead, if the end \(ways[0].when):"
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
      "'\(start.name)' in '\(start.part)' is a time. To fetch only what is new since the last run, with --state FILE, write it as",
      "  \(start.formatted(template))",
      "and add ('mark' is '\(name)': \(question)):",
      "  incremental: { mark: \(YAMLScalar.text(name, inFlow: true)), start: \(text)\(kind) }",
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

// A time in a request: its form, and its place in the draft.

/// An item of a request whose value is a time, and whose name says which end of a window it is.
struct RequestTime {
  /// Part of the draft that has the item.
  enum Part: String {
    case query, form, body, endpoint
  }

  /// Spelling of a time.
  enum Form: Hashable {
    case date, rfc3339, seconds, milliseconds
    /// A date without hyphens.
    case digits

    /// The value of `as`; nil for the forms that a span has by itself.
    var name: String? {
      switch self {
      case .date, .rfc3339: nil
      case .seconds: "seconds"
      case .milliseconds: "milliseconds"
      case .digits: "\"%Y%m%d\""
      }
    }

    /// True if the form shows no time of day.
    var isDay: Bool { self == .date || self == .digits }
  }

  enum End: Hashable { case start, end }

  let name: String
  let value: String
  let part: Part
  let form: Form
  let end: End
  let timestamp: Timestamp

  /// Words of a name that begin or end a window.
  private static let starts: Set = [
    "from", "start", "starts", "since", "after", "begin", "beginning", "min", "oldest", "gte", "gt", "lower",
  ]
  private static let ends: Set = [
    "to", "end", "ends", "until", "before", "max", "latest", "lte", "lt", "upper", "till", "through",
  ]

  /// Words of a name that is about something else than time.
  private static let others: Set = [
    "id", "ids", "page", "index", "row", "offset", "cursor", "token", "key", "price", "size",
  ]

  /// Nil if the value is no time, or if the name does not say which end of a window it is.
  init?(name: String, value: String, part: Part) {
    let words = Self.words(of: name)
    guard Self.others.isDisjoint(with: words) else { return nil }
    guard
      let end = words.contains(where: Self.starts.contains)
        ? End.start : words.contains(where: Self.ends.contains) ? .end : nil,
      let (form, timestamp) = Self.time(value)
    else { return nil }
    (self.name, self.value, self.part, self.end) = (name, value, part, end)
    (self.form, self.timestamp) = (form, timestamp)
  }

  /// The words of `created_after`, `startDate` and `filter[from]`, in lower case.
  private static func words(of name: String) -> [String] {
    let parts = name.replacing(#/([a-z0-9])([A-Z])/#) { "\($0.1)_\($0.2)" }
    return parts.lowercased().split { !$0.isLetter }.map(String.init)
  }

  private static func time(_ value: String) -> (Form, Timestamp)? {
    if let date = Timestamp(rfc3339: value + "T00:00:00Z"), value.utf8.count == 10 { return (.date, date) }
    if let time = Timestamp(rfc3339: value) { return (.rfc3339, time) }
    guard value.utf8.allSatisfy(\.isDigit), let number = Int(value) else { return nil }
    switch value.utf8.count {
    // Eight digits that are a date of this age.
    case 8 where value.hasPrefix("19") || value.hasPrefix("20"):
      let text = "\(value.prefix(4))-\(value.dropFirst(4).prefix(2))-\(value.suffix(2))T00:00:00Z"
      return Timestamp(rfc3339: text).map { (.digits, $0) }
    case 10: return Timestamp(seconds: number).map { (.seconds, $0) }
    case 13: return Timestamp(seconds: number / 1000).map { (.milliseconds, $0) }
    default: return nil
    }
  }

  /// Returns the times of a request.
  static func all(in draft: SpecDraft) -> [RequestTime] {
    let body = draft.body.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return draft.query.compactMap { RequestTime(name: $0.name, value: $0.value, part: .query) }
      + URLItem.all(in: draft.endpoint).compactMap { RequestTime(name: $0.name, value: $0.value, part: .endpoint) }
      + draft.form.compactMap { RequestTime(name: $0.name, value: $0.value, part: .form) }
      + (body.map { leaves(of: $0) } ?? [])
  }

  private static func leaves(of value: JSONValue) -> [RequestTime] {
    switch value.kind {
    case .object:
      value.members.flatMap { member -> [RequestTime] in
        guard [.string, .number].contains(member.value.kind) else { return leaves(of: member.value) }
        let text = member.value.string ?? member.value.text
        return RequestTime(name: member.name, value: text, part: .body).map { [$0] } ?? []
      }
    case .array: value.elements.flatMap { leaves(of: $0) }
    case .string, .number, .boolean, .null: []
    }
  }

  /// Returns the item with a template in place of its value, as the draft spells it.
  func formatted(_ template: String) -> String {
    switch part {
    case .query, .form: "\(YAMLScalar.text(name)): \"\(template)\""
    case .endpoint: "\(name)=\(template)"
    case .body: "\(JSONValue(name).text): \"\(template)\""
    }
  }

  /// The value as a span or `start` of `incremental` spells it.
  var scalar: String { form == .digits ? "\"\(value)\"" : value }
}
