// Decodes `incremental`: the member that says how new a record is, and the start of the first run.

import YAMLText

internal import Diagnostics
internal import JSONText

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
    if case .string(let text) = node.content, let only = Incremental.Only(rawValue: text) { return only }
    if case .string("since") = node.content {
      refuse(
        "'only' has no 'since'", at: node.range, advice: "leave it out, and ask the API for what is new by '${since}'")
      return nil
    }
    refuse(
      node, expected: "'new' or 'all'",
      advice: "without 'only', a record comes out again only if its mark or its bytes have changed")
    return nil
  }

  /// Returns the path of a mark.
  mutating func markPath(_ node: Node) -> JSONPath? { path(node, example: "updated_at", single: "incremental") }

  /// Returns the paths of one member or of a list of them.
  mutating func markPaths(_ node: Node) -> [JSONPath] {
    guard case .list(let nodes) = node.content else { return markPath(node).map { [$0] } ?? [] }
    if nodes.isEmpty { refuse(node, expected: "a path, or a list of paths", advice: "write '[shop, id]'") }
    let paths = nodes.compactMap { markPath($0) }
    if Set(paths).count < paths.count { refuse("a member twice", at: node.range, advice: "name each once") }
    return paths
  }

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
