// All signs of a first page together: whether there is more than it holds.

import JSONText
package import Wire

/// All known signs on a page that say whether there are further pages.
package struct MoreSigns: Sendable {
  let facts: MoreFacts
  package private(set) var votes: [MoreVote] = []

  /// - Parameter contentName: the last name on the way to the content, which totals may have in theirs.
  package init(_ page: PageFacts, contentName: String? = nil) {
    facts = MoreFacts(page, contentName: contentName)
    votes = facts.all.flatMap(votes(of:)) + facts.links.compactMap(vote(ofLinks:))
    votes += [linksVote(page), lackingNext, rangeVote(page)].compactMap { $0 }
  }

  /// Returns the strongest sign that there is more; nil if there is none, or if a stronger one says that there is not.
  ///
  /// - Parameter weight: weight of other statements that there is no more.
  package func strongest(against weight: MoreSign.Weight = .none) -> MoreVote? {
    let no = max(weight, votes.filter { !$0.saysMore }.map(\.weight).max() ?? .none)
    let yes = votes.filter { $0.saysMore && $0.weight >= no }
    return yes.first { $0.weight == yes.map(\.weight).max() }
  }

  /// The first sign that an element at a `*` of the content's path has more than its records here.
  ///
  /// In an element itself, names such as `next` and `more` may well be data.
  package var inner: MoreVote? {
    facts.inner.lazy.flatMap { fact in
      votes(of: fact).filter { vote in
        guard case .named(let sign) = vote.sign else { return false }
        return sign.place == .anywhere || fact.place.last != "*" || fact.value.isURL
      }
    }.first { $0.saysMore && [.next, .more].contains($0.weight) } ?? innerTotal
  }

  /// The total of records in all elements at a `*`, if it is above the number of records here.
  ///
  /// A total counts beside the size or place of a page only: that of an invoice is a sum of money.
  private var innerTotal: MoreVote? {
    let pageNames = [
      "maxresults", "pagesize", "perpage", "itemsperpage", "resultsperpage", "startat", "startindex", "offset", "page",
      "currentpage", "pagenumber",
    ]
    guard
      let first = facts.inner.first(where: { fact in
        MoreSign.named(fact.name).contains { $0.meaning == .records } && fact.value.totalValue.count != nil
          && facts.inner.contains { $0.place == fact.place && pageNames.contains($0.name) && $0.value.count != nil }
      }), let sign = MoreSign.named(first.name).first(where: { $0.meaning == .records })
    else { return nil }
    let totals = facts.inner.filter { $0.source == first.source }.compactMap(\.value.totalValue.count)
    // The counts come from the server, and may be anything.
    let total = totals.reduce(0) { sum, count in
      let (all, isTooMany) = sum.addingReportingOverflow(count)
      return isTooMany ? .max : all
    }
    guard total > facts.innerCount else { return nil }
    return MoreVote(sign: .named(sign), source: first.source, value: JSONValue(total), saysMore: true)
  }

  /// Totals that the page has, as far as they say that there is more.
  var totals: PageTotals {
    let no = votes.filter { !$0.saysMore }.map(\.weight).max() ?? .none
    func count(_ meaning: MoreSign.Meaning) -> Int? {
      for vote in votes where vote.saysMore && vote.weight >= no {
        if case .named(let sign) = vote.sign, sign.meaning == meaning { return vote.value.totalValue.count }
        if vote.sign == .range, meaning == .records { return vote.value.count }
      }
      return nil
    }
    return PageTotals(pages: count(.pages), records: count(.records))
  }

  // MARK: Members and header fields

  /// The sign that another page precedes this one: `first` that is false, `hasPrevious` that is true.
  var pageBefore: String? {
    for fact in facts.all where fact.isPaging {
      guard let flag = fact.value.flag else { continue }
      let names = flag ? MoreSign.pageBefore : MoreSign.firstPage
      if names.contains(fact.name) { return "'\(fact.source.spelling)' that is \(flag)" }
    }
    return nil
  }

  private func votes(of fact: MoreFact) -> [MoreVote] {
    let isTotal = facts.totalNames.contains(fact.name) && MoreSign.named(fact.name).isEmpty
    return MoreSign.named(isTotal ? "total" : fact.name).compactMap { sign in
      guard counts(sign, fact), let saysMore = saysMore(sign, fact) else { return nil }
      // An object that does not speak of pages may say no of something else.
      guard saysMore || fact.isPaging else { return nil }
      return MoreVote(sign: .named(sign), source: fact.source, value: fact.value, saysMore: saysMore)
    }
  }

  private func counts(_ sign: MoreSign, _ fact: MoreFact) -> Bool {
    guard sign.place == .anywhere || fact.isPaging else { return false }
    if facts.isList { return true }
    // A single object has members of all kinds, and neighbours.
    guard fact.place.isEmpty, [.next, .more].contains(sign.weight), fact.value.kind != .object else { return false }
    return sign.meaning != .end && (sign.place == .anywhere || sign.name == "next")
  }

  private func saysMore(_ sign: MoreSign, _ fact: MoreFact) -> Bool? {
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
      return fact.value.totalValue.count.flatMap { isBefore(total: $0, fact) }
    }
  }

  /// True if a total is the number of records that came.
  var hasAll: Bool {
    facts.all.contains { fact in
      MoreSign.named(fact.name).contains { $0.meaning == .records } && fact.value.totalValue.count == facts.recordCount
    }
  }

  /// Reports that the value leads to the next page, and is not a member with the same name and another meaning.
  private func leads(_ fact: MoreFact) -> Bool {
    switch fact.name {
    // Beside `before`, or in an object about the page: elsewhere it may be what was asked for.
    // Facebook's is there on the last page, too.
    case "after" where fact.container == "cursors" && MoreSign.normalized(fact.place.dropLast().last ?? "") == "paging":
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

  private func isBefore(lastPage last: Int, _ fact: MoreFact) -> Bool? {
    guard last > 0 else { return nil }
    guard let current = current(fact), current <= last || facts.recordCount == 0 else { return last > 1 ? true : nil }
    return current < last
  }

  /// The number of the page, from 1.
  private func current(_ fact: MoreFact) -> Int? {
    let near = neighbours(of: fact) + facts.all.filter(\.isPaging)
    guard let page = near.first(where: { MoreSign.currentPage.contains($0.name) && $0.value.count != nil }),
      let number = page.value.count
    else { return nil }
    return isFromZero(page, near) && number < .max ? number + 1 : number
  }

  /// Spring's and Algolia's pages begin with 0; so do others whose first one is here.
  private func isFromZero(_ page: MoreFact, _ near: [MoreFact]) -> Bool {
    page.value.count == 0
      || near.contains { ["totalelements", "numberofelements", "nbpages"].contains($0.name) }
  }

  private func isBefore(total: Int, _ fact: MoreFact) -> Bool? {
    guard let received = facts.recordCount, total > 0 else { return nil }
    let near = neighbours(of: fact)
    let start = (near + facts.all.filter(\.isPaging)).first { MoreSign.currentOffset.contains($0.name) }
    // If the response has the position in the list, `count` is often the size of a page, unless it is above that size.
    let isBesidePlace = start != nil || near.contains { $0.name.hasPrefix("total") }
    if fact.name == "count", isBesidePlace, !isAbovePageSize(total, near) { return nil }
    var offset = start?.value.count ?? 0
    if received == 0, offset > 0 { return nil }
    // A list that begins with 1 has nothing before it; a number beyond the list is no position in it.
    if offset == 1 || offset >= total { offset = 0 }
    return total - received > offset ? true : nil
  }

  private func isAbovePageSize(_ count: Int, _ near: [MoreFact]) -> Bool {
    near.contains { MoreSign.pageSize.contains($0.name) && ($0.value.count).map { $0 > 0 && $0 < count } == true }
  }

  private func neighbours(of fact: MoreFact) -> [MoreFact] {
    if fact.source.isHeader { return facts.all.filter(\.source.isHeader) }
    return facts.all.filter {
      if case .body(let path) = $0.source { path.dropLast() == fact.place[...] } else { false }
    }
  }

  // MARK: Links

  private static let relations: Set<String> = ["first", "last", "prev", "previous"]

  private func linksVote(_ page: PageFacts) -> MoreVote? {
    let fields = page.fields.values(of: "Link")
    let links = fields.flatMap { WebLink.links(in: $0) }.filter { $0.isAbout(page.url.text) }
    func vote(_ saysMore: Bool, isReadable: Bool = true) -> MoreVote {
      MoreVote(
        sign: .linkHeader(isReadable: isReadable), source: .header("Link"), value: .null, saysMore: saysMore)
    }
    if let next = links.first(where: { $0.relations.contains("next") }) { return vote(!next.isEmpty) }
    if fields.contains(where: { WebLink.isLost("next", in: $0) }) { return vote(true, isReadable: false) }
    return links.contains { !Self.relations.isDisjoint(with: $0.relations) } ? vote(false) : nil
  }

  private func vote(ofLinks member: (path: [String], value: JSONValue)) -> MoreVote? {
    guard facts.isList else { return nil }
    let relations = Set(WebLink.links(in: member.value).filter { $0.target?.isEmpty == false }.flatMap(\.relations))
    guard relations.contains("next") || !relations.isDisjoint(with: Self.relations) else { return nil }
    return MoreVote(
      sign: .links, source: .body(member.path), value: member.value, saysMore: relations.contains("next"))
  }

  /// An object of links that has others, and none to a next page.
  private var lackingNext: MoreVote? {
    let links = facts.all.filter { $0.isPaging && ["links", "paging"].contains($0.name) && $0.value.kind == .object }
    guard facts.isList, let next = MoreSign.named("next").first,
      let last = links.first(where: { object in
        let names = Set(object.value.members.filter { $0.value.namesSomething }.map { MoreSign.normalized($0.name) })
        return !names.contains("next") && !names.isDisjoint(with: Self.relations)
      })
    else { return nil }
    return MoreVote(sign: .named(next), source: last.source, value: .null, saysMore: false)
  }

  /// RFC 9110 §14.4 with other units than bytes: `items 0-24/573`.
  private func rangeVote(_ page: PageFacts) -> MoreVote? {
    guard facts.isList, let (last, total) = Self.range(of: page) else { return nil }
    return MoreVote(
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

extension MoreFact {
  fileprivate var isPageNumber: Bool { MoreSign.currentPage.contains(name) && value.count != nil }
}
