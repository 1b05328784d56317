// All hints of a page together: whether there is more than it holds.

import Diagnostics
import JSONText
package import Wire

/// All known signs on a page that say whether there are further pages.
package struct PageHints: Sendable {
  let candidates: HintCandidates
  package private(set) var votes: [HintReading] = []
  /// True if the `Link` header leads to a page before this one.
  private var hasLinkBefore = false

  /// - Parameter contentName: the last name on the way to the content, which totals may have in theirs.
  package init(_ page: PageFacts, contentName: String? = nil) {
    candidates = HintCandidates(page, contentName: contentName)
    votes = candidates.all.flatMap(votes(of:)) + candidates.links.compactMap(vote(ofLinks:))
    let link = linksVote(page)
    votes += [link, lackingNext, rangeVote(page)].compactMap { $0 }
  }

  /// Returns the strongest sign that there is more; nil if there is none, or if a stronger one says that there is not.
  ///
  /// - Parameter weight: weight of other statements that there is no more.
  package func strongest(against weight: PageHint.Weight = .none) -> HintReading? { signsOfMore(against: weight).first }

  /// Returns the signs that there is more, the strongest first; those that a stronger statement refutes are left out.
  func signsOfMore(against weight: PageHint.Weight = .none) -> [HintReading] {
    let no = max(weight, votes.filter { !$0.saysMore }.map(\.weight).max() ?? .none)
    let yes = votes.filter { $0.saysMore && $0.weight >= no }
    return [.more, .next, .pages, .records].flatMap { weight in yes.filter { $0.weight == weight } }
  }

  /// The first sign that an element at a `*` of the content's path has more than its records here.
  ///
  /// In an element itself, names such as `next` and `more` may well be data.
  package var inner: HintReading? {
    candidates.inner.lazy.flatMap { fact in
      votes(of: fact).filter { vote in
        guard case .named(let sign) = vote.sign else { return false }
        return sign.scope == .anywhere || fact.parent.last != "*" || fact.value.isURL
      }
    }.first { $0.saysMore && [.next, .more].contains($0.weight) } ?? innerTotal
  }

  /// The total of records in all elements at a `*`, if it is above the number of records here.
  ///
  /// A total counts beside the size or place of a page only: that of an invoice is a sum of money.
  private var innerTotal: HintReading? {
    guard
      let first = candidates.inner.first(where: { fact in
        PageHint.named(fact.name).contains { $0.meaning == .records } && fact.value.totalValue.count != nil
          && candidates.inner.contains {
            $0.parent == fact.parent && PageHint.places.contains($0.name) && $0.value.count != nil
          }
      }), let sign = PageHint.named(first.name).first(where: { $0.meaning == .records })
    else { return nil }
    let totals = candidates.inner.filter { $0.source == first.source }.compactMap(\.value.totalValue.count)
    // The counts come from the server, and may be anything.
    let total = totals.reduce(0) { sum, count in
      let (all, isTooMany) = sum.addingReportingOverflow(count)
      return isTooMany ? .max : all
    }
    guard total > candidates.innerCount else { return nil }
    return HintReading(sign: .named(sign), source: first.source, value: JSONValue(total), saysMore: true)
  }

  /// The scalars beside the records, at most three objects deep, with their paths.
  static func values(beside outline: [EnvelopeMember]) -> [(path: [String], value: JSONValue)] {
    func scalars(_ path: [String], _ value: JSONValue, _ level: Int) -> [(path: [String], value: JSONValue)] {
      switch value.kind {
      case .object:
        level < 3 ? value.members.prefix(256).flatMap { scalars(path + [$0.name], $0.value, level + 1) } : []
      case .string, .number: [(path, value)]
      case .array, .boolean, .null: []
      }
    }
    return outline.filter { $0.isWhole && !$0.isInner }.flatMap {
      scalars($0.path, JSONValue(validated: $0.text[...]), 0)
    }
  }

  // MARK: Totals

  /// True if the page says outright that nothing follows: by `has_more: false` and the like.
  var saysEnd: Bool { votes.contains { !$0.saysMore && $0.weight == .more } }

  /// True if the page says that nothing follows: by any hint, or by a total of its records.
  ///
  /// A `count` may be the number of the records on the page.
  var saysAll: Bool {
    votes.contains { !$0.saysMore && $0.weight > .none }
      || candidates.all.contains { fact in
        fact.isPaging && isTotal(fact) && fact.value.totalValue.count == candidates.recordCount
          && !PageHint.mayCountPage(fact.name)
      }
  }

  /// True if the records are all that match, as a total of those says.
  private var hasAllMatching: Bool {
    candidates.all.contains {
      PageHint.matching.contains($0.name) && $0.isPaging && $0.value.count == candidates.recordCount
    }
  }

  /// The total of records that a first page announces, if it is above the records of this page.
  ///
  /// A missing next page does not refute it; `has_more: false` does. Nil for an estimate, a sum, and a later page.
  var announcedTotal: AnnouncedTotal? {
    guard candidates.isList, !saysEnd, !isLaterPage else { return nil }
    let totals = votes.filter { $0.saysMore && $0.weight == .records }
    // A total of what matches precedes a total of everything.
    let matching = totals.first { PageHint.matching.contains(PageHint.normalized($0.source.lastName ?? "")) }
    guard let vote = matching ?? totals.first else { return nil }
    if vote.sign == .range {
      return vote.value.count.map { AnnouncedTotal(count: $0, name: vote.source.spelling, template: nil) }
    }
    guard let fact = candidates.all.first(where: { $0.source == vote.source }), isExact(fact),
      let count = vote.value.totalValue.count, let expected = expected(ofTotal: count, fact)
    else { return nil }
    // The count of the records on a page is seldom a whole number above them; a total is a whole one.
    return AnnouncedTotal(
      count: expected, name: vote.source.spelling, template: PagesProposer.template(vote.source, vote.value))
  }

  /// The number of pages from a first page on, if it is above 1.
  var announcedPages: AnnouncedTotal? {
    guard candidates.isList, !saysEnd, !isLaterPage else { return nil }
    for vote in votes where vote.saysMore && vote.weight == .pages {
      guard let count = vote.value.totalValue.count else { continue }
      return AnnouncedTotal(
        count: count, name: vote.source.spelling, template: PagesProposer.template(vote.source, vote.value))
    }
    return nil
  }

  private func isTotal(_ fact: HintCandidate) -> Bool {
    candidates.totalNames.contains(fact.name) || PageHint.matching.contains(fact.name)
      || PageHint.named(fact.name).contains { $0.meaning == .records }
  }

  /// True if the response says that others precede this page.
  private var isLaterPage: Bool {
    pageBefore != nil
      || candidates.all.contains { fact in
        fact.isPaging
          && (fact.isPageNumber && fact.value.count ?? 0 > 1 && fact.name != "number" && fact.name != "start"
            || ["prev", "previous", "prevpage", "previouspage"].contains(fact.name) && fact.value.namesSomething)
      }
      || candidates.all.contains { fact in
        fact.isPaging && ["links", "paging"].contains(fact.name)
          && fact.value.members.contains {
            ["prev", "previous"].contains(PageHint.normalized($0.name)) && $0.value.namesSomething
          }
      } || hasLinkBefore
  }

  /// False for an estimate, for "at least so many", and for a sum of money.
  private func isExact(_ fact: HintCandidate) -> Bool {
    if ["estimat", "approx"].contains(where: { fact.name.contains($0) }) { return false }
    // Google's are approximations.
    if fact.name == "totalresults", ["pageinfo", "searchinformation", "queries"].contains(fact.container) {
      return false
    }
    // "At least so many" is as good as a total: fewer can't be all.
    let exact = ["eq", "exact", "gte", nil]
    guard exact.contains(fact.value["relation"]?.string?.lowercased()), !isSum(fact) else { return false }
    return !(neighbours(of: fact) + candidates.all.filter(\.isPaging)).contains { other in
      if other.source == fact.source { return false }
      if other.name.contains("exhaustive") {
        let isEstimate = other.value.flag == false || other.value.members.contains { $0.value.flag == false }
        return isEstimate && !isBeyondPages(fact)
      }
      if other.name.contains("relation") { return !exact.contains(other.value.string?.lowercased()) }
      return ["estimat", "approx"].contains { other.name.contains($0) } && other.value.flag == true
    }
  }

  /// True for a number beside a currency or taxes.
  private func isSum(_ fact: HintCandidate) -> Bool {
    (neighbours(of: fact) + candidates.all.filter(\.isPaging)).contains { other in
      PageHint.sums.contains(other.name) && other.parent == fact.parent && other.source != fact.source
    }
  }

  /// True if the pages that the response announces can't hold so many records: the server gives no more.
  private func isBeyondPages(_ fact: HintCandidate) -> Bool {
    func number(_ isWanted: (HintCandidate) -> Bool) -> Int? {
      neighbours(of: fact).first { isWanted($0) && $0.value.count ?? 0 > 0 }?.value.count
    }
    guard let total = fact.value.totalValue.count,
      let pages = number({ PageHint.named($0.name).contains { $0.meaning == .pages } }),
      let size = number({ PageHint.pageSize.contains($0.name) })
    else { return false }
    let (most, isTooMany) = pages.multipliedReportingOverflow(by: size)
    return !isTooMany && total > most
  }

  // MARK: Members and header fields

  /// The sign that another page precedes this one: `first` that is false, `hasPrevious` that is true.
  var pageBefore: String? {
    for fact in candidates.all where fact.isPaging {
      guard let flag = fact.value.flag else { continue }
      let names = flag ? PageHint.pageBefore : PageHint.firstPage
      if names.contains(fact.name) { return "'\(fact.source.spelling)' that is \(flag)" }
    }
    return nil
  }

  private func votes(of fact: HintCandidate) -> [HintReading] {
    let isTotal = candidates.totalNames.contains(fact.name) && PageHint.named(fact.name).isEmpty
    return PageHint.named(isTotal ? "total" : fact.name).compactMap { sign in
      guard counts(sign, fact), let saysMore = saysMore(sign, fact) else { return nil }
      // An object that does not speak of pages may say no of something else.
      guard saysMore || fact.isPaging else { return nil }
      return HintReading(sign: .named(sign), source: fact.source, value: fact.value, saysMore: saysMore)
    }
  }

  private func counts(_ sign: PageHint, _ fact: HintCandidate) -> Bool {
    // A summary may be one of money, so that only plain names count.
    let isPlain = fact.container == "summary" && PageHint.plainTotals.contains(fact.name)
    guard sign.scope == .anywhere || fact.isPaging || isPlain else { return false }
    if candidates.isList { return true }
    // A single object has members of all kinds, and neighbours.
    guard fact.parent.isEmpty, [.next, .more].contains(sign.weight), fact.value.kind != .object else { return false }
    return sign.meaning != .end && (sign.scope == .anywhere || sign.name == "next")
  }

  private func saysMore(_ sign: PageHint, _ fact: HintCandidate) -> Bool? {
    switch sign.meaning {
    case .next:
      return leads(fact) ? fact.value.namesSomething : nil
    case .textOffset:
      return fact.value.string.map { !$0.isEmpty && Int($0) == nil } == true ? true : nil
    case .more:
      return fact.value.flag ?? (fact.name == "partial" ? nil : fact.value.count.map { $0 > 0 })
    case .end:
      // A text beside links is one of them.
      if fact.name == "last", fact.value.kind == .string, neighbours(of: fact).contains(where: { $0.name == "next" }) {
        return nil
      }
      return fact.value.flag.map { !$0 }
    // A last record has these names, too, so that the number of this page must stand beside it.
    case .pages where ["last", "of"].contains(fact.name) && !neighbours(of: fact).contains(where: \.isPageNumber):
      return nil
    case .pages:
      return fact.value.count.flatMap { isBefore(lastPage: $0, fact) }
    case .records:
      guard let received = candidates.recordCount, let total = fact.value.totalValue.count else { return nil }
      // One object with an identity has its own totals: `{"id": 1, "total": 99, "items": […]}`.
      guard !candidates.isData || !fact.parent.isEmpty || PageHint.plainTotals.contains(fact.name), !isSum(fact) else {
        return nil
      }
      // A total of all records that the server has says nothing beside that of those that match.
      guard !hasAllMatching || PageHint.matching.contains(fact.name) else { return nil }
      return expected(ofTotal: total, fact).flatMap { $0 > received && total != candidates.innerCount ? true : nil }
    case .partial: return nil
    }
  }

  /// True if a total is the number of records that came.
  var hasAll: Bool {
    candidates.all.contains { fact in
      PageHint.named(fact.name).contains { $0.meaning == .records }
        && fact.value.totalValue.count == candidates.recordCount
    }
  }

  /// Reports that the value leads to the next page, and is not a member with the same name and another meaning.
  private func leads(_ fact: HintCandidate) -> Bool {
    switch fact.name {
    // Beside `before`, or in an object about the page: elsewhere it may be what was asked for.
    // Facebook's is there on the last page, too.
    case "after"
    where fact.container == "cursors" && PageHint.normalized(fact.parent.dropLast().last ?? "") == "paging":
      return false
    case "after":
      return ["page", "paging", "pagination", "cursors"].contains(fact.container)
        || neighbours(of: fact).contains { $0.name == "before" }
    // A number may also be the number of what has come.
    case "cursor" where fact.value.kind == .number, "pagetoken" where fact.value.kind == .number: return !hasAll
    case "cursor", "continue", "pagetoken":
      let kinds: [JSONKind] = fact.name == "continue" ? [.string, .object, .null] : [.string, .null]
      return kinds.contains(fact.value.kind)
    default: return true
    }
  }

  private func isBefore(lastPage last: Int, _ fact: HintCandidate) -> Bool? {
    guard last > 0 else { return nil }
    guard let current = current(fact), current <= last || candidates.recordCount == 0 else {
      return last > 1 ? true : nil
    }
    return current < last
  }

  /// The number of the page, from 1.
  private func current(_ fact: HintCandidate) -> Int? {
    let near = neighbours(of: fact) + candidates.all.filter(\.isPaging)
    guard let page = near.first(where: { PageHint.currentPage.contains($0.name) && $0.value.count != nil }),
      let number = page.value.count
    else { return nil }
    return isFromZero(page, near) && number < .max ? number + 1 : number
  }

  /// Spring's and Algolia's pages begin with 0; so do others whose first one is here.
  private func isFromZero(_ page: HintCandidate, _ near: [HintCandidate]) -> Bool {
    page.value.count == 0
      || near.contains { ["totalelements", "numberofelements", "nbpages"].contains($0.name) }
  }

  /// Returns the number of records from this page on, up to a total; nil if the number is rather no total.
  private func expected(ofTotal total: Int, _ fact: HintCandidate) -> Int? {
    guard let received = candidates.recordCount, total > 0 else { return nil }
    let near = neighbours(of: fact)
    let start = (near + candidates.all.filter(\.isPaging)).first { PageHint.currentOffset.contains($0.name) }
    // If the response has the position in the list, `count` is often the size of a page, unless it is above that size.
    let isBesideStart = start != nil || near.contains { $0.name.hasPrefix("total") }
    if fact.name == "count", isBesideStart, !isAbovePageSize(total, near) { return nil }
    var offset = start?.value.count ?? 0
    if received == 0, offset > 0 { return nil }
    // A list that begins with 1 has nothing before it; a number beyond the list is no position in it.
    if offset == 1 || offset >= total { offset = 0 }
    return total - max(0, offset)
  }

  private func isAbovePageSize(_ count: Int, _ near: [HintCandidate]) -> Bool {
    near.contains { PageHint.pageSize.contains($0.name) && ($0.value.count).map { $0 > 0 && $0 < count } == true }
  }

  private func neighbours(of fact: HintCandidate) -> [HintCandidate] {
    if fact.source.isHeader { return candidates.all.filter(\.source.isHeader) }
    return candidates.all.filter {
      if case .body(let path) = $0.source { path.dropLast() == fact.parent[...] } else { false }
    }
  }

  // MARK: Links

  private static let relations: Set<String> = ["first", "last", "prev", "previous"]

  private mutating func linksVote(_ page: PageFacts) -> HintReading? {
    let fields = page.fields.values(of: "Link")
    let links = fields.flatMap { WebLink.links(in: $0) }.filter { $0.isAbout(page.url.text) }
    func vote(_ saysMore: Bool, isReadable: Bool = true) -> HintReading {
      HintReading(
        sign: .linkHeader(isReadable: isReadable), source: .header("Link"), value: .null, saysMore: saysMore)
    }
    hasLinkBefore = links.contains { $0.relations.contains("prev") || $0.relations.contains("previous") }
    if let next = links.first(where: { $0.relations.contains("next") }) { return vote(!next.isEmpty) }
    if fields.contains(where: { WebLink.isLost("next", in: $0) }) { return vote(true, isReadable: false) }
    return links.contains { !Self.relations.isDisjoint(with: $0.relations) } ? vote(false) : nil
  }

  private func vote(ofLinks member: (path: [String], value: JSONValue)) -> HintReading? {
    guard candidates.isList else { return nil }
    let relations = Set(WebLink.links(in: member.value).filter { $0.target?.isEmpty == false }.flatMap(\.relations))
    guard relations.contains("next") || !relations.isDisjoint(with: Self.relations) else { return nil }
    return HintReading(
      sign: .links, source: .body(member.path), value: member.value, saysMore: relations.contains("next"))
  }

  /// An object of links that has others, and none to a next page.
  private var lackingNext: HintReading? {
    let links = candidates.all.filter {
      $0.isPaging && ["links", "paging"].contains($0.name) && $0.value.kind == .object
    }
    guard candidates.isList, let next = PageHint.named("next").first,
      let last = links.first(where: { object in
        let names = Set(object.value.members.filter { $0.value.namesSomething }.map { PageHint.normalized($0.name) })
        return !names.contains("next") && !names.isDisjoint(with: Self.relations)
      })
    else { return nil }
    return HintReading(sign: .named(next), source: last.source, value: .null, saysMore: false)
  }

  /// RFC 9110 §14.4 with other units than bytes: `items 0-24/573`.
  private func rangeVote(_ page: PageFacts) -> HintReading? {
    guard candidates.isList, let (last, total) = Self.range(of: page) else { return nil }
    return HintReading(
      sign: .range, source: .header("Content-Range"), value: JSONValue(total), saysMore: last + 1 < total)
  }

  private static func range(of page: PageFacts) -> (last: Int, total: Int)? {
    guard let field = page.fields["Content-Range"], !field.lowercased().hasPrefix("bytes") else { return nil }
    let parts = field.split { " -/".contains($0) }.suffix(2).compactMap { Int($0) }
    return parts.count == 2 && parts[0] < Int.max ? (parts[0], parts[1]) : nil
  }

  /// True if the header says that the page has all there is, in other units than bytes: `items 0-9/10`.
  static func isWhole(_ page: PageFacts) -> Bool {
    range(of: page).map { $0.last + 1 >= $0.total } ?? false
  }
}

extension HintCandidate {
  fileprivate var isPageNumber: Bool { PageHint.currentPage.contains(name) && value.count != nil }
}

/// A total that a response announces, with the location of its value.
package struct AnnouncedTotal: Hashable, Sendable {
  package let count: Int
  /// The member as messages name it.
  package let name: String
  /// The template that reads the value, in quotes; nil if none can.
  package let template: String?
}

/// The statement of one sign.
package struct HintReading: Sendable {
  package enum Kind: Hashable, Sendable {
    case named(PageHint)
    /// The `Link` header.
    case linkHeader(isReadable: Bool)
    /// An array of links in the body.
    case links
    /// `Content-Range: items 0-24/573`.
    case range
  }

  package let sign: Kind
  let source: HintCandidate.Source
  let value: JSONValue
  package let saysMore: Bool

  package var weight: PageHint.Weight {
    switch sign {
    case .named(let sign): !saysMore && sign.isWeakNo ? .none : sign.weight
    case .linkHeader, .links: .next
    case .range: .records
    }
  }

  /// The sign in words, with the number that it gives.
  func text(received: Int?) -> String {
    switch sign {
    case .linkHeader(true): "a Link header with 'next'"
    case .linkHeader(false): "a Link header that can't be read, with 'next' in it"
    case .links: "a link 'next' in '\(name)'"
    case .range: "a Content-Range header that ends before its total"
    case .named(let sign):
      switch sign.meaning {
      case .next, .more, .textOffset: "'\(name)'"
      case .end, .partial: "'\(name)' that is \(value.text)"
      case .pages: "'\(name)' of \(value.shownNumber)"
      case .records:
        "'\(name)' of \(value.shownNumber)" + (received.map { " for \($0.counted("record"))" } ?? "")
      }
    }
  }

  private var name: String { source.spelling }
}

extension JSONValue {
  /// A number, or a text of digits.
  var count: Int? { integer ?? string.flatMap { Int($0) } }

  /// The number that an object like `{"value": 10000, "relation": "gte"}` holds, or the value itself.
  var totalValue: JSONValue { kind == .object ? self["value"] ?? self["count"] ?? self : self }

  fileprivate var shownNumber: String { totalValue.count.map(String.init) ?? "more" }

  /// Value of a boolean, also as text, `yes` or `no`.
  var flag: Bool? {
    if let boolean { return boolean }
    switch string?.lowercased() {
    case "true", "yes", "y": return true
    case "false", "no", "n": return false
    default: return nil
    }
  }

  /// True if the value is a text that begins as a URL with a scheme or a path does.
  var isURL: Bool { string.map { $0.hasPrefix("http") || $0.hasPrefix("/") } ?? false }

  /// True if a value that leads to the next page leads anywhere.
  ///
  /// HAL and others have an object here, whose URL counts.
  var namesSomething: Bool {
    switch kind {
    case .object: (self["href"] ?? self["url"]).map(\.namesSomething) ?? members.contains { $0.value.namesSomething }
    case .array: bytes.count > 2
    case .string: !["", "0", "-1", "null", "nil", "none"].contains(string) && flag != false
    case .number: integer.map { $0 > 0 } ?? true
    case .boolean: boolean == true
    case .null: false
    }
  }
}
