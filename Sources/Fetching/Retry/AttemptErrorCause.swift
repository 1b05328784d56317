package import Wire

/// The cause of a failed attempt, as far as it matters for another attempt.
package enum AttemptErrorCause: Sendable {
  /// Another attempt would fail in the same way.
  case lasting
  /// A failure of the connection, a timeout or a cut body: the next attempt may succeed.
  case passing
  /// An error status, and the start of its body.
  case status(ReplyHead, body: String)
  /// An answer whose body says "later", whatever its status.
  case later(ReplyHead)
  /// The replayed recording has no answer to another attempt.
  case unanswered

  /// True for a status by which servers refuse requests that are too many.
  var isRefusal: Bool {
    if case .status(let head, _) = self { [429, 503].contains(head.status) } else { false }
  }

  /// True for a status by which servers refuse requests because too many are in progress.
  var isOverload: Bool {
    if case .status(let head, _) = self { head.status == 503 } else { false }
  }

  /// The reason for the wait before the next attempt.
  var waitReason: WaitReason {
    switch self {
    case .status(let head, _): .status(head.status)
    case .later: .condition
    case .lasting, .passing, .unanswered: .failure
    }
  }
}
