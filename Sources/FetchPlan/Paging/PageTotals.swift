import JSONText
import PipelineSpec
import Wire

/// How much there is, as far as the server has said it.
struct PageTotals: Hashable, Sendable {
  var pages: Int?
  var records: Int?

  /// A later page may say otherwise; one that says nothing takes nothing back.
  ///
  /// - Parameters:
  ///   - received: the records of the page that says it.
  ///   - all: the records so far.
  mutating func learn(_ others: PageTotals, received: Int, all: Int) {
    pages = Self.total(others.pages, pages, received, all)
    records = Self.total(others.records, records, received, all)
  }

  /// 0 is also what servers say for "unknown", and so it is meant where there are records, as long as nothing else was
  /// ever said.
  private static func total(_ total: Int?, _ known: Int?, _ received: Int, _ all: Int) -> Int? {
    let isUnknown = total == 0 && (received > 0 || all > 0 && known == nil)
    return isUnknown ? known : total ?? known
  }
}
