import FetchPlan
import Fetching
import JSONText
import Unwrapping
import Wire

/// What of a page is wanted besides its records.
struct PageWants: Sendable {
  var content: JSONPath
  var captures: [JSONPath]
  /// How many of them, from the first on, may be missing because of a near name.
  var watchedCount = 0
  /// The member that takes the name of what a `*` over a map went through.
  var key: String?
  /// Whether a page without the content has no records; otherwise it is an error.
  var isOptional: Bool
  /// Finds an error inside a page.
  var failure: FailureCheck?
  var shape: Shape?
  var hash: Bool
  /// What of the last record is wanted.
  var last: [JSONPath]
  var objects: Bool
  /// Where in a record the mark is whose highest is wanted.
  var mark: JSONPath?
  /// How deep whoever takes the records looks into them.
  var tokenIndexDepth: Int
  /// A status that ends the pages without being an error (`until: {status: 404}`).
  var endStatus: Int?
}
