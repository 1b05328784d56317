package import Wire

/// Why an attempt failed, as far as another one is concerned.
package enum AttemptErrorCause: Sendable {
  /// Another attempt would end the same.
  case lasting
  /// The connection, the time, the rest of a body: the next attempt may have more luck.
  case passing
  /// A status that is no success, and the start of the body that came with it.
  case status(ReplyHead, body: String)
  /// A recording has no answer to another attempt.
  case unanswered
}
