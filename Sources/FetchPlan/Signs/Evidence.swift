// Evidence that the records are not the whole set.

import JSONText
package import PipelineSpec

/// A sign that was found, in one line, and what to write in the job.
package struct Evidence: Hashable, Sendable {
  package let sign: Sign
  /// What was found, with its value and the page.
  package let reason: String
  /// Whole lines to paste, with a sentence before each; empty if no lines are known.
  package let advice: [String]
  /// The sign that was found, and the pager that would follow it; nil for a job with a pager.
  package let finding: Finding?
  /// False if `ignore` would only hide that records are missing.
  package let mayBeMeant: Bool

  package struct Finding: Hashable, Sendable {
    /// `'total' of 50 for 10 records`.
    package let sign: String
    /// Nil if no pager is known.
    package let proposal: PagesProposal?
  }

  /// Advice for pages that seem to have one before the first.
  static let page0 =
    "pages may be counted from 0; see how the API counts them, and give the item a 0 in the request if so, as 'query: { page: 0 }'"

  /// Evidence that a status that means "no records" was the answer to every request.
  package static func nothingButEmpty(_ status: Int) -> Evidence {
    Evidence(
      .nothing,
      "every request was answered by \(status), which 'empty' takes for no records: see whether the URL is right, and whether the "
        + "token has access")
  }

  package init(
    _ sign: Sign, _ reason: String, advice: [String] = [], finding: Finding? = nil, mayBeMeant: Bool = true
  ) {
    (self.sign, self.reason, self.advice, self.finding) = (sign, reason, advice, finding)
    self.mayBeMeant = mayBeMeant
  }
}

// MARK: From a sign of more to the line of a spec that follows it

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
  /// The item of the request that the pager sets; nil for one that follows a link, or that sets a header field.
  package private(set) var item: RequestItem?
  /// The keys of `pages` with their values, the kind first.
  package private(set) var entries: [Entry]
  /// Comment about what the response can't say; empty if the user needs to look up nothing.
  package var comment = ""
  /// True if the response says which page it is, so that the number of the first page is no guess.
  package var isStartTold = false
  /// The first value of the item that the pager counts, if the request must have it: 0 of pages by number.
  package var firstValue: Int?

  init(_ kind: Kind, _ value: String, _ others: [(String, String)] = []) {
    self.kind = kind
    entries = [Entry(key: kind.rawValue, value: value)] + others.map { Entry(key: $0.0, value: $0.1) }
  }

  /// Nil if the item's name can't be written down.
  init?(
    _ kind: Kind, _ item: RequestItem, _ others: [(String, String)] = [], comment: String = "",
    firstValue: Int? = nil
  ) {
    guard let value = item.yaml else { return nil }
    self.init(kind, value, others)
    (self.item, self.comment, self.firstValue) = (item, comment, firstValue)
  }

  /// True if the response itself has the whole URL of the next page, so that no name of an item is a guess.
  package var isExact: Bool { kind == .next || kind == .link }

  /// The item that the pager sets itself, from the first page on.
  package var countedItem: RequestItem? { kind == .number || kind == .offset ? item : nil }

  /// Returns the proposal with another comment.
  package func with(comment: String) -> PagesProposal {
    var proposal = self
    proposal.comment = comment
    return proposal
  }

  /// Returns the proposal with another name of its item; nil if that can't be written down.
  func with(_ item: RequestItem) -> PagesProposal? {
    guard let value = item.yaml else { return nil }
    var proposal = self
    (proposal.item, proposal.entries[0]) = (item, Entry(key: kind.rawValue, value: value))
    return proposal
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

// MARK: Proposals from the items of a request: which item counts pages, and which takes a cursor

/// An item of a request that a pager may set.
package struct RequestItem: Hashable, Sendable {
  package enum Part: String, Sendable {
    case query, body, form
  }

  package let part: Part
  /// Name of the item; its path in a body.
  package let name: String

  package init(in part: Part = .query, _ name: String) {
    (self.part, self.name) = (part, name)
  }

  /// The item as `pages` names it, in YAML; nil if it can't be written down.
  package var yaml: String? {
    switch part {
    case .query: PagesProposer.scalar(name)
    case .form: PagesProposer.scalar(name).map { "{ form: \($0) }" }
    case .body:
      (try? JSONPath(name)).flatMap { PagesProposer.path($0.steps.map(\.name)) }.map { "{ body: \($0) }" }
    }
  }
}

extension PagesProposal {
  /// Keys that end the pages, whatever the pager.
  private static let ends: Set = ["more", "totalPages", "totalRecords"]

  /// Returns a pager that counts an item of the request, from the item's own value on; nil if the name can't be written down.
  ///
  /// - Parameter other: a pager whose keys for the end also fit this one.
  package static func counting(
    _ item: RequestItem, isOffset: Bool, like other: PagesProposal?
  ) -> PagesProposal? {
    PagesProposal(isOffset ? .offset : .number, item, ends(of: other))
  }

  package enum Counted: Sendable {
    case page, offset
  }

  /// Returns the unit that an item of a request counts, judged by its name alone: also `number`, which is rather a page
  /// where something else says that there are pages.
  package static func counted(by name: String) -> Counted? {
    let item = RequestedPage.Item(item: RequestItem(name), value: "")
    return RequestedPage.counted(by: item) ?? (PageHint.currentPage.contains(item.plain) ? .page : nil)
  }

  /// Reports that an item gives the number of records of a page, judged by its name.
  package static func isPageSize(_ name: String) -> Bool {
    RequestedPage.isSize(RequestedPage.Item(item: RequestItem(name), value: ""))
  }

  /// Returns a pager by cursor; nil if a name can't be written down.
  ///
  /// - Parameter path: the root and the names on the way to the cursor.
  package static func carrying(_ item: RequestItem, from path: [String], like other: PagesProposal?) -> PagesProposal? {
    guard let root = path.first, let template = PagesProposer.hole(root, Array(path.dropFirst())) else { return nil }
    return PagesProposal(.cursor, item, [("from", template)] + ends(of: other))
  }

  /// Returns a pager by number or offset that ends with a page that has fewer records than the first.
  package var endingShort: PagesProposal? {
    guard countedItem != nil, !entries.contains(where: { Self.ends.contains($0.key) }) else { return nil }
    var proposal = self
    proposal.entries.append(Entry(key: "until", value: "short"))
    return proposal
  }

  /// True if the response says where the pages end.
  package var saysEnd: Bool { entries.contains { Self.ends.contains($0.key) || $0.key == "until" } }

  private static func ends(of other: PagesProposal?) -> [(String, String)] {
    (other?.entries ?? []).filter { ends.contains($0.key) }.map { ($0.key, $0.value) }
  }
}
