// Doubts about a condition: a name that the record spells otherwise, or a value of another kind.

import Diagnostics
package import JSONText
import PipelineSpec

extension Condition {
  /// Returns the reason why the condition can't hold for records like this one; nil if it can.
  package func doubt(about record: JSONValue) -> String? {
    clauses.lazy.compactMap { $0.doubt(about: record) }.first
  }
}

extension Condition.Clause {
  fileprivate func doubt(about record: JSONValue) -> String? {
    let name = path.steps.count == 1 ? path.steps[0].name : path.pointer
    guard let value = record[path] else { return misspelt(name, in: record) }
    guard tests.count == 1, case .among(let wanted) = tests[0], let first = wanted.first else { return nil }
    guard !value.isNull, wanted.allSatisfy({ !$0.isNull && $0.kind != value.kind }) else { return nil }
    return
      "'\(name)' of the first record is \(value.kind.article), and 'where' compares it with \(first.kind.article), which never equals it"
  }

  private func misspelt(_ name: String, in record: JSONValue) -> String? {
    if path.steps.count == 1, let pointer = JSONPath.likelyPointer(for: name), let other = JSONPath(pointer: pointer),
      record[other] != nil
    {
      return "the first record has no member '\(name)', but '\(pointer)'"
    }
    let parent = JSONPath(path.steps.dropLast().map(\.name))
    guard let last = path.steps.last?.name, let object = parent.steps.isEmpty ? record : record[parent],
      let near = misspelling(of: last, in: object.members.map(\.name))
    else { return nil }
    let place = path.steps.count == 1 ? near : JSONPath(parent.steps.map(\.name) + [near]).pointer
    return "the first record has no member '\(name)', but '\(place)'"
  }
}

extension JobPlan {
  /// Returns the reason why `match` can't join two records like these; nil if it can.
  package func doubtOfMatch(_ fetched: JSONValue, _ input: JSONValue) -> String? {
    for pair in job.match {
      let sides = [("fetched", pair.fetched, fetched), ("input", pair.input, input)]
      for (side, name, record) in sides where record[name] == nil {
        let names = record.members.prefix(5).map { "'\($0.name.shortName)'" }.joined(separator: ", ")
        let others = names.isEmpty ? "and no other" : "but \(names)"
        return
          "the first \(side) record has no member '\(name)', \(others); the name on the left is of the fetched records, the one "
          + "on the right of the input records"
      }
      guard let (a, b) = fetched[pair.fetched].flatMap({ a in input[pair.input].map { (a.kind, $0.kind) } }), a != b,
        a != .null, b != .null
      else {
        continue
      }
      return
        "'\(pair.fetched)' of the first fetched record is \(a.article), '\(pair.input)' of the first input record is \(b.article), "
        + "and these never equal each other"
    }
    return nil
  }
}

extension JSONKind {
  fileprivate var article: String {
    switch self {
    case .object: "an object"
    case .array: "a list"
    case .string: "a text"
    case .number: "a number"
    case .boolean: "a boolean"
    case .null: "null"
    }
  }
}
