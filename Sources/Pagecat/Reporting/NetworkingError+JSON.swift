// An error as data, for rejects and summaries.

import JSONText

extension NetworkingError {
  /// Name of the error: `transportFailure`.
  var title: String { String(description.prefix { $0 != ":" }) }

  /// The error as an object with `code`, `message`, `url` and `status`.
  var json: JSONValue {
    JSONValue(members: [
      ("code", JSONValue(title)), ("message", JSONValue(explanation)), ("url", url.map { JSONValue($0) } ?? .null),
      ("status", status.map { JSONValue($0) } ?? .null),
    ])
  }

  /// The description without the error's name.
  private var explanation: String { String(description.dropFirst(title.count + 2)) }

  /// URL of the failed request, if there was one.
  private var url: String? {
    switch self {
    case .invalidURL(let url, _), .invalidResponseStatus(_, let url, _, _, _), .notReady(_, let url, _, _, _),
      .transportFailure(let url, _, _), .contentFailure(let url, _, _), .paginationLoop(let url, _, _),
      .invalidPage(let url, _, _):
      url
    case .invalidJSON(let source, let page, _, _, _, _), .decodingError(let source, let page, _, _, _, _):
      page == nil ? nil : source
    case .invalidCSV(let source, let page, _, _, _):
      page == nil ? nil : source
    case .missingContentIdentifier(_, let source, let page, _):
      page == nil ? nil : source
    case .invalidParameter, .outputFailure, .invalidDecoderConfiguration:
      nil
    }
  }

  private var status: Int? {
    switch self {
    case .invalidResponseStatus(let status, _, _, _, _): status
    case .notReady(let status, _, _, _, _): status
    default: nil
    }
  }
}
