/// A way in which the model server is wrong about its items, or unusual.
enum ModelFault: String, CaseIterable, Sendable {
  // Unusual: all records come.
  case ignoresSize = "ignores the size"
  case fullLastPage = "the last page is full"
  case oneFullPage = "one page that is full"
  case ranges = "206 with the page's range"
  case emptyPage = "an empty page in the middle"
  case clampsPage = "gives the last page again"
  case htmlOnce = "a page is HTML at first"
  case cutOnce = "a page ends too early at first"
  // Wrong: records are missing, come twice, or nobody can rely on them.
  case honoursSize = "gives no more than the size"
  case ignoresPage = "ignores the page"
  case ignoresFilter = "ignores the filter"
  case repeatsCursor = "the way leads to the page itself"
  case insertsAtFront = "a record comes in at the front"
  case deletesAtFront = "a record is deleted at the front"
  case overlaps = "pages overlap"
  case totalTooHigh = "the total is too high"
  case totalTooLow = "the total is too low"
  case lacksNext = "the way to the next page is missing"
  case cutsNested = "lists in records are cut"
  case saysPartial = "a page says that it is partial"
  case errorWithOK = "an error with status 200"
  case multiStatus = "a page with status 207"
  case dropsOnTies = "a record twice and another never"
  case html = "a page is HTML"
  case capsList = "no more than two pages can be read"

  /// Offset of the cursors that follow an empty page.
  private static let pastEmpty = 1_000

  /// The value of the request's item `limit`.
  var limit: Int? {
    switch self {
    case .ignoresSize: 3
    case .honoursSize: MatrixPager.pageSize
    default: nil
    }
  }

  /// The filters of a request as far as the server looks at them.
  func filters(_ items: [String: String]) -> [String: String] {
    self == .ignoresFilter ? items.filter { !["list", "from", "until", "before"].contains($0.key) } : items
  }

  /// The list that the server has.
  func list(_ records: [ModelRecord]) -> [ModelRecord] {
    switch self {
    case .fullLastPage: Array(records.prefix(records.count / MatrixPager.pageSize * MatrixPager.pageSize))
    case .oneFullPage: Array(records.prefix(MatrixPager.pageSize))
    default: records
    }
  }

  /// Makes a page wrong.
  func distort(_ page: inout ModelPage, _ pager: MatrixPager) {
    let isLater = page.first > 0
    switch self {
    case .ignoresPage: page.first = 0
    case .repeatsCursor where isLater && page.next != nil: page.movedNext = page.first
    case .insertsAtFront where isLater && pager != .cursorOfLast:
      page.list.insert(ModelRecord(id: 900, list: page.list.first?.list ?? "a", second: 0), at: 0)
      page.total += 1
      page.pageCount = (page.list.count + page.size - 1) / page.size
    case .deletesAtFront where isLater && pager != .cursorOfLast && !page.list.isEmpty:
      page.list.removeFirst()
      page.total -= 1
      page.pageCount = (page.list.count + page.size - 1) / page.size
    case .overlaps where page.list.count > page.size && pager != .cursorOfLast: overlap(&page, pager)
    case .totalTooHigh: (page.total, page.pageCount) = (page.total + 4, page.pageCount + 2)
    case .totalTooLow where page.list.count > page.size:
      (page.total, page.pageCount) = (page.total - page.size, page.pageCount - 1)
    case .lacksNext where page.number == 2: page.lacksNext = true
    case .emptyPage where pager != .none: empty(&page, pager)
    case .capsList where pager != .none: page.list = Array(page.list.prefix(2 * page.size))
    case .clampsPage where page.first >= page.list.count && !page.list.isEmpty && pager.isNumbered:
      page.first = (page.pageCount - 1) * page.size
    case .dropsOnTies where isLater && page.first + 1 < page.list.count && page.number == tiePage(page):
      page.replaced = [page.list[0]] + page.records.dropFirst()
    default: break
    }
  }

  private static let page = ModelServer.Answer(
    fields: [("Content-Type", "text/html")], body: "<html><body>Back in a minute</body></html>")

  private func tiePage(_ page: ModelPage) -> Int { page.list.count > 4 ? 3 : 2 }

  private func overlap(_ page: inout ModelPage, _ pager: MatrixPager) {
    if pager.isNumbered { page.first = (page.number - 1) * (page.size - 1) }
    if pager.isOffset { page.first /= 2 }
    page.pageCount = page.list.count - 1
    if page.end < page.list.count { page.movedNext = page.end - 1 }
    if pager.isNumbered || pager.isOffset, page.first >= page.list.count - 1 { page.first = page.list.count }
  }

  private func empty(_ page: inout ModelPage, _ pager: MatrixPager) {
    guard page.list.count > page.size else { return }
    page.pageCount += 1
    if pager.isNumbered {
      guard page.number >= 2 else { return }
      page.first -= page.size
      if page.number == 2 { (page.replaced, page.movedNext) = ([], page.size) }
    } else if page.first == page.size {
      (page.replaced, page.movedNext) = ([], page.size + Self.pastEmpty)
    } else if page.first > Self.pastEmpty {
      page.first -= Self.pastEmpty
    }
  }

  /// Makes an answer wrong whose page is right.
  ///
  /// - Parameter isRepeated: whether there was such a request before.
  func distort(_ answer: inout ModelServer.Answer, _ page: ModelPage, _ pager: MatrixPager, isRepeated: Bool) {
    if self == .ranges, !page.records.isEmpty {
      answer.status = 206
      answer.fields.append(
        ("Content-Range", "items \(page.first)-\(page.first + page.records.count - 1)/\(page.list.count)"))
    }
    if self == .cutsNested {
      answer.body = answer.body.replacing("\"day\":", with: #""tags":{"data":[1],"has_more":true},"day":"#)
    }
    guard page.number == (pager == .none ? 1 : 2) else { return }
    switch self {
    case .saysPartial: answer.body = answer.body.dropLast() + #","timed_out":true}"#
    case .multiStatus: answer.status = 207
    case .errorWithOK:
      answer.body = #"{"error":{"code":"backend","message":"try again"},"items":[]}"#
      answer.fields = []
    case .html: answer = Self.page
    case .htmlOnce where !isRepeated: answer = Self.page
    case .cutOnce where !isRepeated: answer.body = String(answer.body.dropLast(8))
    default: break
    }
  }
}

extension MatrixPager {
  var isNumbered: Bool {
    [.number, .numberTotalPages, .numberTotalRecords, .numberMore, .numberDone, .numberShort].contains(self)
  }

  var isOffset: Bool { [.offset, .offsetTotalRecords, .offsetShort].contains(self) }

  /// True if the spec reads a total of records.
  var readsTotal: Bool { self == .numberTotalRecords || self == .offsetTotalRecords }

  /// True if the spec reads a member that says whether there is more.
  var readsMore: Bool { [.numberMore, .numberDone, .cursorMore, .cursorOfLast].contains(self) }
}
