// Templates where a spec has a constant: a number, or what a condition compares. They read what is fixed for a run.

import YAMLText

package import Diagnostics
package import JSONText

/// The values of templates that are the same for a whole run.
///
/// A spec is read twice if it has such templates: first with samples, so that every mistake is found without a run, and
/// then with these values, when parameters, environment and clock are known.
package struct FixedValues {
  /// Returns the value; nil if it is missing.
  let value: (Template) -> JSONValue?
  /// True if no variable has its value, as in a replay.
  let hidesVariables: Bool

  package init(hidesVariables: Bool, _ value: @escaping (Template) -> JSONValue?) {
    (self.value, self.hidesVariables) = (value, hidesVariables)
  }
}

extension Spec {
  /// True if a job has templates in place of constants.
  package var hasFixedTemplates: Bool { jobs.contains { !$0.fixed.isEmpty } }

  /// Returns the spec with the values of a run in place of the templates that are fixed for it.
  ///
  /// - Throws: `DiagnosticList` for values that the keys can't take.
  package func fixing(_ values: FixedValues) throws(DiagnosticList) -> Spec {
    guard hasFixedTemplates else { return self }
    var spec = self
    let all = try Spec(reading: source, values).jobs
    // A run may have some of the jobs only, begin at a later one, or pass records from one stream to another.
    spec.jobs = jobs.map { job in
      guard var fixed = all.first(where: { $0.position == job.position && $0.name == job.name }) else { return job }
      fixed.savesMark = job.savesMark
      return fixed
    }
    (spec.jobs[0].each, spec.jobs[0].eachBefore) = (jobs[0].each, jobs[0].eachBefore)
    return spec
  }
}

extension Node {
  /// Returns the scalar with another value.
  ///
  /// - Parameter readsNumber: whether a text that is a number is one, as the command line has no others.
  func with(_ value: JSONValue, readsNumber: Bool = false) -> Node {
    if value.kind == .array {
      return Node(content: .list(value.elements.map { with($0) }), range: range, spelling: value.text)
    }
    let text = value.string ?? value.text
    let number =
      readsNumber ? (try? JSONValue(parsing: Array(text.utf8))).flatMap { $0.kind == .number ? $0 : nil } : nil
    let content: Content =
      switch (number ?? value).kind {
      case .number: .number(text)
      case .boolean: .boolean(value.boolean == true)
      case .string, .null, .array, .object: .string(text)
      }
    return Node(content: content, range: range, spelling: text, isQuoted: true)
  }

  /// The text, number, boolean or null; nil for a list or a map.
  var scalar: JSONValue? { if case .string(let text) = content { JSONValue(text) } else { constant } }
}
