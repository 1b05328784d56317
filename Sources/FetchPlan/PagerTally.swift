// What a stream has brought so far, and whether that is all there is.

import PipelineSpec
import Wire

/// Counts pages and records, and holds them against what the server says.
struct Tally: Hashable, Sendable {
  var totals = Totals()
  var records = 0
  /// Of page one: what `until: short` compares with.
  var firstRecords = 0

  mutating func add(_ page: PageFacts, _ totals: Totals) {
    if page.number == 1 { firstRecords = page.recordCount }
    records += page.recordCount
    self.totals.learn(totals, received: page.recordCount, all: records)
  }

  /// Why the stream ends with a page, whatever names a next one. Nil when it does not.
  func end(with page: PageFacts, _ signs: PageSigns, _ pages: Pages) -> String? {
    if case .status(page.status)? = pages.until { return "status \(page.status) on page \(page.number)" }
    if let total = totals.pages, page.number >= total { return "page \(page.number) of \(total)" }
    if endsEmpty(page, signs, pages.kind) { return "empty page \(page.number)" }
    // The records may be complete while the server says that pages follow.
    if totals.pages == nil, let total = totals.records, records >= total { return "\(records) of \(total) records" }
    if signs.isDone { return "'done' on page \(page.number)" }
    if signs.saysMore == false { return "no 'more' on page \(page.number)" }
    switch pages.until {
    case .short? where page.recordCount < firstRecords: return "short page \(page.number)"
    case .below(let count)? where page.recordCount < count: return "fewer than \(count) records on page \(page.number)"
    default: return nil
    }
  }

  /// An empty page says that there is nothing behind it only where the next one is not named by the page itself, and
  /// nothing says that more follow.
  private func endsEmpty(_ page: PageFacts, _ signs: PageSigns, _ kind: Pages.Kind) -> Bool {
    guard page.recordCount == 0 || page.status == 204 else { return false }
    switch kind {
    case .number: return totals.pages == nil && !signs.insistsOnMore
    // Behind no records, the next offset would be the same one: there is no going on.
    case .offset: return !signs.insistsOnMore
    case .single, .cursor, .next, .link: return false
    }
  }

  /// How a stream ended that ended as usual.
  func verdict(_ reason: String, _ page: PageFacts, _ pages: Pages) -> Pager.End {
    // The status that ends a stream brings no page.
    let isPage = if case .status(page.status)? = pages.until { false } else { true }
    let pageCount = isPage ? page.number : page.number - 1
    if let total = totals.records, records < total { return .short("\(records) of \(total) records; \(reason)") }
    if let total = totals.pages, pageCount < total { return .short("\(pageCount) of \(total) pages; \(reason)") }
    return .complete(reason)
  }
}
