import JSONText
import PipelineSpec
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

extension Template.Hole {
  /// The names among which the value that leads to the next page stands.
  func names(in page: PageFacts) -> Set<String> {
    switch root {
    case .headers: return Set(page.fields.all.map { PageHint.normalized($0.name) })
    case .body:
      let parent = path.steps.dropLast().map(\.name)
      let values = PageHints.values(beside: page.body.outline).filter { $0.path.dropLast() == parent[...] }
      return Set(values.map { PageHint.normalized($0.path.last ?? "") })
    default: return []
    }
  }
}

extension PageFacts {
  /// True if the page has several records, which are objects.
  var recordsHaveNames: Bool { body.recordCount > 1 && body.isOfObjects }
}
