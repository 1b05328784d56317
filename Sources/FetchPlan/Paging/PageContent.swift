import JSONText

/// What two pages are compared by.
struct PageContent: Hashable, Sendable {
  let recordCount: Int
  let hash: Int
}
