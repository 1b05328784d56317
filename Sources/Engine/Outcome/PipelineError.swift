#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import Diagnostics
import JSONText
import PipelineSpec
import Wire

/// The facts that all errors of the library have.
public protocol PipelineError: Error {
  /// Name of the error: `transportFailure`, `invalidSpec`.
  var code: String { get }
  /// URL of the failed request, without secrets.
  var url: String? { get }
  /// Status code of the response, if that is the problem.
  var status: Int? { get }
  /// Number of the page in its stream, from 1.
  var page: Int? { get }
}

extension PipelineError {
  /// Nil: the error is not about a request.
  public var url: String? { nil }
  /// Nil: the error is not about a response.
  public var status: Int? { nil }
  /// Nil: the error is not about a page.
  public var page: Int? { nil }
}

extension SpecError: PipelineError {
  /// `invalidSpec`.
  public var code: String { "invalidSpec" }
}

extension IncompleteError: PipelineError {
  /// `incomplete`.
  public var code: String { "incomplete" }
}

extension NetworkingError: PipelineError {
  /// Name of the case.
  public var code: String {
    switch self {
    case .invalidURL: "invalidURL"
    case .invalidParameter: "invalidParameter"
    case .invalidResponseStatus: "invalidResponseStatus"
    case .notReady: "notReady"
    case .transportFailure: "transportFailure"
    case .contentFailure: "contentFailure"
    case .invalidJSON: "invalidJSON"
    case .invalidCSV: "invalidCSV"
    case .missingContentIdentifier: "missingContentIdentifier"
    case .invalidDecoderConfiguration: "invalidDecoderConfiguration"
    case .decodingError: "decodingError"
    case .outputFailure: "outputFailure"
    case .busy: "busy"
    case .paginationLoop: "paginationLoop"
    case .invalidPage: "invalidPage"
    }
  }

  /// URL of the failed request, if there was one.
  public var url: String? { context.url }
  /// Status code of a response that is not the content.
  public var status: Int? { context.status }
  /// Number of the page in its stream, from 1; nil for anything without pages.
  public var page: Int? { context.page }
}

/// Errors in specs, parameters or environment variables; nothing was requested.
public struct SpecError: LocalizedError, Sendable, CustomStringConvertible {
  /// One message for each error, with its location if it has one.
  public let messages: [String]

  package init(messages: [String]) {
    self.messages = messages
  }

  private static let mostShown = 100

  /// The first 100 messages, a line or more each, and how many more there are: `and 199,900 more`.
  public var description: String { shown.joined(separator: "\n") }

  /// The messages of `description`.
  package var shown: [String] {
    let others = messages.count - Self.mostShown
    return messages.prefix(Self.mostShown) + (others > 0 ? ["and \(others.groupedByThousands) more"] : [])
  }

  /// The `description`, for callers that show a `LocalizedError`.
  public var errorDescription: String? { description }
}

/// The run gave every record that it could get, but there are more.
///
/// Possible reasons:
/// - Input records were left out or answered empty (`onError`).
/// - A response says that there is more: by a total, a sign of further pages, a part, an error.
public struct IncompleteError: LocalizedError, Sendable, CustomStringConvertible {
  /// `partial`, `short`, or `failed` (the input can't be read).
  public let verdict: Verdict
  /// The missing part: `2 of 3 records; empty page 3`.
  ///
  /// For input records that failed, the first error.
  public let reason: String

  package init(verdict: Verdict, reason: String) {
    (self.verdict, self.reason) = (verdict, reason)
  }

  /// Verdict and reason.
  public var description: String { "\(verdict.rawValue): \(reason)" }
  /// The `description`, for code that shows a `LocalizedError`.
  public var errorDescription: String? { description }
}

/// A failure, with the job and the input record in which it happened.
package struct Failure: Sendable {
  package let error: NetworkingError
  /// Name of the job.
  package let job: String
  /// Number of the input record in the job's input, from 1; nil if the job reads no records.
  package let record: Int?
  /// Number of the last input record, if the failure is that of several (`batch`).
  var last: Int?

  private var location: String {
    guard let record else { return "" }
    guard let last, last > record else { return ", input record \(record)" }
    return ", input records \(record) to \(last)"
  }

  /// Message in one line: `drinks, input record 3: status 500 from …`.
  package var description: String {
    "\(job.printable)\(location): \(error.message.printableLines)"
  }
}

// An error as data, for rejected records and summaries.

extension NetworkingError {
  /// The error as an object with `code`, `message`, `url` and `status`.
  var json: JSONValue {
    JSONValue(members: [
      ("code", JSONValue(code)), ("message", JSONValue(CredentialName.masking(urlsIn: message))),
      ("url", url.map { JSONValue(CredentialName.masking(urlsIn: $0)) } ?? .null),
      ("status", status.map { JSONValue($0) } ?? .null),
    ])
  }
}
