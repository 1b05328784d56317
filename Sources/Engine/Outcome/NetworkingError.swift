// The errors between a spec and its records, for Swift users.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reason why records could not be fetched or read.
///
/// Texts are redacted (`***`). Bodies are quoted up to 512 bytes. `page` counts from 1. It is nil for anything without
/// pages, such as a downloaded file or the input.
public enum NetworkingError: Error, Hashable, Sendable {
  /// The URL is invalid, or leads to an origin that the job may not request.
  case invalidURL(url: String, reason: String)
  /// A template can't be evaluated, or its result is illegal in its place; `position` is `FILE:LINE:COLUMN` of the spec.
  case invalidParameter(template: String, position: String, reason: String)
  /// The status is not 200 to 299 (RFC 9110 §15); `body` is the start of the body.
  ///
  /// `hint` may be empty. It may give a remedy, the number of attempts, and the time that the server named for another
  /// try. It also says if the request was for a token.
  case invalidResponseStatus(status: Int, url: String, page: Int?, hint: String, body: String)
  /// The server is still at work, so the body is not the content yet.
  ///
  /// Either a GET was answered by 202 (RFC 9110 §15.3.3), or the time of `poll` is over. `hint` gives a remedy and the
  /// number of attempts.
  case notReady(status: Int, url: String, page: Int?, hint: String, body: String)
  /// No whole response came: name, connection, TLS, time, a body cut short, a redirect that may not be followed.
  case transportFailure(url: String, page: Int?, reason: String)
  /// The reply itself reports an error that the spec's `failure` finds.
  case contentFailure(url: String, page: Int, reason: String)
  /// The text is not one RFC 8259 value (a response), or not one value a line (NDJSON).
  ///
  /// `source` is a URL or the name of the input. The offset counts bytes from 0; line and column count from 1.
  case invalidJSON(source: String, page: Int?, offset: Int, line: Int, column: Int, reason: String)
  /// The text is no CSV (RFC 4180), or lines of it have other fields than the first; line and column count from 1.
  case invalidCSV(source: String, page: Int?, line: Int, column: Int, reason: String)
  /// The content's key is not in the envelope; `reason` lists the keys that exist.
  case missingContentIdentifier(identifier: String, source: String?, page: Int?, reason: String)
  /// `NetworkingResult` was decoded without a string in `userInfo[.contentIdentifier]`.
  case invalidDecoderConfiguration(reason: String)
  /// A record does not match the expected type.
  ///
  /// `record` counts from 1 within the page, or within the stream if the page is nil.
  case decodingError(source: String, page: Int?, record: Int, keyPath: String, expected: String, found: String)
  /// A file could not be saved, or a page could not be held in a temporary file.
  ///
  /// `reason` names the file and the system's error.
  case outputFailure(reason: String)
  /// The pages go in circles: the server repeats earlier pages.
  case paginationLoop(url: String, page: Int, reason: String)
  /// A page has a value after which no next page is possible.
  ///
  /// Examples: a total that is no number, `more` without a next page, `done` that is neither true nor false. Another
  /// is a link that can't be read or leads to another origin.
  case invalidPage(url: String, page: Int, reason: String)
}

extension NetworkingError: LocalizedError, CustomStringConvertible {
  /// The `description`, for code that shows a `LocalizedError`.
  public var errorDescription: String? { description }

  /// One sentence: the error's name, its location, the value found, and a remedy if one is known.
  public var description: String {
    switch self {
    case .invalidURL(let url, let reason):
      "invalidURL: \(Self.clipped(url)): \(reason)"
    case .invalidParameter(let template, let position, let reason):
      "invalidParameter: \(template) at \(position): \(reason)"
    case .invalidResponseStatus(let status, let url, let page, let hint, let body):
      "invalidResponseStatus: \(status) from \(Self.clipped(url))\(Self.page(page))" + (hint.isEmpty ? "" : ", \(hint)")
        + (body.isEmpty ? ", empty body" : ": \(body)")
    case .notReady(let status, let url, let page, let hint, let body):
      "notReady: \(status) from \(Self.clipped(url))\(Self.page(page)), the content is not there yet"
        + (hint.isEmpty ? "" : "; \(hint)") + (body.isEmpty ? "" : ": \(body)")
    case .transportFailure(let url, let page, let reason):
      "transportFailure: \(Self.clipped(url))\(Self.page(page)): \(reason)"
    case .contentFailure(let url, let page, let reason):
      "contentFailure: \(Self.clipped(url)) (page \(page)) says: \(reason)"
    case .invalidJSON(let source, let page, _, _, _, let reason):
      "invalidJSON: \(source)\(Self.page(page)): \(reason)"
    case .invalidCSV(let source, let page, _, _, let reason):
      "invalidCSV: \(source)\(Self.page(page)): \(reason)"
    case .missingContentIdentifier(let identifier, let source, let page, let reason):
      "missingContentIdentifier: '\(identifier)' is not in \(source ?? "the data")\(Self.page(page)); \(reason)"
    case .invalidDecoderConfiguration(let reason):
      "invalidDecoderConfiguration: \(reason)"
    case .decodingError(let source, let page, let record, let keyPath, let expected, let found):
      "decodingError: \(source)\(Self.page(page)), record \(record)"
        + (keyPath.isEmpty ? "" : ", '\(keyPath)'") + ": expected \(expected), found \(found)"
    case .outputFailure(let reason):
      "outputFailure: \(reason)"
    case .paginationLoop(let url, let page, let reason):
      "paginationLoop: \(Self.clipped(url)) (page \(page)): \(reason)"
    case .invalidPage(let url, let page, let reason):
      "invalidPage: \(Self.clipped(url)) (page \(page)): \(reason)"
    }
  }

  /// Shortens a URL, which may contain a cursor of any length.
  private static func clipped(_ url: String) -> String { url.count > 2_000 ? "\(url.prefix(2_000))…" : url }

  private static func page(_ number: Int?) -> String { number.map { " (page \($0))" } ?? "" }
}

extension Int {
  /// A positive number with a comma before each three digits: `199,900`.
  var groupedByThousands: String {
    let digits = String(self)
    let first = (digits.count - 1) % 3 + 1
    return stride(from: first, to: digits.count, by: 3).reduce(String(digits.prefix(first))) { text, index in
      "\(text),\(digits.dropFirst(index).prefix(3))"
    }
  }
}

extension NetworkingError {
  /// True if the failure may be due to the position of a resumed run, not to the network.
  var mayConcernPosition: Bool {
    switch self {
    case .invalidResponseStatus(let status, _, _, _, _):
      (400..<500).contains(status) && ![407, 408, 425, 429].contains(status)
    case .contentFailure, .missingContentIdentifier, .paginationLoop, .invalidPage: true
    // The answer may be cut, or one of a proxy.
    case .invalidJSON, .invalidCSV, .decodingError, .transportFailure, .notReady: false
    case .invalidURL, .invalidParameter, .invalidDecoderConfiguration, .outputFailure: false
    }
  }
}
