// The errors between a spec and its records, for Swift users.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import Diagnostics
import Fetching
package import Files
import Wire

/// The reason why records could not be fetched or read.
///
/// Each case has a `Context`, and beside it only what no other case has. Texts are redacted (`***`).
public enum NetworkingError: Error, Hashable, Sendable {
  /// The URL is invalid, or leads to an origin that the job may not request.
  case invalidURL(Context)
  /// A template can't be evaluated, or its result is illegal in its place; `position` is `FILE:LINE:COLUMN` of the spec.
  case invalidParameter(template: String, position: String, Context)
  /// The status is not 200 to 299 (RFC 9110 §15); `body` is the start of the body, up to 512 bytes.
  ///
  /// The hint may be empty. It may give a remedy, the number of attempts, and the time that the server named for another
  /// try. It also says if the request was for a token.
  case invalidResponseStatus(body: String, Context)
  /// The server is still at work, so the body is not the content yet.
  ///
  /// Either a GET was answered by 202 (RFC 9110 §15.3.3), or the time of `poll` is over. The hint gives a remedy and the
  /// number of attempts.
  case notReady(body: String, Context)
  /// No whole response came: name, connection, TLS, time, a body cut short, a redirect that may not be followed.
  case transportFailure(Context)
  /// The reply itself reports an error that the spec's `failure` finds.
  case contentFailure(Context)
  /// The text is not one RFC 8259 value (a response), or not one value a line (NDJSON).
  ///
  /// The offset counts bytes from 0; line and column count from 1.
  case invalidJSON(offset: Int, line: Int, column: Int, Context)
  /// The text is no CSV (RFC 4180), or lines of it have other fields than the first; line and column count from 1.
  case invalidCSV(line: Int, column: Int, Context)
  /// The content's key is not in the envelope; the hint lists the keys that exist.
  case missingContentIdentifier(identifier: String, Context)
  /// `NetworkingResult` was decoded without a string in `userInfo[.contentIdentifier]`.
  case invalidDecoderConfiguration(Context)
  /// A record does not match the expected type.
  ///
  /// `record` counts from 1 within the page, or within the stream if the page is nil.
  case decodingError(record: Int, keyPath: String, expected: String, found: String, Context)
  /// A file could not be saved, or a page could not be held in a temporary file.
  ///
  /// The hint names the file and the system's error.
  case outputFailure(Context)
  /// Another run holds a file that this run would write, so that nothing was requested: a later try may succeed.
  case busy(Context)
  /// The pages go in circles: the server repeats earlier pages.
  case paginationLoop(Context)
  /// A page has a value after which no next page is possible.
  ///
  /// Examples: a total that is no number, `more` without a next page, `done` that is neither true nor false. Another
  /// is a link that can't be read or leads to another origin.
  case invalidPage(Context)

  /// What is known of the request, the response or the data that an error is about.
  ///
  /// Later versions may add members, so that the cases keep their shape.
  public struct Context: Hashable, Sendable {
    /// URL of the request, without secrets; nil for data that no request brought.
    public var url: String?
    /// Name of data that no request brought, such as the input of a job.
    public var source: String?
    /// Number of the page in its stream, from 1; nil for anything without pages, such as a downloaded file or the input.
    public var page: Int?
    /// Status code of the response, if that is the problem.
    public var status: Int?
    /// Time for which the response asks the client to wait (`Retry-After`, RFC 9110 §10.2.3).
    public var retryAfter: Duration?
    /// The reason in words, with a remedy if one is known.
    public var hint: String

    /// Creates a context, for tests and previews.
    public init(
      url: String? = nil, source: String? = nil, page: Int? = nil, status: Int? = nil, retryAfter: Duration? = nil,
      hint: String = ""
    ) {
      (self.url, self.source, self.page, self.status) = (url, source, page, status)
      (self.retryAfter, self.hint) = (retryAfter, hint)
    }
  }
}

extension NetworkingError: LocalizedError, CustomStringConvertible {
  /// The `description`, for code that shows a `LocalizedError`.
  public var errorDescription: String? { description }

  /// One sentence: the error's name, its location, the value found, and a remedy if one is known.
  public var description: String { "\(code): \(message)" }

  /// The description without the error's name, for people.
  package var message: String {
    let hint = context.hint
    return switch self {
    case .invalidURL, .transportFailure, .contentFailure, .invalidJSON, .invalidCSV, .paginationLoop, .invalidPage:
      "\(subject)\(says) \(hint)"
    case .invalidParameter(let template, let position, _):
      "\(template) at \(position): \(hint)"
    case .invalidResponseStatus(let body, _):
      "\(statusText) from \(subject)" + (hint.isEmpty ? "" : ", \(hint)")
        + (body.isEmpty ? ", empty body" : ": \(body)")
    case .notReady(let body, _):
      "\(statusText) from \(subject), the content is not there yet"
        + (hint.isEmpty ? "" : "; \(hint)") + (body.isEmpty ? "" : ": \(body)")
    case .missingContentIdentifier(let identifier, _):
      "'\(identifier)' is not in \(subject); \(hint)"
    case .decodingError(let record, let keyPath, let expected, let found, _):
      "\(subject), record \(record)"
        + (keyPath.isEmpty ? "" : ", '\(keyPath)'") + ": expected \(expected), found \(found)"
    case .invalidDecoderConfiguration, .outputFailure, .busy: hint
    }
  }

  /// The kind of the error in a few words, for the reason of a verdict.
  var kind: String {
    switch self {
    case .invalidURL: "a URL that may not be requested"
    case .invalidParameter: "a template without a usable value"
    case .invalidResponseStatus: statusText
    case .notReady: "the content is not ready"
    case .transportFailure: "no complete answer"
    case .contentFailure: "the answer reports an error"
    case .invalidJSON: "unreadable JSON"
    case .invalidCSV: "unreadable CSV"
    case .missingContentIdentifier: "no content at its path"
    case .invalidDecoderConfiguration: "no path of the content"
    case .decodingError: "a value of an unexpected type"
    case .outputFailure: "a file could not be written"
    case .busy: "another run holds a file"
    case .paginationLoop: "the pages go in circles"
    case .invalidPage: "no next page is possible"
    }
  }

  private var statusText: String { "status \(context.status ?? 0)" }

  private var says: String {
    switch self {
    case .contentFailure: " says:"
    case .invalidJSON: " can't be read as JSON:"
    case .invalidCSV: " can't be read as CSV:"
    default: ":"
    }
  }

  /// The URL or the source, with the page.
  ///
  /// A URL may contain a cursor of any length.
  private var subject: String {
    let page = context.page.map { " (page \($0))" } ?? ""
    guard let url = context.url else { return (context.source ?? "the data") + page }
    return (url.count > 400 ? "\(url.prefix(300))…\(url.suffix(60))" : url) + page
  }

  /// What is known of the request, the response or the data.
  public var context: Context {
    get {
      switch self {
      case .invalidURL(let context), .invalidParameter(_, _, let context), .invalidResponseStatus(_, let context),
        .notReady(_, let context), .transportFailure(let context), .contentFailure(let context),
        .invalidJSON(_, _, _, let context), .invalidCSV(_, _, let context), .missingContentIdentifier(_, let context),
        .invalidDecoderConfiguration(let context), .decodingError(_, _, _, _, let context),
        .outputFailure(let context), .busy(let context), .paginationLoop(let context), .invalidPage(let context):
        context
      }
    }
    set {
      switch self {
      case .invalidURL: self = .invalidURL(newValue)
      case .invalidParameter(let template, let position, _):
        self = .invalidParameter(template: template, position: position, newValue)
      case .invalidResponseStatus(let body, _): self = .invalidResponseStatus(body: body, newValue)
      case .notReady(let body, _): self = .notReady(body: body, newValue)
      case .transportFailure: self = .transportFailure(newValue)
      case .contentFailure: self = .contentFailure(newValue)
      case .invalidJSON(let offset, let line, let column, _):
        self = .invalidJSON(offset: offset, line: line, column: column, newValue)
      case .invalidCSV(let line, let column, _): self = .invalidCSV(line: line, column: column, newValue)
      case .missingContentIdentifier(let identifier, _):
        self = .missingContentIdentifier(identifier: identifier, newValue)
      case .invalidDecoderConfiguration: self = .invalidDecoderConfiguration(newValue)
      case .decodingError(let record, let keyPath, let expected, let found, _):
        self = .decodingError(record: record, keyPath: keyPath, expected: expected, found: found, newValue)
      case .outputFailure: self = .outputFailure(newValue)
      case .busy: self = .busy(newValue)
      case .paginationLoop: self = .paginationLoop(newValue)
      case .invalidPage: self = .invalidPage(newValue)
      }
    }
  }
}

// The engine makes errors from what it has: a URL or a source, a page, a reason.

extension NetworkingError {
  static func invalidURL(url: String, reason: String) -> NetworkingError {
    .invalidURL(Context(url: url, hint: reason))
  }

  static func invalidParameter(template: String, position: String, reason: String) -> NetworkingError {
    .invalidParameter(template: template, position: position, Context(hint: reason))
  }

  static func invalidResponseStatus(
    status: Int, url: String, page: Int?, retryAfter: Duration? = nil, hint: String, body: String
  ) -> NetworkingError {
    .invalidResponseStatus(
      body: body, Context(url: url, page: page, status: status, retryAfter: retryAfter, hint: hint))
  }

  static func notReady(
    status: Int, url: String, page: Int?, retryAfter: Duration? = nil, hint: String, body: String
  ) -> NetworkingError {
    .notReady(body: body, Context(url: url, page: page, status: status, retryAfter: retryAfter, hint: hint))
  }

  static func transportFailure(url: String, page: Int?, reason: String) -> NetworkingError {
    .transportFailure(Context(url: url, page: page, hint: reason))
  }

  static func contentFailure(url: String, page: Int, reason: String) -> NetworkingError {
    .contentFailure(Context(url: url, page: page, hint: reason))
  }

  static func invalidJSON(
    source: String, page: Int?, offset: Int, line: Int, column: Int, reason: String
  ) -> NetworkingError {
    .invalidJSON(offset: offset, line: line, column: column, Context(of: source, page: page, hint: reason))
  }

  static func invalidCSV(source: String, page: Int?, line: Int, column: Int, reason: String) -> NetworkingError {
    .invalidCSV(line: line, column: column, Context(of: source, page: page, hint: reason))
  }

  static func missingContentIdentifier(
    identifier: String, source: String?, page: Int?, reason: String
  ) -> NetworkingError {
    .missingContentIdentifier(identifier: identifier, Context(of: source, page: page, hint: reason))
  }

  package static func decodingError(
    source: String, page: Int?, record: Int, keyPath: String, expected: String, found: String
  ) -> NetworkingError {
    .decodingError(
      record: record, keyPath: keyPath, expected: expected, found: found, Context(of: source, page: page))
  }

  package static func outputFailure(reason: String) -> NetworkingError { .outputFailure(Context(hint: reason)) }

  /// Creates the error of a request without an answer, or with one that refuses credentials.
  init(_ fault: TransportError, page: Int?, hiding secrets: SecretStore) {
    let (url, reason) = (secrets.redacting(fault.url.redacted), secrets.redacting(fault.problem).printable)
    if let answer = fault.answer {
      let body = quoted(secrets.redacting(answer.body))
      self = .invalidResponseStatus(status: answer.status, url: url, page: page, hint: reason, body: body)
      return
    }
    switch fault.kind {
    case .badURL: self = .invalidURL(url: url, reason: reason)
    case .unsaved: self = .outputFailure(reason: reason)
    default: self = .transportFailure(url: url, page: page, reason: reason)
    }
  }

  /// Creates the error of a file that could not be written, or that another run holds.
  package init(_ fault: FileError) {
    let context = Context(hint: fault.problem)
    self = fault.isBusy ? .busy(context) : .outputFailure(context)
  }

  static func paginationLoop(url: String, page: Int, reason: String) -> NetworkingError {
    .paginationLoop(Context(url: url, page: page, hint: reason))
  }

  static func invalidPage(url: String, page: Int, reason: String) -> NetworkingError {
    .invalidPage(Context(url: url, page: page, hint: reason))
  }

  /// Returns the error with another note.
  package func withNote(_ hint: String) -> NetworkingError {
    var error = self
    error.context.hint = hint
    return error
  }
}

extension NetworkingError.Context {
  /// Creates the context of a text: of a page, which has a URL, or of another source.
  init(of source: String?, page: Int?, hint: String = "") {
    self.init(url: page == nil ? nil : source, source: page == nil ? source : nil, page: page, hint: hint)
  }
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
  /// True if the same answer fails again, so that the spec must change; a text that can't be read may have been cut.
  package var isOfSpec: Bool {
    switch self {
    // Standard input may be better the next time.
    case .missingContentIdentifier, .decodingError, .invalidParameter, .invalidURL: context.source == nil
    default: false
    }
  }

  /// True if the failure may be due to the position of a resumed run, not to the network.
  var mayConcernPosition: Bool {
    switch self {
    case .invalidResponseStatus(_, let context):
      (400..<500).contains(context.status ?? 0) && ![407, 408, 425, 429].contains(context.status)
    case .contentFailure, .missingContentIdentifier, .paginationLoop, .invalidPage: true
    // The answer may be cut, or one of a proxy.
    case .invalidJSON, .invalidCSV, .decodingError, .transportFailure, .notReady: false
    case .invalidURL, .invalidParameter, .invalidDecoderConfiguration, .outputFailure, .busy: false
    }
  }
}
