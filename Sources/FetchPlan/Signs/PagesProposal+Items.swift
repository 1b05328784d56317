// Proposals from the items of a request: which item counts pages, and which takes a cursor.

import JSONText
import PipelineSpec

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
    let kind = isOffset ? Kind.offset : .number
    return item.yaml.map { PagesProposal(kind, $0, ends(of: other)) }
  }

  package enum Counted: Sendable {
    case page, offset
  }

  /// Returns the unit that an item of a request counts, judged by its name: `page`, `$skip`, `pagination[page]`.
  package static func counted(by item: String) -> Counted? {
    let last = item.split { "[]/.".contains($0) }.last ?? ""
    let name = PageHint.normalized(last)
    if ["p", "pg"].contains(name) || PageHint.currentPage.contains(name) { return .page }
    return PageHint.currentOffset.contains(name) ? .offset : nil
  }

  /// Reports that an item gives the number of records of a page, judged by its name.
  package static func isPageSize(_ item: String) -> Bool {
    let name = PageHint.normalized(item.split { "[]/.".contains($0) }.last ?? "")
    return PageHint.pageSize.contains(name) || ["size", "top", "first", "count", "rows", "take", "num"].contains(name)
  }

  /// Returns a pager by cursor; nil if a name can't be written down.
  ///
  /// - Parameter path: the root and the names on the way to the cursor.
  package static func carrying(_ item: RequestItem, from path: [String], like other: PagesProposal?) -> PagesProposal? {
    guard let item = item.yaml, let root = path.first,
      let template = PagesProposer.hole(root, Array(path.dropFirst()))
    else { return nil }
    return PagesProposal(.cursor, item, [("from", template)] + ends(of: other))
  }

  /// Returns a pager by number or offset that ends with a page that has fewer records than the first.
  package var endingShort: PagesProposal? {
    guard kind == .number || kind == .offset, !entries.contains(where: { Self.ends.contains($0.key) }) else {
      return nil
    }
    let others = entries.dropFirst().map { ($0.key, $0.value) }
    return PagesProposal(kind, entries[0].value, others + [("until", "short")], comment: comment)
  }

  /// True if the response says where the pages end.
  package var saysEnd: Bool { entries.contains { Self.ends.contains($0.key) || $0.key == "until" } }

  private static func ends(of other: PagesProposal?) -> [(String, String)] {
    (other?.entries ?? []).filter { ends.contains($0.key) }.map { ($0.key, $0.value) }
  }
}
