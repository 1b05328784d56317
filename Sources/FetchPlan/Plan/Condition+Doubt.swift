// Doubts about a condition: a name that the record spells otherwise, or a value of another kind.

import Diagnostics
package import JSONText
import PipelineSpec
package import Wire

extension Condition {
  /// Returns the reason why the condition can't hold for records like this one; nil if it can.
  package func doubt(about record: JSONValue) -> String? {
    guard alternatives.count == 1, !holds(for: record) else { return nil }
    return alternatives[0].lazy.compactMap { $0.doubt(about: record) }.first
  }
}

extension Condition.Clause {
  fileprivate func doubt(about record: JSONValue) -> String? {
    // A missing member fulfils some clauses, and these are not to blame.
    if Condition([self]).holds(for: record) { return nil }
    if path.hasEvery { return nil }
    let name = path.description
    guard let value = record[path] else { return misspelt(name, in: record) }
    guard !value.isNull, let reason = tests.lazy.compactMap({ $0.doubt(about: value.kind) }).first else { return nil }
    return "'\(name)' of the first record is \(value.kind.article), and \(reason)"
  }

  private func misspelt(_ name: String, in record: JSONValue) -> String? {
    if path.steps.count == 1, name.contains("."), let other = try? JSONPath(path.steps[0].name), record[other] != nil {
      return "the first record has no member '\(name)', but '\(other)'"
    }
    // A name with dots, as it is spelled in a record.
    if path.steps.count > 1, record[[name]] != nil {
      return "the first record has no member '\(name)', but '\(JSONPath(rootKey: name))'"
    }
    let names = path.steps.map(\.name)
    guard let depth = names.indices.first(where: { record[JSONPath(Array(names[...$0]))] == nil }) else { return nil }
    let others = record[JSONPath(Array(names[..<depth]))]?.members.map(\.name) ?? []
    // A name of one letter has no misspelling, except for its case.
    guard
      let near = misspelling(of: names[depth], in: others)
        ?? others.first(where: { $0.lowercased() == names[depth].lowercased() })
    else { return nil }
    let missing = JSONPath(Array(path.steps[...depth])).description
    let existing = JSONPath(Array(path.steps[..<depth])).member(near).description
    return "the first record has no member '\(missing)', but '\(existing)'"
  }
}

extension Condition.Test {
  /// Returns the reason why the test can't hold for any value of this kind; nil if it can.
  fileprivate func doubt(about kind: JSONKind) -> String? {
    switch self {
    case .among(let wanted):
      guard let first = wanted.first, wanted.allSatisfy({ !$0.isNull && $0.kind != kind }) else { return nil }
      return "'where' compares it with \(first.kind.article), which never equals it"
    case .above(let bound): return Self.doubt(about: kind, bound, "above")
    case .below(let bound): return Self.doubt(about: kind, bound, "below")
    case .has: return [.string, .array].contains(kind) ? nil : "'has' holds for texts and lists only"
    case .not, .truthy: return nil
    }
  }
}

extension Condition.Test {
  private static func doubt(about kind: JSONKind, _ bound: JSONValue, _ key: String) -> String? {
    kind == bound.kind ? nil : "'\(key)' compares it with \(bound.kind.article)"
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

extension JobPlan {
  /// Returns for each condition that most answers should have values for, by its key, whether a page has none of them.
  ///
  /// A value whose existence is the error is missing from other pages. So `failure` counts only if it compares.
  package func misses(in page: PageFacts) -> [(key: String, isMiss: Bool)] {
    guard page.body.recordCount > 0, job.failure != nil || job.pages?.hasFlag == true else { return [] }
    let comparing = job.failure.flatMap { failure in
      failure.alternatives.joined().contains { !$0.comparesNothing } ? failure : nil
    }
    let keys = [("failure", comparing), ("more", job.pages?.more)]
    let found = keys.compactMap { key, condition in condition.map { (key, $0.hasNoValue(in: page)) } }
    let ends = (job.pages?.until ?? []).compactMap { if case .condition(let end) = $0 { end } else { nil } }
    return ends.isEmpty ? found : found + [("until", ends.allSatisfy { $0.hasNoValue(in: page) })]
  }
}

extension Condition.Clause {
  /// True for a bare path.
  fileprivate var comparesNothing: Bool { tests.allSatisfy { if case .truthy = $0 { true } else { false } } }
}
