import Files
import FetchPlan
import JSONText
import PipelineSpec
import Wire

/// The metadata of a saved file.
struct SavedFile: Sendable {
  let path: String
  let size: Int
  /// Content type that the server sent; nil if it sent none.
  let type: String?

  /// `{"path":…,"bytes":…,"contentType":…}`.
  var json: JSONValue {
    JSONValue(members: [
      ("path", JSONValue(path)), ("bytes", JSONValue(size)), ("contentType", type.map { JSONValue($0) } ?? .null),
    ])
  }
}
