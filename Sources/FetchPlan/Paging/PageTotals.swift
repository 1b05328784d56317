import JSONText
import PipelineSpec
import Wire

/// The numbers of pages and records that the server has announced.
struct PageTotals: Hashable, Sendable {
  var pages: Int?
  var records: Int?
  /// The most that any page has said.
  ///
  /// A total that shrinks may count what is left: it is not the end, before as much has come as was said at first.
  var mostPages: Int?
  var mostRecords: Int?

  /// Updates the totals from a later page; a missing value keeps the previous one.
  ///
  /// - Parameter all: the records so far.
  mutating func learn(_ others: PageTotals, all: Int) {
    pages = Self.total(others.pages, pages, all)
    records = Self.total(others.records, records, all)
    mostPages = pages.map { max($0, mostPages ?? 0) }
    mostRecords = records.map { max($0, mostRecords ?? 0) }
  }

  /// 0 is also what servers say for "unknown", and of a page beyond the last one: so it is meant where records have come.
  private static func total(_ total: Int?, _ known: Int?, _ all: Int) -> Int? {
    total == 0 && all > 0 ? known : total ?? known
  }
}
