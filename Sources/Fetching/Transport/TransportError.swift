package import Wire

/// A missing or incomplete reply: the error `transportFailure` (exit 3).
package struct TransportError: Error, Hashable, Sendable {
  /// The raw values are the names of the kinds in our HAR files.
  package enum Kind: String, Hashable, Sendable {
    /// libcurl is missing or too old.
    case noLibrary
    case badURL
    case resolve, connect, tls
    /// Less than 1 KB arrived in `timeout`, or no connection was made in time.
    case timeout
    /// The connection ended before the reply was whole.
    case cut
    /// A reused connection ended without an answer, probably because the server was about to close it.
    case stale
    case tooLarge
    case redirect
    /// The request was not sent, because the server asked for a longer pause than the request may wait.
    case held
    /// The server refused the credentials and gave no token; `answer` is its reply if that was a status.
    case refused
    /// A new token could not be saved, and was not used.
    case unsaved
    /// The replay has no answer to the request.
    case noAnswer
    case cancelled
    /// The request was cancelled before anything of it was sent.
    case unsent
    case other
  }

  /// The reply to a request that had to come first: the request for a token.
  package struct Answer: Hashable, Sendable {
    package let status: Int
    /// Start of the body, redacted.
    package let body: String
  }

  package let kind: Kind
  package let url: Redactable
  /// The problem and a remedy, redacted: `connection refused by 127.0.0.1:9`.
  package let problem: String
  package let answer: Answer?

  /// Start of the problem if the token endpoint replied with an error status.
  package static let tokenEndpoint = "the token endpoint"
  /// Start of the problem if the request of `login` got an error status.
  package static let login = "the login"

  package init(_ kind: Kind, url: Redactable, problem: String, answer: Answer? = nil) {
    self.kind = kind
    self.url = url
    self.problem = problem
    self.answer = answer
  }

  /// True if another attempt may succeed.
  package var mayPass: Bool {
    switch kind {
    case .resolve, .connect, .timeout, .cut, .stale: true
    case .noLibrary, .badURL, .tls, .tooLarge, .redirect, .held, .refused, .unsaved, .noAnswer, .cancelled, .unsent,
      .other:
      false
    }
  }
}
