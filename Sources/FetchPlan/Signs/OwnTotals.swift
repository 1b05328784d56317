// Totals that a page tells by itself, though no key of `pages` reads them.

import JSONText
import PipelineSpec
import Wire

/// The names by which most APIs tell how much there is, at the root or in an object about the pages.
enum OwnTotals {
  private static let places = [[], ["meta"], ["pagination"], ["paging"], ["meta", "pagination"]]
  private static let pages = paths(["totalPages", "total_pages", "pages", "pageCount", "page_count"])
  private static let records = paths([
    "total", "totalCount", "total_count", "totalRecords", "total_records", "totalResults", "totalHits",
  ])

  /// Paths that are captured on each page.
  static let all = pages + records

  private static func paths(_ names: [String]) -> [JSONPath] {
    places.flatMap { place in names.map { JSONPath(place + [$0]) } }
  }

  /// The totals of a page that are whole numbers.
  static func totals(of page: PageFacts) -> PageTotals {
    PageTotals(pages: first(pages, in: page), records: first(records, in: page))
  }

  private static func first(_ paths: [JSONPath], in page: PageFacts) -> Int? {
    for path in paths {
      guard let text = page.captured[path.pointer] else { continue }
      let value = JSONValue(validated: text[...])
      if let total = value.integer ?? value.string.flatMap({ Int($0) }), total > 0 { return total }
    }
    return nil
  }
}

extension Pages {
  /// True if all pages are asked for, up to an empty one or as `until` says, and nothing is read that would know better.
  var leavesTotalsUnread: Bool {
    guard totalPages == nil, totalRecords == nil, more == nil, done == nil else { return false }
    return switch kind {
    case .number(_, let start): start <= 1
    case .offset(_, let start): start == 0
    case .single, .cursor, .next, .link: false
    }
  }
}
