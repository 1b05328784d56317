import Files
import FetchPlan
import JSONText
import PipelineSpec

/// What is known of a file that was saved.
struct SavedFile: Sendable {
  let path: String
  let size: Int
  /// As the server calls it; nil when it did not.
  let type: String?

  /// `{"path":…,"bytes":…,"contentType":…}`
  var json: JSONValue {
    JSONValue(members: [
      ("path", JSONValue(path)), ("bytes", JSONValue(size)), ("contentType", type.map { JSONValue($0) } ?? .null),
    ])
  }
}
