// Pages by number and by offset: requests that can be known before the pages before them have come.

import JSONText
import PipelineSpec
import Wire

/// The item of `number` goes up by 1, that of `offset` by the records received.
struct NumberPaging: Sendable {
  private let requests: ItemRequest
  private let item: Pages.PageItem
  private let isOffset: Bool
  private let start: Int
  /// The item's value for the next page.
  private(set) var position: Int
  /// Records of page one.
  private var size: Int?
  private(set) var isUneven = false

  init(_ requests: ItemRequest, _ item: Pages.PageItem, start: Int, isOffset: Bool) {
    self.requests = requests
    self.item = item
    self.isOffset = isOffset
    self.start = start
    position = start
  }

  /// Goes on from where another one stood, and gives the request for it.
  mutating func resume(at position: Int, size: Int, isUneven: Bool) -> Request? {
    (self.position, self.size, self.isUneven) = (position, size, isUneven)
    return requests.carrying(position)
  }

  /// The request after a page.
  mutating func request(after page: PageFacts) throws(PagingError) -> Request {
    if page.number > 1, page.itemCount != size { isUneven = true }
    if page.number == 1 { size = page.itemCount }
    // Content that is `null` stands for as many records as page one has.
    let received = page.hasNullContent ? size ?? 0 : page.itemCount
    guard !isOffset || received > 0 else {
      throw PagingError(
        page,
        "page \(page.number) is empty and says by 'more' or 'done' that there is more; the offset after it would be the "
          + "same one")
    }
    let (next, overflow) = position.addingReportingOverflow(isOffset ? received : 1)
    guard !overflow else { throw PagingError(page, "there is no page number after \(Int.max)") }
    guard let request = requests.carrying(next) else { throw PagingError(page, "\(item.name) has no place in 'body'") }
    position = next
    return request
  }

  /// The request of the n-th page (from 1) where it does not depend on pages that have not come: by offset, as long as
  /// they all have had as many records as page one.
  func request(ofPage number: Int, _ totals: PageTotals) -> Request? {
    guard number > 1 else { return number == 1 ? requests.carrying(start) : nil }
    guard number <= totals.pages ?? .max else { return nil }
    let (before, isBeyond) = (number - 1).multipliedReportingOverflow(by: size ?? 1)
    // Without a number of pages, there are as many as the records fill.
    if size != nil, totals.pages == nil, isBeyond || before >= totals.records ?? .max { return nil }
    if isOffset, isUneven || (size ?? 0) == 0 { return nil }
    let (value, overflow) = start.addingReportingOverflow(isOffset ? before : number - 1)
    return isBeyond || overflow ? nil : requests.carrying(value)
  }
}

extension NumberPaging {
  /// Whether the page stands in the URL, so that no two pages have the same one.
  var pagesByURL: Bool { if case .query = item { true } else { false } }

  /// Whether a redirect leads to where the request went, without the page's item: to what is there for everybody.
  func isLost(from request: Request, in url: Redactable) -> Bool {
    guard case .query(let name) = item else { return false }
    let (asked, answered) = (SplitURL(request.url), SplitURL(url))
    return asked.path == answered.path && asked.values(of: name) != answered.values(of: name)
  }

  /// What it says by being led there.
  func lost(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) was redirected to '\(page.url.redacted)', without \(item.name), and has the content of "
        + "page 1; say where the pages end, or write 'repeats: true' in 'pages' if pages may be the same",
      isCircle: true, isSamePage: true)
  }

  /// What a page says by having the content of the one before it.
  func sameContent(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) has the same content as page \(page.number - 1): the server seems to ignore \(item.name); "
        + "see how it calls the \(isOffset ? "offset" : "page number"), or write 'repeats: true' in 'pages' if pages may "
        + "be the same", isCircle: true)
  }
}

extension Pages.PageItem {
  var name: String {
    switch self {
    case .query(let name): "the query item '\(name)'"
    case .body(let path): "'\(path.pointer)' of the body"
    }
  }
}
