// Decodes conditions: a path, a map of paths and their tests, or a list of these.

import YAMLText

internal import Diagnostics
internal import JSONText
internal import Primitives

/// What a condition is about, which says how its paths begin.
enum ConditionSubject: Equatable {
  /// A fetched record: paths begin in it.
  case record
  /// The input of a step: paths begin in it.
  case input
  /// An answer: paths begin with a root. With `hasLines`, `record` is one of its lines.
  case answer(hasLines: Bool = false)

  static let roots = ["body", "headers", "status", "last", "record"]

  var isAnswer: Bool { if case .answer = self { true } else { false } }

  var example: String { isAnswer ? "{ body.status: done }" : "{ type: file, size.bytes: { above: 0 } }" }
  var pathExample: String { isAnswer ? "body.error" : "attributes.id" }
}

extension ValueKind<Condition> {
  static func condition(on what: String, _ subject: ConditionSubject) -> Self {
    Self("a condition on the \(what)", .reference(subject.isAnswer ? "answer" : "condition")) {
      $1.condition($0, about: subject)
    }
  }

  static var ofAnswer: Self { .condition(on: "answer", .answer()) }
}

extension NodeDecoder {

  /// Returns a condition: a path, a map, a status (of an answer), or a list of these, one of which must hold.
  mutating func condition(_ node: Node, about subject: ConditionSubject) -> Condition? {
    let before = mistakes.count
    let nodes = if case .list(let nodes) = node.content { nodes } else { [node] }
    if nodes.isEmpty { refuse("a condition without a test", at: node.range, advice: "write '\(subject.example)'") }
    let alternatives = nodes.compactMap { alternative($0, about: subject) }.filter { !$0.isEmpty }
    // Without a value for its templates, a condition says nothing.
    return mistakes.count == before && !alternatives.isEmpty ? Condition(anyOf: alternatives) : nil
  }

  /// Returns the clauses of one alternative.
  mutating func alternative(_ node: Node, about subject: ConditionSubject) -> [Condition.Clause]? {
    switch node.content {
    case .number where subject.isAnswer:
      return status(node).map { [Condition.Clause(path: ["status"], tests: [.among([JSONValue($0)])])] }
    case .string(let text):
      let isOptional = subject.isAnswer && text.utf8.last == UInt8(ascii: "?")
      return barePath(isOptional ? String(text.dropLast()) : text, node, about: subject).map {
        [Condition.Clause(path: $0, tests: [truthy($0)], isOptional: isOptional)]
      }
    case .map(let entries): return clauses(entries, node, about: subject)
    case .null, .boolean, .number, .list:
      refuse(
        node, expected: "a path, or a map of paths and what they must be",
        advice: "write '\(subject.pathExample)', or '\(subject.example)'")
      return nil
    }
  }

  private mutating func barePath(_ text: String, _ node: Node, about subject: ConditionSubject) -> JSONPath? {
    let isComparison = text.split(separator: " ").count > 1 && (try? JSONPath(text)) == nil
    if text.contains("${") || isComparison {
      let likely = Self.likelyCondition(text) ?? subject.pathExample
      refuse(
        isComparison ? "a comparison is written as a map" : "a condition takes a path, not a template", at: node.range,
        advice: "write '\(likely.printable)'")
      return nil
    }
    return conditionPath(text, at: node.range, about: subject)
  }

  /// Returns the condition that a comparison or a template probably means: `{ body.n: { above: 0 } }` for
  /// `${body.n} > 0`.
  static func likelyCondition(_ text: String) -> String? {
    let words = text.filter { $0 != "{" && $0 != "}" }.split(separator: " ").map(String.init)
    guard let first = words.first?.drop(while: { $0 == "$" }), let path = try? JSONPath(String(first)) else {
      return nil
    }
    guard words.count > 2 else { return path.description }
    return "{ \(path): \(test(words[1], words.dropFirst(2).joined(separator: " "))) }"
  }

  /// Returns a test by the operator that it has in other languages.
  private static func test(_ sign: String, _ value: String) -> String {
    switch sign {
    case ">", ">=": "{ above: \(value) }"
    case "<", "<=": "{ below: \(value) }"
    case "!=", "<>": "{ not: \(value) }"
    default: value
    }
  }

  /// Returns the test that a text with an operator probably means: `{ above: 10 }` for `>10`; nil for other text.
  static func likelyTest(_ text: String) -> String? {
    let sign = text.prefix { "<>=!".contains($0) }
    let value = text.dropFirst(sign.count).drop { $0 == " " }
    guard [">", ">=", "<", "<=", "=", "==", "!="].contains(sign), sign == "!=" || value.first?.isNumber == true else {
      return nil
    }
    return test(String(sign), String(value))
  }

  private mutating func clauses(
    _ entries: [Node.Entry], _ node: Node, about subject: ConditionSubject
  ) -> [Condition.Clause]? {
    let before = mistakes.count
    if entries.isEmpty {
      refuse("a condition without a test", at: node.range, advice: "write '\(subject.example)'")
    }
    for entry in entries where entry.key.contains("${") {
      refuse(
        "a template in a name", at: entry.keyRange, advice: "write the name itself: templates are read in values only")
    }
    for entry in entries where combines(entry) {
      let advice =
        entry.key == "not"
        ? "the path comes first: 'NAME: { not: VALUE }'"
        : "tests in one map must all hold; for one of several, write a list: '[{ a: 1 }, { b: 2 }]', or '{ a: [1, 2] }'"
      refuse("'\(entry.key)' can't combine tests", at: entry.keyRange, advice: advice)
    }
    guard mistakes.count == before else { return nil }
    let clauses = entries.compactMap { entry -> Condition.Clause? in
      let path = conditionPath(entry.key, at: entry.keyRange, about: subject)
      let tests =
        path?.steps.map(\.name) == ["status"] && subject.isAnswer
        ? statusTests(entry.value) : tests(entry.value)
      return path.flatMap { path in tests.map { Condition.Clause(path: path, tests: $0) } }
    }
    let lineCount = clauses.count { $0.path.steps.first?.name == "record" }
    if subject.isAnswer, lineCount > 0, lineCount < clauses.count {
      refuse(
        "'record' is a line, and the other paths are of the whole answer", at: node.range,
        advice: "write a list of two conditions")
    }
    return mistakes.count == before ? clauses : nil
  }

  /// Returns the test of a bare path.
  private func truthy(_ path: JSONPath) -> Condition.Test {
    .truthy(readsTexts: path.steps.first?.name == "headers")
  }

  /// Reports that a name is an operator that combines conditions in other languages.
  private func combines(_ entry: Node.Entry) -> Bool {
    guard ["and", "or", "not", "any", "all", "anyOf", "allOf", "$or", "$and", "$not"].contains(entry.key) else {
      return false
    }
    let tests = Set(SpecKeys.conditionKeys.map(\.entry.name))
    switch entry.value.content {
    case .map(let inner): return inner.contains { !tests.contains($0.key) }
    case .list(let nodes): return nodes.contains { if case .map = $0.content { true } else { false } }
    case .null, .boolean, .number, .string: return false
    }
  }

  /// Returns the path of a condition; that of an answer begins with a root.
  mutating func conditionPath(_ text: String, at range: Range<Int>, about subject: ConditionSubject) -> JSONPath? {
    guard subject.isAnswer else { return self.path(text, at: range, example: subject.pathExample) }
    let path: JSONPath
    do {
      path = try JSONPath(text)
    } catch {
      let likely = error.likely.map { ConditionSubject.roots.contains($0.steps[0].name) ? "\($0)" : "body\($0.suffix)" }
      refuse(
        error.message.printable, at: range,
        advice: "write '\((likely ?? subject.pathExample).printable)'")
      return nil
    }
    let root = path.steps[0].name
    guard ConditionSubject.roots.contains(root) else {
      refuse("a path at an answer begins with its root", at: range, advice: "write '\(Self.rooted(path).printable)'")
      return nil
    }
    if root == "record", subject != .answer(hasLines: true) {
      refuse(
        "'record' is a line of an answer, with 'read: lines'", at: range,
        advice: "'where' keeps records; an answer's members are 'body.…'")
      return nil
    }
    if root == "status", path.steps.count > 1 {
      refuse("'status' is a number", at: range, advice: "write 'status'")
      return nil
    }
    if !["status", "last"].contains(root), path.steps.count == 1 {
      refuse("'\(root)' needs a name after it", at: range, advice: "write '\(root).name'")
      return nil
    }
    return path
  }

  /// Returns the tests of an HTTP status, whose numbers are 100 to 599.
  private mutating func statusTests(_ node: Node) -> [Condition.Test]? {
    let nodes = elements(of: node)
    if nodes.isEmpty || entries(of: node) != nil { return tests(node) }
    let statuses = nodes.compactMap { node -> JSONValue? in
      if case .map = node.content {
        refuse(
          node, expected: "an HTTP status",
          advice: "write a list of conditions, such as '[{ status: 404 }, { status: { above: 499 } }]'")
        return nil
      }
      return status(node).map { JSONValue($0) }
    }
    return statuses.isEmpty ? nil : [.among(statuses)]
  }

  /// Returns `where`, and the templates in it that read the input record.
  mutating func filter(_ node: Node) -> (Condition?, [Template]) {
    givenTemplates = []
    let condition = condition(node, about: .record)
    defer { givenTemplates = nil }
    return (condition, givenTemplates ?? [])
  }

  /// Returns the test that compares with a template of the input record; nil for another value.
  mutating func given(_ node: Node, _ comparison: Condition.Comparison) -> Condition.Test? {
    guard let text = templateText(node), let known = givenTemplates, text.contains("${input") else { return nil }
    guard let template = template(text, node, .request) else { return .given(0, comparison) }
    givenTemplates = known + [template]
    return .given(known.count, comparison)
  }

  /// Returns the tests of one member.
  mutating func tests(_ node: Node) -> [Condition.Test]? {
    if let given = given(node, .among) { return [given] }
    if templateText(node) != nil {
      guard let value = fixed(node, sample: JSONValue(node.spelling), isText: true) else { return nil }
      let nodes = if case .list(let nodes) = value.content { nodes } else { [value] }
      return [.among(nodes.compactMap(\.scalar))]
    }
    switch node.content {
    case .map(let entries):
      let count = fixedTemplates.count
      var tests: [Condition.Test] = []
      map(node, keys: SpecKeys.conditionKeys, into: &tests, hint: guessedTests(in: entries))
      if entries.isEmpty { refuse("no test for the value", at: node.range, advice: "write '{ not: null }'") }
      if !hasSamples(after: count) { checkBounds(tests, entries) }
      return tests.isEmpty && !entries.isEmpty ? nil : tests
    case .list(let nodes):
      if nodes.isEmpty {
        refuse(
          "an empty list, which nothing is in", at: node.range,
          advice: "list the values that it may have, or write 'null' for a missing one")
      }
      let before = mistakes.count
      let values = nodes.compactMap { scalar($0) }
      return mistakes.count == before && !values.isEmpty ? [.among(values)] : nil
    case .null, .boolean, .number, .string:
      return scalar(node).map { [.among([$0])] }
    }
  }

  /// Returns the messages for tests of other languages that need no name.
  private func guessedTests(in entries: [Node.Entry]) -> Hint {
    let values = entries.reduce(into: [:]) { $0[$1.key] = sourceText(of: $1.value) }
    return { key in
      switch BorrowedName.plain(key) {
      case "exists", "present":
        ("conditions have no '\(key)'", "write 'null' for a missing value, '{ not: null }' for one that is there")
      case "eq", "equals", "is", "in", "oneof", "value":
        (
          "'\(key.printable)' is not a test",
          "write the value itself, or a list of values: 'NAME: \(values[key] ?? "…")'"
        )
      default: nil
      }
    }
  }

  /// Refuses bounds that no number fulfils.
  private mutating func checkBounds(_ tests: [Condition.Test], _ entries: [Node.Entry]) {
    let above = tests.lazy.compactMap { if case .above(let bound) = $0 { bound } else { nil } }.first
    let below = tests.lazy.compactMap { if case .below(let bound) = $0 { bound } else { nil } }.first
    guard let above, let below, above.kind == below.kind,
      !(above.kind == .number ? above.isSmaller(than: below) : above.isEarlier(than: below))
    else { return }
    refuse(
      "nothing is above \(above.text) and below \(below.text)", at: entries[0].keyRange,
      advice: "exchange them, or write '{ not: { above: …, below: … } }' for the values outside")
  }

  private mutating func scalar(_ node: Node) -> JSONValue? {
    switch node.content {
    case .null, .boolean, .number: return node.constant
    case .string:
      guard let value = fixed(node, sample: JSONValue(node.spelling), isText: true) else { return nil }
      return value.scalar
    case .list, .map:
      refuse(node, expected: "a text, a number, true, false or null")
      return nil
    }
  }

  /// Returns the bound of `above` and `below`: a number, a date or a time.
  mutating func bound(ofTest node: Node) -> JSONValue? {
    guard let node = fixed(node, sample: JSONValue(1)) else { return nil }
    switch node.content {
    case .number: return node.constant
    case .string(let text) where Timestamp(dateOrTime: Array(text.utf8)[...]) != nil: return JSONValue(text)
    default:
      refuse(node, expected: "a number, a date or a time", advice: "write 5, 2024-01-31 or 2024-01-31T00:00:00Z")
      return nil
    }
  }

  /// Returns the scalar of `has`.
  mutating func element(_ node: Node) -> JSONValue? {
    switch node.content {
    case .string, .number, .boolean: return scalar(node)
    case .null, .list, .map:
      refuse(node, expected: "a text, a number, true or false")
      return nil
    }
  }

  // MARK: Members to drop

  /// Limit for the steps of a path, which is also the limit for the depth of a record.
  private static let deepest = 1_000

  /// Returns the paths of one member or of a list of them, which lead through objects only.
  ///
  /// - Parameter example: what to write in place of an empty list; nil if that is fine.
  mutating func memberPaths(_ node: Node, of key: String, example: String? = nil) -> [JSONPath] {
    let nodes = elements(of: node)
    if nodes.isEmpty, let example {
      refuse("no member in '\(key)'", at: node.range, advice: "write '\(example)'")
    }
    return nodes.compactMap { node in
      guard let text = pathText(node, example: "owner.email"), !refusesTemplate(text, node) else { return nil }
      return objectPath(text, at: node.range, of: key)
    }
  }

  /// Returns a path that leads through objects only.
  mutating func objectPath(_ text: String, at range: Range<Int>, of key: String) -> JSONPath? {
    guard let path = path(text, at: range, example: "owner.email") else { return nil }
    if path.steps.count > Self.deepest {
      refuse("a path of more than \(Self.deepest) steps", at: range, advice: "records are no deeper than that")
      return nil
    }
    if path.hasEvery {
      let elsewhere = key == "drop" ? "; 'model' names what the elements of a list keep" : ""
      refuse("'*' can't stand in '\(key)'", at: range, advice: "'\(key)' leads through objects only" + elsewhere)
      return nil
    }
    return path
  }
}
