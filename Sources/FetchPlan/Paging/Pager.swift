// The step from a page's facts to the next request, or to the end. Pure values: no clock, no network.

import Diagnostics
package import JSONText
import PipelineSpec
package import Wire

/// The state of one stream of pages.
package struct Pager: Sendable {
  /// The step after a page.
  ///
  /// It is indirect, as `Paging` is, since a request is large, and a pager is copied several times a page.
  package indirect enum Step: Sendable, Hashable {
    case next(Request)
    case end(End)
    /// The page is valid, but there is no trustworthy next page: the error follows the page.
    case fault(PagingError)

    /// True if the page leads to another one, perhaps beyond the user's limit.
    fileprivate var leadsOn: Bool {
      if case .end(.capped) = self { return true }
      return if case .next = self { true } else { false }
    }
  }

  /// The way in which a stream of pages ended.
  package enum End: Sendable, Hashable {
    /// The stream has only one request.
    case single
    /// The stream is complete, by an empty page, a total, `more` or `until`, as the text says: `empty page 4`.
    case complete(String)
    /// The stream reached its `limit` of pages.
    case capped(limit: Int)
    /// The stream ended normally, with fewer records or pages than the server's own totals.
    case short(String)
  }

  /// The way in which requests follow one another.
  indirect enum Paging: Sendable {
    case single
    case numbered(NumberPaging)
    case linked(LinkPaging)
  }

  /// Step after the last page; at first, the first request.
  package internal(set) var step: Step
  /// Templates of `pages` without a value on the first page, as the spec spells them.
  ///
  /// The value may have another name.
  package private(set) var missingOnFirstPage: [String] = []
  /// True if the stream ended because a page named no next page.
  package private(set) var namesNoNext = false
  /// True if the stream ended because an empty page named itself as the next.
  package private(set) var namesItself = false
  /// True if the last page only repeats the one before it (`until: repeated`), so that its records must not come out.
  package private(set) var endsRepeated = false
  /// Number of records on that page.
  private var repeatedCount = 0
  /// Evidence that the last page gave, once a stream: it has records of the page before it.
  package private(set) var overlap: Evidence?

  /// The hints of the last page, if it is the first of its stream, or ends it.
  package private(set) var hints: PageHints?

  /// Names of page one where a page names the next one, as names are compared; nil in a resumed stream.
  private var firstNames: Set<String>?

  /// Returns the names that page one does not have; none in a resumed stream.
  func names(notIn all: [String]) -> [String] {
    firstNames.map { known in all.filter { !known.contains(PageHint.normalized($0)) } } ?? []
  }

  /// The request of the first page.
  var firstRequest: Request { constants.first }

  /// True if the pager counts an item that the first request lacks, so that its name may be wrong.
  package var isGuess: Bool {
    guard case .numbered = paging, let item = pages?.kind.items.first, item != .endpoint else { return false }
    if case .none = FirstNumber(of: item, in: firstRequest) { return true }
    return false
  }

  /// Number of records of the second page that the first has as well, whatever leads from one to the other.
  package private(set) var repeatedOnSecond = 0

  /// The numbers of pages and records that the server has announced, as the job's keys read them.
  package var announced: (pages: Int?, records: Int?) { (tally.totals.pages, tally.totals.records) }

  /// Values that are the same for all pages, shared by reference.
  private final class Constants: Sendable {
    let pages: Pages?
    /// True if pages may be the same (`ignore: repeats`).
    let ignoresRepeats: Bool
    /// True if records that come twice are found by their keys (`unique`).
    let hasKeys: Bool
    let scope: TemplateScope
    /// True if the whole body is the content.
    let isWholeBody: Bool
    /// True if the records are parts of a list's elements.
    let isPart: Bool
    let names: SecretNames
    let first: Request
    /// Last name of the content's path, which totals may have in theirs.
    let contentName: String?

    init(
      _ pages: Pages?, ignoring: Set<Sign>, hasKeys: Bool, _ scope: TemplateScope, isWholeBody: Bool, isPart: Bool,
      _ names: SecretNames, _ first: Request, contentName: String?
    ) {
      (self.pages, self.scope, self.isWholeBody, self.isPart, self.names) = (pages, scope, isWholeBody, isPart, names)
      (ignoresRepeats, self.hasKeys) = (ignoring.contains(.repeats), hasKeys)
      (self.first, self.contentName) = (first, contentName)
    }
  }

  private let constants: Constants
  var pages: Pages? { constants.pages }
  private var names: SecretNames { constants.names }
  private var comparesPages: Bool { !constants.ignoresRepeats }
  var paging: Paging
  private(set) var pageCount = 0
  var tally = PagingCounters()
  private var previous: PageContent?
  /// Records of the last page; in a resumed run, only its last record.
  private var previousRecords: PageRecords?
  /// True if pages overlapped, which is evidence once.
  private var hasOverlap = false
  /// Content of page one.
  private var beginning: PageContent?
  /// The value with the column names, if records are arrays, or the header of CSV; later pages may lack it.
  ///
  /// It is that of the first page that has one.
  package private(set) var columns: JSONValue?
  /// Number of the page that has `columns`.
  private var columnsPage = 0
  /// The next page that the last page named.
  private var target: LinkPaging.Target?
  private var visited = VisitedRequests()
  /// The URLs that answered pages by number or offset, by their fingerprints; only those of this process.
  private var answered: Set<Int> = []
  /// Numbers of the pages by the hashes of their content; only those of this process.
  private var numbers: [Int: Int] = [:]
  /// Distance between the last page and the earlier one with its content, and the number of successive pages with this
  /// distance.
  private var circle = (distance: 0, count: 0)

  /// Creates the pager of a stream.
  ///
  /// - Parameters:
  ///   - later: the request of the later pages, if it is another one.
  ///   - ignored: evidence that is meant.
  ///   - hasKeys: whether records that come twice are found by their keys.
  ///   - isWholeBody: whether the whole body is the content.
  ///   - isPart: whether the records are parts of a list's elements.
  ///   - contentName: the last name of the content's path.
  ///   - names: names that replace the job's own secrets in a bookmark.
  ///   - secrets: secrets that must not be sent to another origin, nor written into a bookmark.
  init(
    first: Request, then later: Request? = nil, pages: Pages?, ignoring ignored: Set<Sign> = [], hasKeys: Bool = false,
    scope: TemplateScope, isWholeBody: Bool = false, isPart: Bool = false, contentName: String? = nil,
    names: [String: String] = [:],
    secrets: SecretStore
  ) {
    constants = Constants(
      pages, ignoring: ignored, hasKeys: hasKeys, scope, isWholeBody: isWholeBody, isPart: isPart,
      SecretNames(names, secrets: secrets), first, contentName: contentName)
    var first = first
    var later = later
    for case .header(let name) in pages?.kind.items ?? [] {
      first.cursorField = name
      later?.cursorField = name
    }
    if pages?.isScroll == true {
      later = later ?? first
      later?.movesPosition = true
    }
    step = .next(first)
    paging =
      switch pages?.kind {
      case .single, .auto, nil: .single
      case .number(let item, let start):
        .numbered(NumberPaging(ItemRequest(first, item), item, start: start, isOffset: false))
      case .offset(let item, let start):
        .numbered(NumberPaging(ItemRequest(first, item), item, start: start, isOffset: true))
      case .cursor, .next, .link:
        .linked(
          LinkPaging(
            first, then: later, pages?.kind ?? .single, skipsEmpty: pages?.hasFlag == false, secrets: secrets))
      }
  }

  /// Determines the step after a page.
  ///
  /// - Throws: `PagingError` if the page's records must not come out: the page came before (a circle), or is no page of
  ///   records. An error on the way to the next page is not thrown, but is the step.
  @discardableResult
  package mutating func next(after page: PageFacts) throws(PagingError) -> Step {
    let content = PageContent(page)
    overlap = nil
    if pages?.until.contains(.repeated) == true, comesAgain(page, content) {
      (endsRepeated, repeatedCount) = (true, page.body.recordCount)
      hints = PageHints(page, contentName: constants.contentName)
      step = .end(tally.verdict("page \(page.number) repeats page \(page.number - 1)", of: page.number - 1))
      return step
    }
    let isRepeated = page.body.recordCount > 0 && content == previous && comparesPages
    let request = if case .next(let request) = step { request } else { nil as Request? }
    if let problem = tally.mismatch(page, isWholeBody: constants.isWholeBody) {
      let fault = PagingError(page, problem)
      step = .fault(fault)
      throw fault
    }
    hints =
      page.number == 1 && pages?.isOnePageMeant != true ? PageHints(page, contentName: constants.contentName) : nil
    do throws(PagingError) {
      if case .numbered(let paging) = paging {
        if isRepeated { throw paging.sameContent(page) }
        if let request, paging.pagesByURL, comparesPages { try remember(page, content, of: request, paging) }
      } else if let request, page.url.text != request.url.text, page.body.recordCount > 0, comparesPages {
        var answered = request
        answered.url = page.url
        // Some servers answer each page at the same URL.
        let isKnown = [beginning, previous].contains(content)
        if isKnown, visited.hasMade(answered) { throw Self.cameBefore(page) }
      }
      try checkCircle(page, content)
      step = try turned(after: page)
      // A single record may well equal the one before it, and so may values without names.
      let isDistinct = page.recordsHaveNames && !constants.isPart
      if case .linked = paging, step.leadsOn, isRepeated, isDistinct { throw Self.sameContent(page) }
    } catch {
      step = .fault(error)
      if isRepeated && error.isCircle || error.isSamePage { throw error }
    }
    if page.number == 1, case .next = step, let holes = pages?.kind.templates.compactMap(\.onlyHole), !holes.isEmpty {
      firstNames = holes.reduce(into: []) { $0.formUnion($1.names(in: page)) }
    }
    if case .end = step, hints == nil, pages?.isOnePageMeant != true {
      hints = PageHints(page, contentName: constants.contentName)
    }
    overlap = overlap(of: page)
    if page.number == 2, !constants.isPart, !constants.hasKeys, let records = page.body.records, let previousRecords {
      repeatedOnSecond = records.shared(with: previousRecords, mayBeEqual: tally.hasEqual)
    }
    hasOverlap = hasOverlap || overlap != nil
    tally.hasEqual = tally.hasEqual || page.body.records?.hasEqual == true
    tally.lastRecord = page.body.records?.hashes.last.map { Int(truncatingIfNeeded: $0) } ?? 0
    (pageCount, previous, previousRecords) = (page.number, content, page.body.records)
    if page.number == 1 { beginning = content }
    if columns == nil, let names = page.body.columns {
      (columns, columnsPage) = (JSONValue(validated: names[...]), page.number)
    }
    return step
  }

  /// Number of pages that must have come before at one distance: a single record, and values without names, may well
  /// repeat.
  private static let (circleOfNames, circleOfOthers) = (2, 10)
  /// Number of pages that may come again where that is meant, if nothing else limits the pages.
  private static let mostIgnored = 1_000

  /// Throws if this page and those before it have come before, all at the same distance.
  private mutating func checkCircle(_ page: PageFacts, _ content: PageContent) throws(PagingError) {
    let isScroll = pages?.isScroll == true
    let isIgnored = constants.ignoresRepeats
    guard page.body.recordCount > 0, !constants.isPart || isScroll || isIgnored else { return }
    guard let earlier = numbers.updateValue(page.number, forKey: content.hash) else { return circle = (0, 0) }
    let distance = page.number - earlier
    circle = (distance, distance == circle.distance ? circle.count + 1 : 1)
    let isDistinct = page.recordsHaveNames && !constants.isPart
    if isIgnored, isBounded(page) { return }
    let most = isIgnored ? Self.mostIgnored : isDistinct ? Self.circleOfNames : Self.circleOfOthers
    guard circle.count >= most else { return }
    let ends = distance == 1 ? "'until: repeated', 'more', 'until'" : "'more', 'until'"
    let ways =
      isIgnored
      ? "or how many there may be, by 'maxPages'" : "or, if pages may be the same, write 'ignore: repeats' in the step"
    throw PagingError(
      page,
      "page \(page.number) has the same content as page \(earlier), and the pages before them are the same, too: the pages go "
        + "in circles; say where they end, by \(ends), 'totalPages' or 'totalRecords'; \(ways)",
      isCircle: true, isSamePage: true)
  }

  private mutating func turned(after page: PageFacts) throws(PagingError) -> Step {
    guard let pages, pages.isKnown else { return .end(.single) }
    var scope = constants.scope
    scope.page = page
    let signs = try PageSigns(pages, page, scope, hiding: constants.names.secrets)
    if page.number == 1 { missingOnFirstPage = signs.missing }
    tally.add(page, signs)
    if page.number == 1, let hints { tally.announced = AnnouncedTotals(hints, for: pages) }
    tally.endsKnown = pages.until.contains(.known) && page.body.hasKnown
    tally.isUnsorted = page.body.hasNewAfterKnown
    if let reason = tally.end(with: page, signs, pages) { return .end(tally.verdict(reason, after: page, pages)) }
    if tally.pagesWithoutRecords >= Self.mostEmptyPages, !isBounded(page) { throw Self.onlyEmptyPages(page) }
    let isLast = page.number >= pages.limit ?? .max
    switch paging {
    case .single:
      return .end(.single)
    case .numbered(var numbered):
      if isLast { return .end(.capped(limit: page.number)) }
      let request = try numbered.request(after: page)
      paging = .numbered(numbered)
      return .next(sized(request))
    case .linked(let linked):
      if case .next(let current) = step { visited.insert(current, answeredBy: page.url, page: page.number) }
      target = try linked.target(of: page, in: scope, isLast: isLast)
      guard let target else { return try ended(without: page, signs, pages) }
      if isLast { return .end(.capped(limit: page.number)) }
      let isNews = previous != nil && previous != PageContent(page)
      let saysMore = signs.saysMore == true || signs.insistsOnMore
      let request = try linked.request(
        for: target, after: page, isNews: isNews, saysMore: saysMore, endsAtItself: pages.until.contains(.repeated),
        size: tally.pageSize, visited: visited)
      if let request { return .next(request) }
      guard !saysMore else { throw Self.namesNoOther(page) }
      (namesItself, repeatedCount) = (true, page.body.recordCount)
      let isEmpty = page.body.recordCount == 0 ? "is empty and " : ""
      return .end(tally.verdict("page \(page.number) \(isEmpty)names itself as the next", after: page, pages))
    }
  }

  /// Reports that something besides the pages' contents limits the number of pages.
  private func isBounded(_ page: PageFacts) -> Bool {
    pages?.limit != nil || page.number < tally.totals.pages ?? 0
  }

  /// Reports that the last page comes again: nothing on the page is new.
  private func comesAgain(_ page: PageFacts, _ content: PageContent) -> Bool {
    guard page.number > 1, page.body.recordCount > 0 else { return false }
    if content == previous { return true }
    guard !constants.isPart, let records = page.body.records, let previousRecords else { return false }
    return records.hashes.count == page.body.recordCount && records.isWithin(previousRecords)
  }

  /// Returns the evidence that a page has records of the page before it.
  ///
  /// A list that grows at its start moves records to the next page. By number and offset, this means that others may be
  /// missing. A cursor or a URL may lead to the right place all the same, unless the cursor is the last record's own.
  private func overlap(of page: PageFacts) -> Evidence? {
    guard comparesPages, !hasOverlap, !constants.isPart, let records = page.body.records, let previousRecords,
      let previous, max(page.body.recordCount, previous.recordCount) > 1
    else { return nil }
    let isHalf: (Int) -> Bool = { $0 * 2 > max(page.body.recordCount, previous.recordCount) }
    switch paging {
    case .single: return nil
    case .linked where constants.hasKeys: return nil
    case .linked(let linked):
      guard linked.isKeyset(constants.contentName) else { return nil }
      let count = records.shared(with: previousRecords, mayBeEqual: tally.hasEqual)
      return count > 0 ? Evidence(.overlap, Self.inclusive(page, count)) : nil
    case .numbered(let numbered):
      let count = records.shared(with: previousRecords, mayBeEqual: tally.hasEqual)
      guard count > 0, isHalf(count) || !constants.hasKeys else { return nil }
      return Evidence(.overlap, numbered.overlaps(page, count, of: page.body.recordCount, isHalf: isHalf(count)))
    }
  }

  private static func inclusive(_ page: PageFacts, _ count: Int) -> String {
    "page \(page.number) has \(count.counted("record")) of page \(page.number - 1) again: the server also gives what "
      + "the cursor names, or the records are not in the order of the cursor; ask for what follows, or name the members that "
      + "identify a record in 'unique', so that those that come again are left out"
  }

  /// Records the URL that answered a page.
  ///
  /// - Throws: an error if the request was redirected to an earlier page, as servers do for a page that they don't
  ///   have.
  private mutating func remember(
    _ page: PageFacts, _ content: PageContent, of request: Request, _ paging: NumberPaging
  ) throws(PagingError) {
    let isNews = answered.insert(fingerprint(of: page.url.text)).inserted
    guard page.url.text != request.url.text, page.body.recordCount > 0 else { return }
    guard isNews else { throw Self.cameBefore(page) }
    if content == beginning, paging.isLost(from: request, in: page.url) { throw paging.lost(page) }
  }

  /// Returns the end after a page that names no next page.
  private mutating func ended(
    without page: PageFacts, _ signs: PageSigns, _ pages: Pages
  ) throws(PagingError) -> Step {
    guard signs.saysMore != true, !signs.insistsOnMore else {
      let sign = signs.saysMore == true ? "'more'" : "'until'"
      throw PagingError(
        page,
        "page \(page.number) says by \(sign) that there is more, and names no next page: correct what 'pages' reads it from"
      )
    }
    namesNoNext = true
    return .end(tally.verdict("no next page on page \(page.number)", after: page, pages))
  }

  /// Evidence against an end that looks normal.
  package var doubt: Evidence? {
    guard let pages else { return nil }
    if pages.until.contains(.repeated), endsRepeated || namesItself, comparesPages, hints?.saysAll != true {
      let isKeyset = if case .linked(let linked) = paging { linked.isKeyset(constants.contentName) } else { false }
      let repeated = (count: repeatedCount, isSecond: endsRepeated && pageCount == 1)
      if let doubt = tally.doubt(repeated, isKeyset: isKeyset, firstRequest) { return doubt }
    }
    return tally.doubt(pageCount: pageCount, pages, hints)
  }

  /// Returns the request of the n-th page (from 1), to fetch it ahead; nil if it depends on pending pages.
  package func request(ofPage number: Int) -> Request? {
    guard number >= 1, number <= pages?.limit ?? .max, pages?.smallest == nil else { return nil }
    guard case .numbered(let paging) = paging else { return nil }
    return paging.request(ofPage: number, tally.totals)
  }
}

// MARK: Bookmarks

extension Pager {
  /// Bookmark after the last page; nil before the first page, or after a page without a trustworthy next one.
  ///
  /// It is also nil if the next request, or the columns, can't be written without a secret.
  ///
  /// - Parameter isAlone: true if this bookmark is kept without the earlier ones of its stream.
  package func bookmark(isAlone: Bool = false) -> PagerBookmark? {
    guard let previous, let beginning, let position, canContinue else { return nil }
    let hidden = columns.map { names.hiding($0.text) }
    if case .some(nil) = hidden { return nil }
    return PagerBookmark(
      page: pageCount, tally: tally, content: previous, beginning: beginning,
      columns: isAlone || pageCount == columnsPage ? hidden ?? nil : nil, position: position, visited: visited.added)
  }

  /// False for a scroll before its end: another request would give the page after the one that was lost.
  private var canContinue: Bool { if case .end = step { true } else { pages?.isScroll != true } }

  private var position: PagerBookmark.Position? {
    switch (step, paging, target) {
    case (.end(let end), _, _): .end(end)
    case (.next, .numbered(let paging), _): .item(paging.position, after: paging.previous, isUneven: paging.isUneven)
    case (.next, .linked, .cursor(let cursor)?): names.hiding(cursor.value.text).map { .cursor($0) }
    case (.next(let request), .linked, .url?): names.hiding(request.url.text).map { .url($0) }
    case (.next, _, _), (.fault, _, _): nil
    }
  }

  /// Returns this unused pager in the state that all these bookmarks describe, or nil.
  ///
  /// It continues exactly like the pager that made them. Nil if the bookmarks belong to another kind of stream.
  package func resumed(from bookmarks: [PagerBookmark]) -> Pager? {
    guard let last = bookmarks.last else { return self }
    var pager = self
    for bookmark in bookmarks { pager.visited.insert(bookmark.visited, page: bookmark.page) }
    (pager.pageCount, pager.tally, pager.previous) = (last.page, last.tally, last.content)
    if last.tally.lastRecord != 0 {
      pager.previousRecords = PageRecords([UInt64(bitPattern: Int64(last.tally.lastRecord))])
    }
    pager.beginning = last.beginning
    let columns = bookmarks.lazy.compactMap(\.columns).first.map { Array(names.revealing($0).text.utf8) }
    pager.columns = columns.flatMap { try? JSONValue(parsing: $0) }
    guard let step = pager.step(at: last.position) else { return nil }
    if case .next(let request) = step { pager.step = .next(pager.sized(request)) } else { pager.step = step }
    return pager
  }

  /// The request of the page before the next one, if a list that moved since would show there.
  ///
  /// By number and offset, a resumed run continues at the right record only if that page is still the same.
  package var requestBefore: Request? {
    guard case .numbered(let numbered) = paging, case .next = step else { return nil }
    // A pager that was chosen by the first page sent nothing of its own with it.
    return pageCount == 1 && tally.pageSize == nil ? firstRequest : numbered.requestBefore.map(sized)
  }

  /// Reports that a page, fetched again, has the records that it had; then the next page is compared with all of them.
  package mutating func confirm(_ page: PageFacts) -> Bool {
    guard PageContent(page) == previous else { return false }
    previousRecords = page.body.records
    return true
  }

  private mutating func step(at position: PagerBookmark.Position) -> Step? {
    switch (position, paging) {
    case (.end(let end), _):
      return .end(end)
    case (.item(let position, let previous, let isUneven), .numbered(var numbered)):
      let request = numbered.resume(at: position, after: previous, size: tally.fullCount, isUneven: isUneven)
      paging = .numbered(numbered)
      return request.map { .next($0) }
    case (.cursor(let text), .linked(let linked)):
      let cursor = names.revealing(text)
      guard let value = try? JSONValue(parsing: Array(cursor.text.utf8)) else { return nil }
      target = .cursor(RedactableJSON(value, redacted: cursor.isSecret ? JSONValue("***") : nil))
      return target.flatMap(linked.request(again:)).map { .next($0) }
    case (.url(let text), .linked(let linked)):
      target = .url(names.revealing(text))
      return target.flatMap(linked.request(again:)).map { .next($0) }
    default:
      return nil
    }
  }
}
