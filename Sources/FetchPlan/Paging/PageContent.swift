import JSONText

/// Number and hash of a page's records, to compare two pages.
struct PageContent: Hashable, Sendable {
  let recordCount: Int
  let hash: Int
}
