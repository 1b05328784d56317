// Decodes `each`: lists, and spans over dates, times and whole numbers.

import YAMLText

internal import Diagnostics
internal import JSONText
internal import Primitives

extension NodeDecoder {
  mutating func each(_ node: Node) -> Each? {
    let advice = "write '{ id: [1, 2] }'; the records are '${record.id}'"
    guard case .map(let entries) = node.content, !entries.isEmpty else {
      refuse(node, expected: "a map of members and their values", advice: advice)
      return nil
    }
    let before = mistakes.count
    let axes = (named(node, expected: "a map") ?? []).compactMap { axis($0) }
    checkEnds(axes, entries)
    return mistakes.count == before ? Each(axes: axes) : nil
  }

  /// Checks that a window's end is a member of its own.
  private mutating func checkEnds(_ axes: [Each.Axis], _ entries: [Node.Entry]) {
    var names = Set(entries.map(\.key))
    for axis in axes {
      guard case .span(_, _, _, let end?) = axis.values, !names.insert(end).inserted else { continue }
      let entry = entries.first { $0.key == axis.name }
      let key = entry.flatMap { self.entries(of: $0.value) }?.first { $0.key == "end" }
      refuse("'\(end.printable)' is another member already", at: key?.value.range ?? 0..<0)
    }
  }

  private mutating func axis(_ entry: Node.Entry) -> Each.Axis? {
    let values: Each.Values?
    switch entry.value.content {
    case .list(let nodes): values = .list(nodes.compactMap { value($0, .each) })
    case .map: values = span(entry.value)
    case .string(let text) where text.hasPrefix("${param."):
      guard let value = value(entry.value, .each) else { return nil }
      values = .list([value])
    default:
      refuse(entry.value, expected: "a list, or a span", advice: "write '[1, 2]' or '{ from: 1, to: 2 }'")
      return nil
    }
    let place = source.place(at: entry.keyRange.lowerBound)
    return values.map { Each.Axis(name: entry.key, values: $0, place: place) }
  }

  private mutating func span(_ node: Node) -> Each.Values? {
    let before = mistakes.count
    var draft = SpanDraft()
    guard let entries = map(node, keys: SpecKeys.spanKeys, into: &draft) else { return nil }
    for name in ["from", "to"] where !entries.contains(where: { $0.key == name }) && !suggested.contains(name) {
      refuse("no '\(name)' in the span", at: entries.first?.keyRange ?? node.range)
    }
    guard mistakes.count == before, let from = draft.from, let to = draft.to else { return nil }
    checkUnits(from, to, draft.step)
    return .span(from: from.value, to: to.value, step: draft.step?.text, end: draft.end)
  }

  // MARK: Bounds and steps

  mutating func bound(_ node: Node) -> SpanDraft.Bound? {
    guard let value = value(node, .each) else { return nil }
    switch value {
    case .constant(let constant, _):
      guard Int(constant.text) != nil else { break }
      return SpanDraft.Bound(value: value, unit: .integer, range: node.range)
    case .string(let template):
      guard let unit = unit(of: template) else { break }
      return SpanDraft.Bound(value: value, unit: unit, range: node.range)
    case .list, .map:
      break
    }
    refuse(node, expected: "a date, a time or a whole number", advice: "write 2024-01-31, 2024-01-31T00:00:00Z or 1")
    return nil
  }

  /// Nil for what is none; nil inside for what depends on templates.
  func unit(of template: Template) -> SpanDraft.Unit?? {
    if let text = template.literal { return SpanDraft.Unit(dateOrTime: text).map { .some($0) } }
    switch template.onlyHole?.root {
    case .today: return .date
    case .now: return .time
    case .epoch: return .integer
    default: return .some(nil)
    }
  }

  mutating func step(_ node: Node) -> SpanDraft.Step? {
    let advice = "write '1d', '15m' or 10, of more than 0; units are s, m, h, d and w"
    switch node.content {
    case .number(let text):
      guard let number = Int(text), number > 0 else { break }
      return SpanDraft.Step(text: String(number), unit: nil, range: node.range)
    case .string(let text):
      guard let step = Quantity(text), step.number > 0 else { break }
      if step.unit.isEmpty { return SpanDraft.Step(text: String(step.number), unit: nil, range: node.range) }
      guard let unit = TimeUnit(rawValue: step.unit) else { break }
      guard step.number <= 10_000 * 366 * 86_400 / unit.seconds else { break }
      return SpanDraft.Step(text: text, unit: unit, range: node.range)
    default:
      break
    }
    refuse(node, expected: "a step", advice: advice)
    return nil
  }

  private mutating func checkUnits(_ from: SpanDraft.Bound, _ to: SpanDraft.Bound, _ step: SpanDraft.Step?) {
    guard let error = SpanError(from: from.unit, to: to.unit, step: step?.text) else { return }
    refuse(error.message, at: error.isOfStep ? step?.range ?? to.range : to.range, advice: error.advice)
  }
}
