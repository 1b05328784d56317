// An error as data, for rejected records and summaries.

import JSONText

extension NetworkingError {
  /// The error as an object with `code`, `message`, `url` and `status`.
  var json: JSONValue {
    JSONValue(members: [
      ("code", JSONValue(code)), ("message", JSONValue(explanation)), ("url", url.map { JSONValue($0) } ?? .null),
      ("status", status.map { JSONValue($0) } ?? .null),
    ])
  }

  /// The description without the error's name.
  private var explanation: String { String(description.dropFirst(code.count + 2)) }
}
