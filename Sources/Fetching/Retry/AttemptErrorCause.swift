package import Wire

/// The cause of a failed attempt, as far as it matters for another attempt.
package enum AttemptErrorCause: Sendable {
  /// Another attempt would fail in the same way.
  case lasting
  /// A failure of the connection, a timeout or a cut body: the next attempt may succeed.
  case passing
  /// A success whose body is probably not the API's own answer, or not all of it.
  case content(ReplyHead)
  /// A body without a length that ends inside a line; HTTP/1.1 says where most bodies end that HTTP/2 does not.
  case openEnd
  /// An error status, the start of its body, and the wait that the body asks for.
  case status(ReplyHead, body: String, asked: Duration? = nil)
  /// An answer whose body says "later", whatever its status, and the wait that the body asks for.
  case later(ReplyHead, asked: Duration? = nil)
  /// The replayed recording has no answer to another attempt.
  case unanswered

  /// True for a status by which servers refuse requests that are too many.
  var isRefusal: Bool {
    if case .status(let head, _, _) = self { [429, 503].contains(head.status) } else { false }
  }

  /// True for a status by which servers refuse requests because too many are in progress.
  var isOverload: Bool {
    if case .status(let head, _, _) = self { head.status == 503 } else { false }
  }

  /// The reason for the wait before the next attempt.
  var waitReason: WaitReason {
    switch self {
    case .status(let head, _, _): .status(head.status)
    case .later: .condition
    case .lasting, .passing, .content, .openEnd, .unanswered: .failure
    }
  }
}

/// The failure of an attempt, and its cause, which decides about another attempt.
package struct AttemptError<Failure: Error>: Error {
  package let failure: Failure
  package let cause: AttemptErrorCause

  package init(_ failure: Failure, _ cause: AttemptErrorCause) {
    self.failure = failure
    self.cause = cause
  }
}

/// The failure of all attempts together.
package enum RetryError<Failure: Error>: Error {
  /// The last attempt's failure, and a note for the message (number of attempts, time to come back), perhaps empty.
  case failed(Failure, hint: String)
  /// No attempt was made, because the origin asked for a longer pause in another reply.
  case held(TransportError)
  case cancelled
}
