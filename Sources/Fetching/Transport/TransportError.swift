package import Wire

/// No reply, or only a part of one: the error `transportFailure` (exit 3).
package struct TransportError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// libcurl is missing or too old.
    case noLibrary
    case badURL
    case resolve, connect, tls
    /// Less than 1 KB in `timeout`, or no connection in time.
    case timeout
    /// The connection ended before the reply was whole.
    case cut
    /// A connection that had been used before ended without an answer: most likely the server was about to close it.
    case stale
    case tooLarge
    case redirect
    /// Not made, because the server asked for a longer pause than the request may wait.
    case held
    /// No token was given for the credentials: `answer` is what came instead, where it was a status.
    case refused
    /// A replay that has no answer for the request.
    case noAnswer
    case cancelled
    /// Cancelled before anything of it was sent.
    case unsent
    case other
  }

  /// A reply that came to another request than the one that was to be made, and stands in its way: to that for a token.
  package struct Answer: Hashable, Sendable {
    package let status: Int
    /// The start of its body, secrets masked.
    package let body: String
  }

  package let kind: Kind
  package let url: Redactable
  /// What happened and what to do, secrets masked: `connection refused by 127.0.0.1:9`.
  package let problem: String
  package let answer: Answer?

  /// How the problem begins of a status that came instead of a token.
  package static let tokenEndpoint = "the token endpoint"

  package init(_ kind: Kind, url: Redactable, problem: String, answer: Answer? = nil) {
    self.kind = kind
    self.url = url
    self.problem = problem
    self.answer = answer
  }

  /// Whether it may be gone at the next attempt.
  package var mayPass: Bool {
    switch kind {
    case .resolve, .connect, .timeout, .cut, .stale: true
    case .noLibrary, .badURL, .tls, .tooLarge, .redirect, .held, .refused, .noAnswer, .cancelled, .unsent, .other:
      false
    }
  }
}
