// Decodes conditions: members or JSON Pointers, each with a value, a list of values, or a map of tests.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  static let memberAdvice = "write 'id', or '/attributes/id'"
  static let conditionExample = "{type: file, /size/bytes: {above: 0}}"

  mutating func condition(_ node: Node) -> Condition? {
    let before = mistakes.count
    let expected = "a map of members and what they must be"
    let advice = "write '\(Self.conditionExample)'"
    guard let entries = named(node, expected: expected, advice: advice) else { return nil }
    if entries.isEmpty { refuse("a condition without members", at: node.range, advice: advice) }
    for entry in entries where combines(entry) {
      let advice =
        entry.key == "not"
        ? "the member comes first: 'NAME: { not: VALUE }'"
        : "members beside one another must all hold, and a list takes one of several values: 'NAME: [2, 3]'"
      refuse("'\(entry.key)' can't combine members", at: entry.keyRange, advice: advice)
    }
    guard mistakes.count == before else { return nil }
    let clauses = entries.compactMap { entry -> Condition.Clause? in
      let path = memberPath(entry.key, at: entry.keyRange)
      let tests = tests(entry.value)
      return path.flatMap { path in tests.map { Condition.Clause(path: path, tests: $0) } }
    }
    return mistakes.count == before ? Condition(clauses) : nil
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

  /// Returns the value of `failure`: a text is a template, a map is a condition.
  mutating func failure(_ node: Node) -> Job.Failure? {
    if case .map = node.content { return condition(node).map { .condition($0) } }
    if case .list = node.content {
      refuse(
        node, expected: "a template, or a condition",
        advice: "write where an answer has its error, such as '${body.errors}', or '{ status: error }'")
      return nil
    }
    return pageTemplate(node, example: "body.errors").map { .template($0) }
  }

  /// Returns the path of a member's name, taken literally, or of a JSON Pointer.
  mutating func memberPath(_ text: String, at range: Range<Int>) -> JSONPath? {
    guard !text.isEmpty else {
      refuse("expected a member's name, or a JSON Pointer, found an empty one", at: range, advice: Self.memberAdvice)
      return nil
    }
    if let path = JSONPath(member: text) { return path }
    refuse("'\(text.printable)' is no JSON Pointer", at: range, advice: "a '~' is written '~0', a '/' in a name '~1'")
    return nil
  }

  /// Returns the tests of one member.
  mutating func tests(_ node: Node) -> [Condition.Test]? {
    switch node.content {
    case .map(let entries):
      var tests: [Condition.Test] = []
      map(node, keys: SpecKeys.conditionKeys, into: &tests)
      if entries.isEmpty { refuse("no test for the member", at: node.range, advice: "write '{ exists: true }'") }
      checkBounds(tests, entries)
      return tests
    case .list(let nodes):
      if nodes.isEmpty {
        refuse(
          "an empty list, which nothing is in", at: node.range,
          advice: "list the values that the member may have, or write '{ exists: false }' for one that is missing")
      }
      let values = nodes.compactMap { scalar($0) }
      return values.count == nodes.count ? [.among(values)] : nil
    case .null, .boolean, .number, .string:
      return scalar(node).map { [.among([$0])] }
    }
  }

  /// Refuses bounds that no number fulfils.
  private mutating func checkBounds(_ tests: [Condition.Test], _ entries: [Node.Entry]) {
    let above = tests.lazy.compactMap { if case .above(let bound) = $0 { bound } else { nil } }.first
    let below = tests.lazy.compactMap { if case .below(let bound) = $0 { bound } else { nil } }.first
    guard let above, let below, !above.isSmaller(than: below) else { return }
    refuse(
      "no number is above \(above.text) and below \(below.text)", at: entries[0].keyRange,
      advice: "exchange them, or write '{ not: { above: …, below: … } }' for the numbers outside")
  }

  private mutating func scalar(_ node: Node) -> JSONValue? {
    switch node.content {
    case .null, .boolean, .number: return node.constant
    case .string(let text):
      let advice =
        "a condition compares with what stands here; ask the API for less in 'query', or filter behind the pipe"
      return refusesTemplate(text, node, advice: advice) ? nil : JSONValue(text)
    case .list, .map:
      refuse(node, expected: "a text, a number, true, false or null")
      return nil
    }
  }

  /// Returns the number of `above` and `below`.
  mutating func number(_ node: Node) -> JSONValue? {
    if case .number = node.content { return node.constant }
    refuse(node, expected: "a number")
    return nil
  }

  // MARK: Members to drop

  /// Limit for the steps of a path, which is also the limit for the depth of a record.
  private static let deepest = 1_000

  mutating func droppedPaths(_ node: Node) -> [JSONPath] {
    memberPaths(node, of: "drop")
  }

  /// Returns the paths of one member or of a list of them, which lead through objects only.
  mutating func memberPaths(_ node: Node, of key: String) -> [JSONPath] {
    elements(of: node).compactMap { node in
      guard let text = name(node, expected: "a member's name, or a JSON Pointer", advice: Self.memberAdvice) else {
        return nil
      }
      return objectPath(text, at: node.range, of: key)
    }
  }

  /// Returns the path of a member's name, or of a JSON Pointer that leads through objects only.
  mutating func objectPath(_ text: String, at range: Range<Int>, of key: String) -> JSONPath? {
    guard let path = memberPath(text, at: range) else { return nil }
    if path.steps.count > Self.deepest {
      refuse("a JSON Pointer of more than \(Self.deepest) steps", at: range, advice: "records are no deeper than that")
      return nil
    }
    if path.steps.count > 1, path.steps.contains(where: { $0.name == "*" }) {
      let elsewhere = key == "drop" ? "; 'model' names what the elements of a list keep" : ""
      refuse("'*' can't stand in '\(key)'", at: range, advice: "'\(key)' leads through objects only" + elsewhere)
      return nil
    }
    return path
  }
}

extension JSONPath {
  /// Creates the path of a member's name, taken literally, or of a JSON Pointer; nil if the pointer is none.
  init?(member text: String) {
    if text.utf8.first == UInt8(ascii: "/") { self.init(pointer: text) } else { self = [text] }
  }
}
