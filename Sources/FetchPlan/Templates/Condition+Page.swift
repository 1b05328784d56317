// Conditions on the part of an answer beside its records.

import Diagnostics
package import JSONText
package import Wire

extension Condition {
  /// Returns whether the condition holds for a page's body; its paths must be among the page's captures.
  package func holds(in page: PageFacts) -> Bool { holds { page.value(at: $0) } }

  /// Returns the values that the condition read, for a message: `'/error/code' is 8`.
  package func finding(in page: PageFacts) -> String {
    paths.map { path in
      let name = path.steps.count == 1 ? path.steps[0].name : path.pointer
      return "'\(name)' is \(page.value(at: path)?.text ?? "missing" + page.namesInPlace(of: path))"
    }.joined(separator: ", ")
  }
}

extension PageFacts {
  /// Returns a captured value of the body.
  fileprivate func value(at path: JSONPath) -> JSONValue? {
    body.captured[path.pointer].map { JSONValue(validated: $0[...]) }
  }

  /// Returns the names of the object that lacks the path's next step: ` (the body has 'job')`; empty if they are not known.
  fileprivate func namesInPlace(of path: JSONPath) -> String {
    guard let lack = body.lacking[path.pointer], lack.depth < path.steps.count, !lack.names.isEmpty else { return "" }
    let parent = lack.depth == 0 ? "the body" : "'\(JSONPath(path.steps.prefix(lack.depth).map(\.name)).pointer)'"
    let names = lack.names.prefix(5).map { "'\($0.shortName)'" }.joined(separator: ", ")
    return " (\(parent) has \(names))"
  }
}
