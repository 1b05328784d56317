package import JSONText
package import Primitives

/// `incremental`: only records that are new since the last run.
package struct Incremental: Hashable, Sendable {
  package enum Mark: Hashable, Sendable {
    /// Path in the fetched records, whose highest value is remembered.
    case member(JSONPath)
    /// A template that reads the input record.
    case input(Template)
  }

  package let mark: Mark
  /// Value of `${since}` while nothing is remembered yet.
  package let start: TemplateValue?
  /// Spelling of marks that are neither RFC 3339 times nor numbers that compare.
  package let form: TimeForm?
  /// Paths in the input record, each combination of whose values has its own mark; none for one mark of the job.
  package let by: [JSONPath]
  /// True if records that are not above the mark are left out.
  package let isOnlyNew: Bool

  package init(
    mark: Mark, start: TemplateValue? = nil, form: TimeForm? = nil, by: [JSONPath] = [], isOnlyNew: Bool = false
  ) {
    (self.mark, self.start, self.form, self.by, self.isOnlyNew) = (mark, start, form, by, isOnlyNew)
  }

  package var templates: [Template] {
    let start = start?.templates ?? []
    if case .input(let template) = mark { return start + [template] }
    return start
  }
}
