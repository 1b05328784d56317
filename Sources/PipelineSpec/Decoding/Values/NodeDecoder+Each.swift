// Decodes `each`: lists, and spans over dates, times and whole numbers.

internal import Diagnostics
internal import JSONText
internal import Primitives
import YAMLText

extension NodeDecoder {
  mutating func each(_ node: Node) -> Each? {
    var values = "[1, 2]"
    if case .list = node.content { values = sourceText(of: node) }
    let advice = "write '{ id: \(values) }'; the records are '${input.id}'"
    guard case .map(let entries) = node.content, !entries.isEmpty else {
      refuse(node, expected: "a map of members and their values", advice: advice)
      return nil
    }
    let before = mistakes.count
    let axes = (named(node, expected: "a map", advice: nil) ?? []).compactMap { axis($0) }
    return mistakes.count == before ? Each(axes: axes) : nil
  }

  private mutating func axis(_ entry: Node.Entry) -> Each.Axis? {
    let values: Each.Values?
    switch entry.value.content {
    case .list(let nodes): values = .list(nodes.compactMap { value($0, .each) })
    case .map: values = span(entry.value, name: entry.key.printable)
    case .string(let text) where text.hasPrefix("${param."):
      guard let value = value(entry.value, .each) else { return nil }
      values = .list([value])
    case .string(let text) where text == "input" || text.hasPrefix("input.") || text.hasPrefix("input["):
      let bare = text.hasSuffix("?") ? String(text.dropLast()) : text
      guard path(bare, at: entry.value.range, example: "input.items", single: "each") != nil,
        let template = rootedPath(text, entry.value, .each)
      else { return nil }
      values = .elements(template)
    case .string(let text) where ["${record.", "${input."].contains(where: text.hasPrefix):
      let path = String(text.drop { $0 != "." }.prefix { !":}".contains($0) }).printable
      refuse("'\(text.printable)' is a path", at: entry.value.range, advice: "write 'input\(path)'")
      return nil
    default:
      let ends = entry.value.spelling.split(separator: ".").filter { Int($0) != nil }
      refuse(
        entry.value, expected: "a list, or a span",
        advice: ends.count == 2 && entry.value.spelling.contains("..")
          ? "write '{ from: \(ends[0]), to: \(ends[1]) }'"
          : "write '[1, 2]', '{ from: 1, to: 2 }', or a list of the input record, such as 'input.items'")
      return nil
    }
    let position = source.position(at: entry.keyRange.lowerBound)
    guard let name = givenName(entry.key, at: entry.keyRange) else { return nil }
    return values.map { Each.Axis(name: name, values: $0, position: position) }
  }

  private mutating func span(_ node: Node, name: String) -> Each.Values? {
    let before = mistakes.count
    var draft = SpanDraft()
    // Beside `to`, the last value, an end is that of each window.
    let hasTo = self.entries(of: node)?.contains { $0.key == "to" } == true
    let hint: Hint = { key in
      key == "end" && hasTo
        ? (
          "a span has no key 'end'",
          "write 'window: 1d' for windows, and '${input.\(name.printable).end}' for the end of each"
        )
        : nil
    }
    guard let entries = map(node, keys: SpecKeys.spanKeys, into: &draft, hint: hint) else { return nil }
    if draft.window == nil, draft.splits == true, let split = entries.first(where: { $0.key == "split" }) {
      refuse("'split' without 'window'", at: split.keyRange, advice: "write 'window: 1mo', whose windows can be halved")
    }
    for name in ["from", "to"] where !entries.contains(where: { $0.key == name }) && !suggested.contains(name) {
      refuse(
        "no '\(name)' in the span", at: entries.first?.keyRange ?? node.range,
        advice: "add '\(name): ', \(Self.boundText)")
    }
    guard mistakes.count == before, let from = draft.from, let to = draft.to else { return nil }
    draft.step = draft.window ?? draft.step
    checkUnits(from, to, draft)
    checkOrder(from, to, draft.form)
    return .span(
      Each.Span(
        from: from.value, to: to.value, step: (draft.window ?? draft.step)?.template, isWindow: draft.window != nil,
        form: draft.form, splits: draft.splits ?? false))
  }

  /// Checks that a step with `split` makes a request for each window, so that it knows which one has too many records.
  mutating func checkSplit(_ draft: JobDraft) {
    guard let each = draft.own["each"], let axes = draft.job.each?.axes else { return }
    let split = axes.filter { if case .span(let span) = $0.values { span.splits } else { false } }
    guard let first = split.first else { return }
    func refuseSplit(_ message: String, _ advice: String) { refuse(message, at: each.value.range, advice: advice) }
    let name = first.name.printable
    let reads = draft.job.requestTemplates.flatMap(\.holes).contains {
      $0.root == .input && $0.path.steps.first?.name == first.name
    }
    if split.count > 1 {
      refuseSplit("'split' of two windows", "split one of them: which one has too many records is not known")
    } else if draft.job.endpoint == nil || draft.own["download"] != nil {
      refuseSplit(
        "'split' in a step that fetches no pages", "write 'each' in the step that fetches, which sees the totals")
    } else if let other = ["batch", "match"].first(where: { draft.own[$0] != nil }) {
      refuseSplit("'split' beside '\(other)'", "a window needs requests of its own: leave '\(other)' out")
    } else if !reads {
      refuseSplit(
        "'split' of a window that the request does not read", "write '${input.\(name).start}' into the request")
    }
  }

  // MARK: Bounds and steps

  mutating func bound(_ node: Node) -> SpanDraft.Bound? {
    guard let value = value(node, .each) else { return nil }
    switch value {
    case .constant(let constant, _):
      guard Int(constant.text) != nil else { break }
      return SpanDraft.Bound(value: value, unit: .integer, range: node.range)
    case .string(let template):
      // Another text may have the form that `as` names, which may follow.
      let unit = template.spanUnit
      return SpanDraft.Bound(value: value, unit: unit, range: node.range)
    case .list, .map:
      break
    }
    refuse(node, expected: Self.boundText, advice: Self.boundAdvice)
    return nil
  }

  private static let boundText = "a date, a time or a whole number"
  private static let boundAdvice = "write 2024-01-31, 2024-01-31T00:00:00Z or 1"

  mutating func step(_ node: Node) -> SpanDraft.Step? {
    let units = ["s", "m", "h", "d", "w", "mo", "y"]
    let likely = Quantity.likely(node.spelling, units: units).flatMap { $0.isStep ? $0 : nil }
    let advice =
      likely.map { "write '\($0)'" } ?? "write '1d', '15m' or 10, of more than 0; units are s, m, h, d, w, mo and y"
    guard let text = node.stepText, let template = template(text, node, .each) else {
      if node.stepText == nil { refuse(node, expected: "a step", advice: advice) }
      return nil
    }
    let step = SpanDraft.Step(template, range: node.range)
    guard let literal = template.literal, !literal.isStep else { return step }
    refuse(node, expected: "a step", advice: advice)
    return nil
  }

  private mutating func checkUnits(_ from: SpanDraft.Bound, _ to: SpanDraft.Bound, _ draft: SpanDraft) {
    let (isFromRead, isToRead) = (from.isRead(as: draft.form), to.isRead(as: draft.form))
    for (bound, isRead) in [(from, isFromRead), (to, isToRead)] where bound.isOtherText && !isRead {
      let form = draft.form.map { ", or a time of the form '\($0.spelling.printable)'" } ?? ""
      let text = bound.literal.map { "the text '\($0.printable)'" } ?? "a text"
      refuse("expected \(Self.boundText)\(form), found \(text)", at: bound.range, advice: Self.boundAdvice)
    }
    let units = [isFromRead ? nil : from.unit, isToRead ? nil : to.unit].compactMap { $0 }
    if let form = draft.form {
      for bound in [from, to] where bound.isEpoch && form != .seconds {
        refuse(
          "'epoch' is in seconds, and 'as' says '\(form.spelling.printable)'", at: bound.range, advice: "write '${now}'"
        )
      }
      // A form reads numbers as times and spells dates as times, so dates and times may be mixed.
      if units.contains(.integer), !form.isNumber {
        refuse(
          "'as' is of times, and the span is of whole numbers",
          at: isFromRead || from.unit != .integer ? to.range : from.range,
          advice: "leave out 'as', or write times of the form '\(form.spelling.printable)'")
      }
      if let step = draft.step, let shift = step.template.literal.flatMap({ CivilShift($0) }),
        CivilShift(1, form.smallestUnit).map(shift.isShorter) == true
      {
        refuse(
          "a step that is too short for the form '\(form.spelling.printable)', which would spell several values alike",
          at: step.range, advice: "write a longer step, or a form with more in it")
      }
      return
    }
    guard let error = SpanError(from: from.unit, to: to.unit, step: draft.step) else { return }
    refuse(error.message, at: error.isOfStep ? draft.step?.range ?? to.range : to.range, advice: error.advice)
  }
}

extension NodeDecoder {
  /// Refuses a span of dates or times that has no value; a span of numbers may have none.
  private mutating func checkOrder(_ from: SpanDraft.Bound, _ to: SpanDraft.Bound, _ form: TimeForm?) {
    guard let first = from.timestamp(form), let last = to.timestamp(form), first.seconds > last.seconds,
      // A date and a time are compared as dates, and a time may belong to two.
      from.unit == to.unit || first.seconds - last.seconds > Timestamp.secondsPerDay
    else { return }
    refuse(
      "'from' is after 'to', so that nothing would be fetched", at: to.range, advice: "write the earlier one as 'from'")
  }
}

extension Template {
  /// Unit of a span's end with this text; nil if the text is no end, or if only a run knows the value.
  var spanUnit: SpanDraft.Unit? {
    if let literal { return SpanDraft.Unit(dateOrTime: literal) }
    guard let hole = onlyHole else { return nil }
    if hole.isAge { return .integer }
    if let form = hole.form { return SpanDraft.Unit(of: form) }
    return switch hole.root {
    case .today: .date
    case .now: .time
    case .epoch: .integer
    default: nil
    }
  }
}

extension SpanDraft.Bound {
  /// The text of a constant, or of a text without templates.
  fileprivate var literal: String? {
    switch value {
    case .constant(let constant, _): constant.string ?? constant.text
    case .string(let template): template.literal
    case .list, .map: nil
    }
  }

  /// The start of a date, or a time; nil if it is neither, or if only a run knows it.
  fileprivate func timestamp(_ form: TimeForm?) -> Timestamp? {
    guard let literal else { return nil }
    if let date = CivilDate(literal) { return Timestamp(seconds: date.daysSince1970 * Timestamp.secondsPerDay) }
    return Timestamp(rfc3339: literal) ?? form?.timestamp(of: Array(literal.utf8)[...])
  }

  /// True for a text that is no date and no time.
  fileprivate var isOtherText: Bool {
    if case .string = value { literal != nil && unit == nil } else { false }
  }

  /// True if a form other than those by name reads the literal.
  fileprivate func isRead(as form: TimeForm?) -> Bool {
    guard case .pattern? = form, let literal else { return false }
    return form?.timestamp(of: Array(literal.utf8)[...]) != nil
  }

  fileprivate var isEpoch: Bool {
    if case .string(let template) = value, let hole = template.onlyHole {
      hole.root == .epoch && hole.form == nil
    } else {
      false
    }
  }
}

extension Node {
  /// Text of a step; a number has its spelling.
  fileprivate var stepText: String? {
    switch content {
    case .number(let text): text
    case .string(let text): text
    default: nil
    }
  }
}

extension String {
  /// True if the text is a whole number above 0, or one with a unit of time.
  fileprivate var isStep: Bool {
    guard let quantity = Quantity(self), quantity.number > 0 else { return false }
    return quantity.unit.isEmpty || CivilShift(self) != nil
  }
}

// MARK: Decodes `incremental`: the member that says how new a record is, and the start of the first run

extension NodeDecoder {
  mutating func incremental(_ node: Node) -> Incremental? {
    if case .string = node.content { return mark(node).map { Incremental(mark: $0) } }
    var draft = IncrementalDraft()
    guard let entries = map(node, keys: SpecKeys.incrementalKeys, into: &draft) else { return nil }
    if !entries.contains(where: { $0.key == "mark" }), !suggested.contains("mark") {
      refuse("'incremental' without 'mark'", at: node.range, advice: "name the member that says how new a record is")
    }
    return draft.mark.map {
      Incremental(
        mark: $0, start: draft.start, form: draft.form, by: draft.by, only: draft.only,
        expired: draft.expired)
    }
  }

  /// Returns a path in fetched records, or a template that reads the input record, the clock or the last page.
  mutating func mark(_ node: Node) -> Incremental.Mark? {
    guard case .string(let text) = node.content, text.contains("${") else { return markPath(node).map { .member($0) } }
    guard let template = template(text, node, .mark) else { return nil }
    switch template.onlyHole?.root {
    case .input: return .input(template)
    case .now, .today, .epoch: return .run(template)
    case .body, .headers: return .answer(template)
    default:
      let advice = "a member of the fetched records is written without '${…}'"
      refuse(
        "'mark' is one value of the input record, the clock or the last page", at: node.range,
        advice: "write '${input.until}', '${now}' or '${body.nextSyncToken}' alone; \(advice)")
      return nil
    }
  }

  mutating func only(_ node: Node) -> Incremental.Only? {
    if case .string(let text) = node.content, text.contains("${") || Incremental.Only(rawValue: text) != nil {
      return word(node, Incremental.Only.self)
    }
    refuse(
      node, expected: "'new' or 'all'",
      advice: "without 'only', a record comes out again only if its mark or its bytes have changed")
    return nil
  }

  /// Returns the path of a mark.
  mutating func markPath(_ node: Node) -> JSONPath? { path(node, example: "updated_at", single: "incremental") }

  mutating func start(_ node: Node) -> TemplateValue? {
    switch node.content {
    case .number, .string: return value(node, .start)
    case .null, .boolean, .list, .map:
      refuse(node, expected: "text or a number", advice: "write 2024-01-31, 2024-01-31T00:00:00Z or 1")
      return nil
    }
  }
}

// Decodes forms of times: `date`, `milliseconds`, `%d/%m/%Y`.

internal import Diagnostics
internal import Primitives

extension NodeDecoder {
  private static let forms = TimeForm.named.map { "'\($0.name)'" }.joined(separator: ", ") + " or a pattern"

  mutating func timeForm(_ node: Node) -> TimeForm? {
    guard case .string(let text) = node.content else {
      refuse(node, expected: "one of \(Self.forms)")
      return nil
    }
    if let form = TimeForm(text) { return form }
    let near = suggestion(for: text, among: TimeForm.named.map(\.name))
    refuse(
      "expected one of \(Self.forms), found '\(text.printable)'", at: node.range,
      advice: near.map { "did you mean '\($0)'?" }
        ?? "a pattern such as '%d/%m/%Y' is made of \(TimePattern.fieldNames)")
    return nil
  }

  /// Returns a form in which times can be read.
  mutating func readableForm(_ node: Node) -> TimeForm? {
    guard let form = timeForm(node) else { return nil }
    guard let found = form.readingProblem else { return form }
    refuse("'\(form.spelling.printable)' \(found.problem)", at: node.range, advice: found.remedy)
    return nil
  }
}
