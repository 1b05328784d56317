// From a sign of more to the line of a spec that follows it.

package import PipelineSpec

/// A pager that fits what a first page says.
package struct PagesProposal: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case number, offset, cursor, next, link
  }

  package struct Entry: Hashable, Sendable {
    package let key: String
    /// Value as YAML spells it.
    package let value: String
  }

  package let kind: Kind
  /// The keys of `pages` with their values, the kind first.
  package let entries: [Entry]
  /// Comment about what the response can't say; empty if the user needs to look up nothing.
  package let comment: String
  /// True if the response says which page it is, so that the number of the first page is no guess.
  package let isStartTold: Bool

  init(
    _ kind: Kind, _ value: String, _ others: [(String, String)] = [], comment: String = "", isStartTold: Bool = false
  ) {
    self.kind = kind
    entries = [Entry(key: kind.rawValue, value: value)] + others.map { Entry(key: $0.0, value: $0.1) }
    (self.comment, self.isStartTold) = (comment, isStartTold)
  }

  /// True if the response itself has the whole URL of the next page, so that no name of an item is a guess.
  package var isExact: Bool { kind == .next || kind == .link }

  /// The proposal without its comment.
  package var withoutComment: PagesProposal { with(entries, comment: "") }

  /// Returns the proposal with another first value of the item that it counts.
  package func starting(at start: Int) -> PagesProposal {
    guard kind == .number || kind == .offset, start != (kind == .number ? 1 : 0) else { return self }
    let others = entries.dropFirst().filter { $0.key != "start" }
    return with(entries.prefix(1) + [Entry(key: "start", value: "\(start)")] + others, comment: comment)
  }

  /// The proposal with another comment.
  func with(comment: String) -> PagesProposal { with(entries, comment: comment) }

  private func with(_ entries: [Entry], comment: String) -> PagesProposal {
    let others = entries.dropFirst().map { ($0.key, $0.value) }
    return PagesProposal(kind, entries[0].value, others, comment: comment, isStartTold: isStartTold)
  }

  /// One line to paste: `pages: { next: body.next }`.
  package var line: String {
    let members = entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    return "pages: { \(members) }" + (comment.isEmpty ? "" : "  # \(comment)")
  }
}

extension PageHints {
  /// The pager for a sign that says that there is more; nil where its names can't be written down.
  package func proposal(for vote: HintReading, of job: Job) -> PagesProposal? {
    PagesProposer(signs: self, job: job).proposal(for: vote)
  }
}
