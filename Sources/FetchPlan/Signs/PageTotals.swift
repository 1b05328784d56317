import JSONText
import PipelineSpec
import Wire

/// The numbers of pages and records that the server has announced.
struct PageTotals: Hashable, Sendable {
  var pages: Int?
  var records: Int?
  /// The highest number of pages that any page has given.
  ///
  /// A total that shrinks may count the remaining pages. So the stream ends only when the highest total is reached.
  var mostPages: Int?
  var mostRecords: Int?

  /// Updates the totals from a later page; a missing value keeps the previous one.
  ///
  /// - Parameter all: number of records so far.
  mutating func learn(_ others: PageTotals, all: Int) {
    pages = Self.total(others.pages, pages, all)
    records = Self.total(others.records, records, all)
    mostPages = pages.map { max($0, mostPages ?? 0) }
    mostRecords = records.map { max($0, mostRecords ?? 0) }
  }

  /// Returns the new total.
  ///
  /// Servers also send 0 for "unknown", and on a page beyond the last one. So 0 is ignored once records have come.
  private static func total(_ total: Int?, _ known: Int?, _ all: Int) -> Int? {
    total == 0 && all > 0 ? known : total ?? known
  }
}
