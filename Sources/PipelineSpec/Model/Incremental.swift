package import JSONText
package import Primitives

/// `incremental`: only records that are new since the last run.
package struct Incremental: Hashable, Sendable {
  package enum Mark: Hashable, Sendable {
    /// Path in the fetched records, whose highest value is remembered.
    case member(JSONPath)
    /// A template that reads the input record, of whose values the highest is remembered.
    case input(Template)
    /// A template that reads the start of the run: `${now}`.
    case run(Template)
    /// A template that reads the last page of a stream, whose value is never compared: `${body.nextSyncToken}`.
    case answer(Template)

    package var template: Template? {
      switch self {
      case .member: nil
      case .input(let template), .run(let template), .answer(let template): template
      }
    }
  }

  /// Records that are left out although the server sends them.
  package enum Only: String, CaseIterable, Sendable {
    /// Those that are not above the mark.
    case new
    /// None, also not those with the saved mark that the last run has written.
    case all
  }

  package let mark: Mark
  /// Value of `${since}` while nothing is remembered yet.
  package let start: TemplateValue?
  /// Spelling of marks that are neither RFC 3339 times nor numbers that compare.
  package let form: TimeForm?
  /// Paths in the input record, each combination of whose values has its own mark; none for one mark of the job.
  package let by: [JSONPath]
  /// Records that are left out; nil for none.
  package let only: Only?
  /// Holds for an answer that says that the mark is too old.
  package let expired: Condition?

  package init(
    mark: Mark, start: TemplateValue? = nil, form: TimeForm? = nil, by: [JSONPath] = [], only: Only? = nil,
    expired: Condition? = nil
  ) {
    (self.mark, self.start, self.form, self.by, self.only) = (mark, start, form, by, only)
    self.expired = expired
  }

  package var templates: [Template] {
    (start?.templates ?? []) + [mark.template].compactMap { $0 }
  }
}

/// The job whose marks `${since}` reads: the job itself, or the one of its file that has `incremental`.
package struct Since: Hashable, Sendable {
  package let job: String
  package let incremental: Incremental
}
