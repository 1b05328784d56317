// The values that conditions read at an answer: `status`, `headers.…`, `body.…`, `last.…`.

import Diagnostics
package import JSONText
import PipelineSpec
package import Wire

/// An answer as conditions read it.
package struct AnswerValues {
  package let status: Int
  private let fields: HTTPFields
  /// The whole body; nil where only captured values are known.
  private let whole: JSONValue?
  private let page: PageFacts?

  /// Creates the values of a page whose captures have the conditions' paths.
  package init(_ page: PageFacts) {
    (status, fields, whole, self.page) = (page.status, page.fields, nil, page)
  }

  /// Creates the values of an answer that brings no page.
  ///
  /// - Parameter body: nil for a body that is not JSON.
  package init(status: Int, fields: HTTPFields, body: JSONValue?) {
    (self.status, self.fields, whole, page) = (status, fields, body ?? JSONValue(members: []), nil)
  }

  /// Returns the values at a path that begins with a root; none for a missing one.
  package func values(at path: JSONPath) -> [JSONValue] {
    let inner = JSONPath(Array(path.steps.dropFirst()))
    switch path.steps.first?.name {
    case "status": return [JSONValue(status)]
    case "headers": return Self.text(fields[inner.steps.first?.name ?? ""])
    case "body":
      if let whole { return whole.values(at: inner) }
      return values(at: inner, in: page?.body.captured ?? [:])
    case "last": return values(at: inner, in: page?.body.last ?? [:])
    default: return []
    }
  }

  private func values(at path: JSONPath, in captured: [String: [UInt8]]) -> [JSONValue] {
    let head = JSONPath(Array(path.steps.prefix { !$0.isEvery }))
    guard let text = captured[head.description] else { return [] }
    return JSONValue(validated: text[...]).values(at: JSONPath(Array(path.steps.dropFirst(head.steps.count))))
  }

  /// Returns a header field's text as a value; an empty text and `null` are no value.
  private static func text(_ field: String?) -> [JSONValue] {
    field.flatMap { ["", "null"].contains($0) ? nil : [JSONValue($0)] } ?? []
  }
}

extension Condition {
  /// Returns whether the condition holds for an answer.
  package func holds(for answer: AnswerValues) -> Bool { holds(forStatus: answer.status, answer.values) }

  /// Returns whether the condition holds for an answer, whatever its status is (`retry.when`, `refused`).
  package func holds(forAny answer: AnswerValues) -> Bool { holds(answer.values) }

  /// Returns whether the condition holds for a page; its paths must be among the page's captures.
  package func holds(in page: PageFacts) -> Bool { holds(for: AnswerValues(page)) }

  /// Returns the values that the condition read, for a message: `'body.error.code' is 8`.
  package func finding(in page: PageFacts) -> String {
    let answer = AnswerValues(page)
    var seen: Set<JSONPath> = []
    return paths.filter { seen.insert($0).inserted }.compactMap { path in
      let values = answer.values(at: path)
      // Of several paths, those that are there explain it.
      if values.isEmpty, paths.count > 1, paths.contains(where: { !answer.values(at: $0).isEmpty }) { return nil }
      let text = values.isEmpty ? "missing" + page.namesInPlace(of: path) : values.map(\.text).joined(separator: ", ")
      return "'\(path)' is \(text)"
    }.joined(separator: ", ")
  }

  /// Returns the value that stands in the way of a path: `'body.error' is a string`; nil if none does.
  package func barrier(in page: PageFacts) -> String? {
    for path in paths where path.steps.first?.name == "body" {
      let inner = JSONPath(Array(path.steps.dropFirst()))
      if let bar = page.body.blockedPaths[inner.description] {
        return "'body.\(bar.dropFirst()), and has no member for '\(path)': see how the API says it"
      }
    }
    return nil
  }

  /// True if none of the values that the condition reads is there.
  package func hasNoValue(in page: PageFacts) -> Bool {
    let answer = AnswerValues(page)
    return paths.allSatisfy { answer.values(at: $0).isEmpty }
  }
}

extension PageFacts {
  /// Returns the names of the object that lacks the path's next step: ` (the body has 'job')`; empty if they are not known.
  fileprivate func namesInPlace(of path: JSONPath) -> String {
    guard path.steps.first?.name == "body" else { return "" }
    let inner = JSONPath(Array(path.steps.dropFirst()))
    guard let lack = body.lacking[inner.description], lack.depth < inner.steps.count, !lack.names.isEmpty else {
      return ""
    }
    let parent = lack.depth == 0 ? "the body" : "'\(JSONPath( Array(path.steps.prefix(lack.depth + 1))))'"
    let names = lack.names.prefix(5).map { "'\($0.shortName)'" }.joined(separator: ", ")
    return " (\(parent) has \(names))"
  }
}

extension JSONPath {
  /// Creates the path of a member of an answer; `*` is a wildcard.
  package init(root: String, _ names: [String]) { self.init(wildcards: [root] + names) }
}
