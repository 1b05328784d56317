/// The reason why a request waits.
package enum WaitReason: Sendable, Hashable {
  /// The request is tried again after this status.
  case status(Int)
  /// The request is tried again after an answer that fulfils `retry.when`.
  case condition
  /// The request is tried again after a failure of the connection.
  case failure
  /// The origin asked for a pause in a reply to another request.
  case pause
  /// The job's or the origin's `rate` is used up.
  case rate
  /// The job polls, and the server is still at work.
  case poll
}
