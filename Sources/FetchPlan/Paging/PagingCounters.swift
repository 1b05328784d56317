// The counters of a stream, and the decision whether they are complete.

import Diagnostics
import JSONText
import PipelineSpec
import Wire

/// Counts pages and records, and compares them with the server's totals.
struct PagingCounters: Hashable, Sendable {
  var totals = PageTotals()
  /// Totals of page one that no key reads: they end no stream, but an end before them is doubtful.
  var announced = AnnouncedTotals()
  /// Number of records that came, where the server counts other items (`*` in the content's path).
  var received = 0
  /// Number of records, as the server counts them (`PageFacts.itemCount`).
  var records = 0
  /// Number of items that the server may not have counted (`PageFacts.wrappedCount`).
  var uncertain = 0
  /// Number of records on page one, for `until: short`.
  var firstRecords = 0
  /// Size that pages are asked for with, after larger ones have failed; nil for that of the request itself.
  var pageSize: Int?
  /// Number by which the pages so far would be more, had all of them this size.
  var extraPages = 0
  /// Kind of the content on the first page that has content.
  var contentKind: ContentKind?
  /// True if a page had a value for `done`: from then on, a page without one is not the last.
  var knowsDone = false
  /// Pages without an item, in a row.
  var emptyPages = 0
  /// Pages without a record, in a row.
  var pagesWithoutRecords = 0
  /// True if the last page has a record that ends the stream, since older ones came in an earlier run.
  var endsKnown = false
  /// True if a record that is new follows a known one on the last page.
  var isUnsorted = false
  /// Hash of the last page's last record; 0 without one.
  var lastRecord = 0
  /// True if a page had equal records.
  var hasEqual = false

  /// The total that a key reads, or that page one announced, if as many records came.
  var reachedTotal: Int? {
    let total = totals.mostRecords ?? announced.records?.count
    return total == records || total == received ? total : nil
  }

  mutating func add(_ page: PageFacts, _ signs: PageSigns) {
    if page.number == 1 { firstRecords = page.body.itemCount }
    received += page.body.recordCount
    records += page.body.itemCount
    uncertain += max(0, page.body.wrappedCount - 1)
    totals.learn(signs.totals, all: records, before: records - page.body.itemCount)
    emptyPages = page.body.itemCount == 0 ? emptyPages + 1 : 0
    pagesWithoutRecords = page.body.recordCount == 0 ? pagesWithoutRecords + 1 : 0
    contentKind = contentKind ?? page.body.contentKind
    knowsDone = knowsDone || signs.saysDone != nil
  }

  /// Number of records on a full page.
  var fullCount: Int { min(firstRecords, pageSize ?? .max) }

  /// Learns that pages have another size from now on.
  ///
  /// - Parameter extra: number by which the pages so far would be more, had they this size.
  mutating func resize(to size: Int, extraPages extra: Int) {
    pageSize = size
    extraPages += extra
    // The number of pages is another one, which only a later page can give.
    (totals.pages, totals.mostPages, announced.pages) = (nil, nil, nil)
  }

  /// Returns a sentence if the page's content is of another kind than that of the pages before.
  ///
  /// A text or a number in place of records differs. If the whole body is the content, an object in place of a list
  /// differs too. Under a key, a single record may stand without a list (XML that became JSON).
  func mismatch(_ page: PageFacts, isWholeBody: Bool) -> String? {
    guard let kind = page.body.contentKind, let first = contentKind, kind != first else { return nil }
    switch kind {
    case .array: return nil
    case .object: guard first == .array, isWholeBody else { return nil }
    case .string, .number, .boolean: guard first == .array || first == .object else { return nil }
    case .indexed: guard first == .array else { return nil }
    }
    let article = "ao".contains(kind.rawValue.prefix(1)) ? "an" : "a"
    return
      "the content of page \(page.number) is \(article) \(kind.rawValue), and that of the pages before it is an \(first.rawValue): "
      + "see what the API says there, and say where the pages end, by 'more', 'until', 'totalPages' or 'totalRecords'"
  }

  /// Returns the reason why the stream ends with a page, even if a next one is named; nil if it does not end.
  func end(with page: PageFacts, _ signs: PageSigns, _ pages: Pages) -> String? {
    if page.status >= 300 { return "status \(page.status) on page \(page.number)" }
    // Totals may be estimates: a page that says outright that there is more is believed.
    if !signs.insistsOnMore, let total = totals.mostPages, page.number + extraPages >= total {
      return "page \(page.number + extraPages) of \(total)"
    }
    if endsEmpty(page, signs, pages.kind) || isAfterTotal(page, pages.kind) { return "empty page \(page.number)" }
    if !signs.insistsOnMore, let reason = hasAll(page, pages.kind) { return reason }
    if signs.saysDone == true { return "'until' on page \(page.number)" }
    if signs.saysMore == false { return "no 'more' on page \(page.number)" }
    if pages.until.contains(.short), page.body.rowCount < fullCount { return "short page \(page.number)" }
    return pages.until.contains(.known) && page.body.hasKnown ? "a known record on page \(page.number)" : nil
  }

  /// Returns the reason if the total of records has been reached, even if the server names further pages.
  ///
  /// If the page itself names the next one, the total counts only if it is reached on a page that has fewer records than
  /// the first: servers that count no further than 10,000, say, have as many records as that, and more.
  private func hasAll(_ page: PageFacts, _ kind: Pages.Kind) -> String? {
    guard totals.pages == nil, let total = totals.mostRecords, records >= total else { return nil }
    let isLast = records == total && page.body.itemCount < fullCount
    switch kind {
    case .cursor where !isLast, .next where !isLast, .link where !isLast: return nil
    case .single, .auto, .number, .offset, .cursor, .next, .link: return "\(records) of \(total) records"
    }
  }

  /// Reports that an empty page follows a total that was reached: that is the end, whatever the page says.
  private func isAfterTotal(_ page: PageFacts, _ kind: Pages.Kind) -> Bool {
    let hasAll = totals.pages.map { page.number + extraPages >= $0 } ?? totals.records.map { records >= $0 } ?? false
    switch kind {
    case .number, .offset: return page.body.itemCount == 0 && hasAll
    case .cursor, .next, .link: return page.body.itemCount == 0 && records > 0 && records == totals.mostRecords
    case .single, .auto: return false
    }
  }

  /// Reports that an empty page is the end, unless the page names the next one itself or says that there is more.
  private func endsEmpty(_ page: PageFacts, _ signs: PageSigns, _ kind: Pages.Kind) -> Bool {
    guard page.body.itemCount == 0 || page.status == 204 else { return false }
    switch kind {
    case .number:
      return totals.pages == nil && !signs.insistsOnMore && !hasNoDone(page, signs) && !isGap(page)
    // After no records, the next offset would be the same: the stream can't continue.
    case .offset: return !signs.insistsOnMore && !(isGap(page) && firstRecords > 0)
    case .single, .auto, .cursor, .next, .link: return false
    }
  }

  /// Reports that the page lacks `done`, though an earlier page had it.
  ///
  /// A 204 has no body, so it may lack `done`.
  private func hasNoDone(_ page: PageFacts, _ signs: PageSigns) -> Bool {
    knowsDone && signs.saysDone == nil && page.status != 204
  }

  /// Reports that the page is a gap between pages with records: its content is `null`, and the total is not reached.
  ///
  /// Only one such page in a row is a gap, since totals may be estimates, and some servers write `null` for an empty
  /// list.
  private func isGap(_ page: PageFacts) -> Bool {
    guard page.body.hasNullContent, emptyPages == 1 else { return false }
    return records < max(totals.records ?? 0, announced.records?.count ?? 0)
      || page.number < announced.pages?.count ?? 0
  }

  /// Returns the evidence against an end that looks normal; nil if there is none.
  ///
  /// - Parameter hints: the hints of the last page.
  func doubt(pageCount: Int, _ pages: Pages, _ hints: PageHints?) -> Evidence? {
    let pageCount = pageCount + extraPages
    if endsKnown { return isUnsorted ? Evidence(.moved, Self.unsorted) : nil }
    let isNumbered =
      switch pages.kind {
      case .number, .offset: true
      case .single, .auto, .cursor, .next, .link: false
      }
    if isNumbered, !pages.hasFlag, let total = totals.mostRecords, records - uncertain > total {
      return Evidence(
        .total,
        "\(records) records came, and 'totalRecords' reads a total of \(total): the pages overlap, or that is not a total of "
          + "these records; see how the API counts its pages, and what it says of its total")
    }
    if isNumbered, let fall = fallenTotal { return Evidence(.moved, fall) }
    let (isFrom1, hasUntil) = (pages.isFrom1, pages.mayEndEmpty)
    if isFrom1, !hasUntil, let sign = signOfPage0(pageCount: pageCount, pages) {
      return Evidence(.way, "\(sign): \(Evidence.page0)")
    }
    if totals.pages == pageCount { return contradiction() }
    // `has_more: false` is a stronger statement than a total; a missing next page is none.
    guard !pages.hasFlag, hints?.saysEnd != true else { return nil }
    return missing(pageCount: pageCount, isNumbered: isNumbered)
  }

  /// Returns evidence that a page came again since the server ignores what asks for the next one, or since the cursor
  /// stays.
  ///
  /// By number, that can only be so on the second page. A cursor of the last record stays if the records of a full page
  /// have equal values.
  func doubt(_ repeated: (count: Int, isSecond: Bool), isKeyset: Bool, _ request: Request) -> Evidence? {
    guard firstRecords > 1, totals.mostRecords != records, !RequestedPage(request).asksForMore(than: firstRecords)
    else {
      return nil
    }
    if isKeyset, repeated.count == fullCount {
      return Evidence(
        .repeats,
        "the last page has \(repeated.count) records, as many as the first, and its cursor leads to it again: the records behind "
          + "more equal values than a page has can't be reached; let pages be longer, use another cursor, or page by 'number' or 'offset' "
          + "in this order, with 'unique'", mayBeMeant: false)
    }
    guard !isKeyset, repeated.isSecond else { return nil }
    return Evidence(
      .repeats,
      "no record of page 2 is new: either page 1 has all, or the server ignores what 'pages' sends; see how the API calls it, "
        + "and give the size of a page in the request")
  }

  /// Returns evidence if the total of page one is not reached.
  ///
  /// Totals of later pages mean nothing: those of a keyset fall. If records were deleted meanwhile, others may be missing.
  private func missing(pageCount: Int, isNumbered: Bool) -> Evidence? {
    let rest =
      isNumbered
      ? "to end the pages by it, add to 'pages'"
      : "if the API gives no more to one request, split the request, by 'each' for example; to read the total, add to 'pages'"
    if let total = announced.records {
      guard records < total.count, received != total.count else { return nil }
      return Evidence(
        .total,
        "the pages end after \(records.counted("record")), but the first page has '\(total.name)' of \(total.count): "
          + "there may be more",
        advice: total.template.map { [rest, "totalRecords: \($0)"] } ?? [])
    }
    // A total that is neither what came nor what there was at first is an estimate, or of what is left.
    if !isNumbered, let total = totals.mostRecords, records < total, totals.records == records {
      return Evidence(
        .total,
        "the pages end after \(records.counted("record")), but 'totalRecords' of an earlier page is \(total): "
          + "there may be more")
    }
    guard let total = announced.pages, pageCount < total.count else { return nil }
    return Evidence(
      .total,
      "the pages end after \(pageCount.counted("page")), but the first page has '\(total.name)' of \(total.count): "
        + "there may be more",
      advice: total.template.map { ["to end the pages by it, add to 'pages'", "totalPages: \($0)"] } ?? [])
  }

  private static let unsorted =
    "a record above the remembered mark follows one that is not: the list is not ordered by 'mark', the newest first, and "
    + "'until: known' may have ended before others that are new; leave it out, or ask for that order"

  /// Says that the total of records fell during the run, and fewer came than it was at first.
  private var fallenTotal: String? {
    guard let total = totals.records, let most = totals.mostRecords, total < most, records < most else { return nil }
    return
      "the total fell from \(most) to \(total) while the pages were fetched, and \(records) records came: records that moved "
      + "to an earlier page may be missing; fetch again, or by 'cursor' or 'next', if the API has one"
  }

  /// Says that the response's total is one page more than came, or that the last page is empty.
  private func signOfPage0(pageCount: Int, _ pages: Pages) -> String? {
    let isCounted = pages.totalPages != nil || pages.hasFlag
    let uncounted = isCounted ? announced.records?.count : nil
    if let all = uncounted, records < all, pageCount > 1 && records + firstRecords == all || records == 0 {
      return "the pages end after \(records) records, but the response has a total of \(all)"
    }
    guard pageCount > 1, records > 0, uncounted != records else { return nil }
    guard emptyPages > 0, totals.pages == pageCount else { return nil }
    return "page \(pageCount) of \(pageCount) is empty ('more: last' says that it may be)"
  }

  /// Returns evidence if the total of pages is reached, but the total of records, which no key reads, is not.
  private func contradiction() -> Evidence? {
    // A few records less may have been deleted meanwhile.
    guard let total = announced.records, records < total.count, received != total.count,
      total.count - records >= (firstRecords + 1) / 2
    else { return nil }
    return Evidence(
      .total,
      "\(records.counted("record")) came up to the last page of 'totalPages', but the first page has "
        + "'\(total.name)' of \(total.count): there may be more",
      advice: (total.template.map { ["to read that total, add to 'pages'", "totalRecords: \($0)"] } ?? [])
        + ["or, where it counts something else", "totalRecords: body.none?"])
  }

  /// Returns the end of a stream that looks complete: `complete`, or `short` of the server's totals.
  func verdict(_ reason: String, after page: PageFacts, _ pages: Pages) -> Pager.End {
    // Older records came in an earlier run.
    if pages.until.contains(.known), page.body.hasKnown { return .complete(reason) }
    return verdict(reason, of: page.isPage ? page.number : page.number - 1)
  }

  /// Returns the end of a stream with a number of pages.
  func verdict(_ reason: String, of pageCount: Int) -> Pager.End {
    let pageCount = pageCount + extraPages
    if let total = totals.records, records < total { return .short("\(records) of \(total) records; \(reason)") }
    if let total = totals.pages, pageCount < total { return .short("\(pageCount) of \(total) pages; \(reason)") }
    return .complete(reason)
  }
}

extension PageFacts {
  /// False for an answer whose status means that there are no records (`empty: 404`): it ends the pages, and is not one.
  var isPage: Bool { status < 300 && status != 204 }
}

/// The totals that page one announces, and no key of the spec reads.
struct AnnouncedTotals: Hashable, Sendable {
  var records: AnnouncedTotal?
  var pages: AnnouncedTotal?

  init() {}

  init(_ hints: PageHints, for pages: Pages) {
    guard pages.startsAtFirst, pages.totalRecords == nil else { return }
    records = hints.announcedTotal
    self.pages = pages.totalPages == nil ? hints.announcedPages : nil
  }

  var isEmpty: Bool { records == nil && pages == nil }

  /// Parses the member of a bookmark.
  init(_ json: JSONValue?) {
    records = json?["records"].flatMap { AnnouncedTotal($0) }
    pages = json?["pages"].flatMap { AnnouncedTotal($0) }
  }

  var json: JSONValue {
    MemberWriter.object { members in
      if let records { members.add("records", records.json) }
      if let pages { members.add("pages", pages.json) }
    }
  }
}

extension AnnouncedTotal {
  fileprivate init?(_ json: JSONValue) {
    guard let count = json["count"]?.integer, let name = json["name"]?.string else { return nil }
    self.init(count: count, name: name, template: json["from"]?.string)
  }

  fileprivate var json: JSONValue {
    MemberWriter.object { members in
      members.add("count", count)
      members.add("name", JSONValue(name))
      if let template { members.add("from", JSONValue(template)) }
    }
  }
}

extension Pager {
  /// Number of records so far, as the server counts them.
  package var recordCount: Int { tally.records }
  /// True if the server counts what comes out, and not elements that have it.
  package var countsRecords: Bool { tally.received == tally.records }
  /// The number of records that the server has announced, whatever reads it.
  package var knownTotal: Int? {
    tally.totals.records ?? (pages == nil ? hints?.announcedTotal : tally.announced.records)?.count
  }
}

// MARK: The errors of pages that follow one another

extension Pager {
  static func sameContent(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) has the same content as page \(page.number - 1), although it was named as the next: see what 'pages' "
        + "reads and sends, or say where the pages end, by \(page.number > 2 ? "'until: repeated', " : "")'more', 'until', "
        + "'totalPages' or 'totalRecords'; or, if pages may be the same, write 'ignore: repeats' in the step",
      isCircle: true)
  }

  static func cameBefore(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) was redirected to '\(page.url.redacted)', a page that had come before: the server seems to have no "
        + "more; say where the pages end, by 'totalPages', 'totalRecords', 'more' or 'until'", isCircle: true,
      isSamePage: true)
  }

  /// Limit for successive empty pages, since some servers name a next page for ever; a `limit` in the spec lifts it.
  static let mostEmptyPages = 1_000

  static func onlyEmptyPages(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "the last \(mostEmptyPages) pages are empty, and there is always a next one; say where the pages end, by "
        + "'more: last' (a page without records is the last), or how many there may be, by 'maxPages'")
  }

  static func namesNoOther(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) is empty, names itself as the next, and says by 'more' or 'until' that there is more: correct what "
        + "'pages' reads it from")
  }
}

extension Pager {
  /// The server's total of records, if as many came.
  package var reachedTotal: Int? { tally.reachedTotal }
}
