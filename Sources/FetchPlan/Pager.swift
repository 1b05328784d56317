// A page's facts lead to the next request, or to the end. Pure values: no clock, no network.

import JSONText
import PipelineSpec
package import Wire

/// Turns the pages of one stream.
package struct Pager: Sendable {
  /// What comes after a page.
  package enum Step: Sendable, Equatable {
    case next(Request)
    case end(End)
  }

  /// How a stream of pages ended.
  package enum End: Sendable, Equatable {
    /// One request was all there was to make.
    case single
    /// An empty page, a total, `more`, `done` or `until`: everything is there. The text says which: `empty page 4`.
    case complete(String)
    /// `limit` pages were fetched.
    case capped(limit: Int)
    /// It ended as usual, with fewer records or pages than the server's own totals say.
    case short(String)
  }

  /// Templates of `pages` that had no value on the first page, as the spec spells them: what they wait for may have
  /// another name.
  package private(set) var missingOnFirstPage: [String] = []

  private let first: Request
  private let pages: Pages?
  private let scope: Scope
  private let numbered: NumberedRequest?
  private var totals = Totals()
  private var recordCount = 0
  private var firstRecordCount = 0
  private var previous: (number: Int, recordCount: Int, contentHash: Int)?

  init(first: Request, pages: Pages?, scope: Scope) {
    self.first = first
    self.pages = pages
    self.scope = scope
    numbered = if case .number(let item, _) = pages?.kind { NumberedRequest(first, item) } else { nil }
  }

  /// The request for the page after the one that came, or how the stream ends with it.
  ///
  /// - Throws: `PagingFault` when the pages go in circles, or a `pages` template can't be evaluated.
  package mutating func next(after page: PageFacts) throws(PagingFault) -> Step {
    guard let pages, case .number(let item, let start) = pages.kind else { return .end(.single) }
    try checkCircle(page, item)
    let signs = try PageSigns(pages, page, scope)
    if page.number == 1 {
      firstRecordCount = page.recordCount
      missingOnFirstPage = signs.missing
    }
    totals.learn(signs.totals)
    recordCount += page.recordCount
    previous = (page.number, page.recordCount, page.contentHash)
    if let reason = end(after: page, signs, pages) { return .end(verdict(reason, page, pages)) }
    if let limit = pages.limit, page.number >= limit { return .end(.capped(limit: limit)) }
    guard let request = request(start, page: page.number, plus: 1) else {
      throw PagingFault(page: page.number, url: page.url, problem: "there is no page number after \(Int.max)")
    }
    return .next(request)
  }

  /// For look-ahead: the request of the n-th page (from 1) where it does not depend on the pages before it, or nil.
  package func request(ofPage number: Int) -> Request? {
    guard number >= 1 else { return nil }
    guard let pages, case .number(_, let start) = pages.kind else { return number == 1 ? first : nil }
    guard number <= pages.limit ?? .max, number <= totals.pages ?? .max || number == 1 else { return nil }
    return request(start, page: number, plus: 0)
  }

  private func request(_ start: Int, page: Int, plus steps: Int) -> Request? {
    let (number, overflow) = start.addingReportingOverflow(page - 1)
    let (next, overflowNext) = number.addingReportingOverflow(steps)
    return overflow || overflowNext ? nil : numbered?.number(next)
  }

  // MARK: Circles

  private func checkCircle(_ page: PageFacts, _ item: Pages.PageItem) throws(PagingFault) {
    guard let previous, page.recordCount > 0, pages?.repeats == false else { return }
    guard page.contentHash == previous.contentHash, page.recordCount == previous.recordCount else { return }
    let problem =
      "page \(page.number) has the same content as page \(previous.number): the server seems to ignore \(item.name); "
      + "see how it calls the page number, or write 'repeats: true' in 'pages' if pages may be the same"
    throw PagingFault(page: page.number, url: page.url, problem: problem)
  }

  // MARK: Ends

  /// Why the stream ends here, if it does.
  private func end(after page: PageFacts, _ signs: PageSigns, _ pages: Pages) -> String? {
    if case .status(page.status)? = pages.until { return "status \(page.status) on page \(page.number)" }
    if let total = totals.pages, page.number >= total { return "page \(page.number) of \(total)" }
    // A page may be empty, or the records complete, while the server says that pages follow.
    if totals.pages == nil {
      if page.recordCount == 0 || page.status == 204 { return "empty page \(page.number)" }
      if let total = totals.records, recordCount >= total { return "\(recordCount) of \(total) records" }
    }
    if signs.isDone { return "'done' on page \(page.number)" }
    if signs.isLast { return "no 'more' on page \(page.number)" }
    switch pages.until {
    case .short? where page.recordCount < firstRecordCount: return "short page \(page.number)"
    case .below(let count)? where page.recordCount < count: return "fewer than \(count) records on page \(page.number)"
    default: return nil
    }
  }

  private func verdict(_ reason: String, _ page: PageFacts, _ pages: Pages) -> End {
    // The status that ends a stream brings no page.
    let isPage = if case .status(page.status)? = pages.until { false } else { true }
    let pageCount = isPage ? page.number : page.number - 1
    if let total = totals.records, recordCount < total {
      return .short("\(recordCount) of \(total) records; \(reason)")
    }
    if let total = totals.pages, pageCount < total { return .short("\(pageCount) of \(total) pages; \(reason)") }
    return .complete(reason)
  }
}

extension Pages.PageItem {
  fileprivate var name: String {
    switch self {
    case .query(let name): "the query item '\(name)'"
    case .body(let path): "'\(path.pointer)' of the body"
    }
  }
}

/// Pages that go in circles or contradict themselves: the error `paginationLoop` (exit 3).
package struct PagingFault: Error, Hashable, Sendable {
  /// From 1.
  package let page: Int
  package let url: Masked
  /// What happened and what to do: `page 3 has the same content as page 2: …; 'repeats: true' in 'pages' …`.
  package let problem: String

  package init(page: Int, url: Masked, problem: String) {
    self.page = page
    self.url = url
    self.problem = problem
  }
}
