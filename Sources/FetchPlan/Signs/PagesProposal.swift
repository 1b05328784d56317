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
  /// The first value of the item that the pager counts, if the request must have it: 0 of pages by number.
  package let firstValue: Int?

  init(
    _ kind: Kind, _ value: String, _ others: [(String, String)] = [], comment: String = "", isStartTold: Bool = false,
    firstValue: Int? = nil
  ) {
    self.kind = kind
    entries = [Entry(key: kind.rawValue, value: value)] + others.map { Entry(key: $0.0, value: $0.1) }
    (self.comment, self.isStartTold, self.firstValue) = (comment, isStartTold, firstValue)
  }

  /// True if the response itself has the whole URL of the next page, so that no name of an item is a guess.
  package var isExact: Bool { kind == .next || kind == .link }

  /// The proposal without its comment.
  package var withoutComment: PagesProposal { with(entries, comment: "") }

  /// The proposal for a request that has a value for the item that the pager counts.
  package var withoutFirstValue: PagesProposal {
    let others = entries.dropFirst().map { ($0.key, $0.value) }
    return PagesProposal(kind, entries[0].value, others, comment: comment, isStartTold: isStartTold)
  }

  /// The proposal with another comment.
  func with(comment: String) -> PagesProposal { with(entries, comment: comment) }

  private func with(_ entries: [Entry], comment: String) -> PagesProposal {
    let others = entries.dropFirst().map { ($0.key, $0.value) }
    return PagesProposal(
      kind, entries[0].value, others, comment: comment, isStartTold: isStartTold, firstValue: firstValue)
  }

  /// The value of `pages`, without comments: `{ next: body.next }`.
  package var value: String {
    isPlainLink ? "link" : "{ \(entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ")) }"
  }

  /// One line to paste: `pages: { next: body.next }`.
  package var line: String {
    let first = firstValue.map { "and '\(entries[0].value): \($0)' in the request" } ?? ""
    let comments = [comment, first].filter { !$0.isEmpty }.joined(separator: "; ")
    return "pages: \(value)" + (comments.isEmpty ? "" : "  # \(comments)")
  }

  /// True for the next page in the `Link` header, without another key.
  private var isPlainLink: Bool { entries == [Entry(key: "link", value: "next")] }
}

extension PageHints {
  /// The pager for a sign that says that there is more; nil where its names can't be written down.
  package func proposal(for vote: HintReading, of job: Job) -> PagesProposal? {
    PagesProposer(signs: self, job: job).proposal(for: vote)
  }
}
