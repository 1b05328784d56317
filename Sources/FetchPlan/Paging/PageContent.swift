import JSONText
import Wire

/// Number and hash of a page's records, to compare two pages.
struct PageContent: Hashable, Sendable {
  let recordCount: Int
  let hash: Int
}

extension PageContent {
  init(_ page: PageFacts) {
    self.init(recordCount: page.body.recordCount, hash: page.body.contentHash)
  }
}
