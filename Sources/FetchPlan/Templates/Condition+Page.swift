// Conditions on the part of an answer beside its records.

package import JSONText
package import Wire

extension Condition {
  /// Returns whether the condition holds for a page's body; its paths must be among the page's captures.
  package func holds(in page: PageFacts) -> Bool { holds { page.value(at: $0) } }

  /// Returns the values that the condition read, for a message: `'/error/code' is 8`.
  package func finding(in page: PageFacts) -> String {
    paths.map { path in
      let name = path.steps.count == 1 ? path.steps[0].name : path.pointer
      return "'\(name)' is \(page.value(at: path)?.text ?? "missing")"
    }.joined(separator: ", ")
  }
}

extension PageFacts {
  /// Returns a captured value of the body.
  fileprivate func value(at path: JSONPath) -> JSONValue? {
    body.captured[path.pointer].map { JSONValue(validated: $0[...]) }
  }
}
