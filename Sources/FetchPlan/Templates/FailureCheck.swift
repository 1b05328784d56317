// Errors in replies with a successful status, such as GraphQL's `errors` and Slack's `error`.

import Diagnostics
package import JSONText
import PipelineSpec
package import Wire

/// Finds the error that `failure` describes in a page.
package struct FailureCheck: Sendable {
  private let failure: Job.Failure
  private let scope: TemplateScope

  init(_ failure: Job.Failure, _ scope: TemplateScope) {
    self.failure = failure
    self.scope = scope
  }

  /// The paths of the body that `failure` reads.
  var paths: [JSONPath] {
    switch failure {
    case .template(let template): template.holes.filter { $0.root == .body }.map(\.path)
    case .condition(let condition): condition.paths
    }
  }

  /// Returns the error text of a page, or nil if the page reports no error.
  ///
  /// A page reports an error if a template reads anything but missing, null, false, 0, "" or [], or if the condition
  /// holds.
  package func text(in page: PageFacts) throws(ParameterError) -> String? {
    switch failure {
    case .template(let template): try text(of: template, in: page)
    case .condition(let condition): condition.holds(in: page) ? condition.finding(in: page) : nil
    }
  }

  private func text(of template: Template, in page: PageFacts) throws(ParameterError) -> String? {
    var scope = scope
    scope.page = page
    var text = ""
    var isError = false
    for piece in template.pieces {
      switch piece {
      case .text(let literal): text += literal
      case .hole(let hole):
        guard let value = try hole.found(in: scope)?.value else { continue }
        isError = isError || value.saysError
        text += value.string ?? value.text
      }
    }
    return isError ? text : nil
  }
}

extension JobPlan {
  /// Reports that a page has none of the members that `failure` compares with values; nil if it compares none.
  ///
  /// A member whose existence is the error is missing from other pages.
  package func missesFailure(in page: PageFacts) -> Bool? {
    guard let condition = job.failure?.condition, page.body.recordCount > 0,
      condition.clauses.allSatisfy({ $0.tests.allSatisfy { if case .exists = $0 { false } else { true } } })
    else { return nil }
    return condition.paths.allSatisfy { page.body.captured[$0.description] == nil }
  }
}

extension JSONValue {
  fileprivate var saysError: Bool {
    switch kind {
    case .null: false
    case .boolean: boolean == true
    case .number: integer != 0
    case .string: string != ""
    case .array: bytes.count > 2
    case .object: true
    }
  }
}

// Conditions on the part of an answer beside its records.

extension Condition {
  /// Returns whether the condition holds for a page's body; its paths must be among the page's captures.
  package func holds(in page: PageFacts) -> Bool { holds { page.value(at: $0) } }

  /// Returns the values that the condition read, for a message: `'error.code' is 8`.
  package func finding(in page: PageFacts) -> String {
    paths.map { path in
      "'\(path)' is \(page.value(at: path)?.text ?? "missing" + page.namesInPlace(of: path))"
    }.joined(separator: ", ")
  }
}

extension PageFacts {
  /// Returns a captured value of the body.
  fileprivate func value(at path: JSONPath) -> JSONValue? {
    body.captured[path.description].map { JSONValue(validated: $0[...]) }
  }

  /// Returns the names of the object that lacks the path's next step: ` (the body has 'job')`; empty if they are not known.
  fileprivate func namesInPlace(of path: JSONPath) -> String {
    guard let lack = body.lacking[path.description], lack.depth < path.steps.count, !lack.names.isEmpty else {
      return ""
    }
    let parent = lack.depth == 0 ? "the body" : "'\(JSONPath(Array(path.steps.prefix(lack.depth))))'"
    let names = lack.names.prefix(5).map { "'\($0.shortName)'" }.joined(separator: ", ")
    return " (\(parent) has \(names))"
  }
}
