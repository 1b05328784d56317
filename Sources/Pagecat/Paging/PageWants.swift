import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The parts of a page that a job needs besides its records.
struct PageWants: Sendable {
  /// Format of the body.
  var format = BodyFormat.json
  var content: JSONPath
  var captures: [JSONPath]
  /// Number of captures, from the first on, that may be missing because of a near name.
  var watchedCount = 0
  /// True if the members beside the records are wanted, to search them for signs of more.
  var outline = false
  /// True if records are counted in which a GraphQL connection says that it has more.
  var nested = false
  /// True if an answer without content and with `errors` is an error, when the job has no `failure`.
  var isGraphQL = false
  /// The member that takes the name of each entry, if a `*` of the content goes over a map.
  var key: String?
  /// Path of the column names, for records that are arrays.
  var columns: JSONPath?
  /// The value with the column names on the stream's first page.
  var firstPageColumns: JSONValue?
  /// True if a page without the content has no records; otherwise it is an error.
  var isOptional: Bool
  /// Finds an error inside a page.
  var failure: FailureCheck?
  /// Answers that mean that there are no records.
  var empty: Job.Empty?
  /// Holds for an answer that says "later".
  var later: Condition?
  /// Tells whether the server is done.
  var poll: Poll?
  /// Selects the records to keep.
  var filter: RecordFilter?
  var reshaper: Reshaper?
  var hash: Bool
  /// Paths to read in the last record.
  var last: [JSONPath]
  var objects: Bool
  /// The handling of the records' marks.
  var mark: MarkReading?
  /// Depth to which the consumer of the records reads them.
  var tokenIndexDepth: Int
  /// A status that ends the pages without an error (`until: {status: 404}`).
  var endStatus: Int?

  /// True if the meaning of a success depends on the body beside the records.
  var readsAnswer: Bool {
    failure != nil || empty?.condition != nil || later != nil || poll?.until != nil || poll?.failure != nil
  }
}
