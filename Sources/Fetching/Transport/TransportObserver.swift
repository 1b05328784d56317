package import Wire

/// Receives the events of a run's transports, on any thread.
package protocol TransportObserver: Sendable {
  func willSend(_ request: Request)
  /// The head of a reply has come.
  func didReceive(_ head: ReplyHead, to request: Request)
  /// The request that `willSend` announced was cancelled before anything of it was sent.
  func wasNotSent(_ request: Request)
  /// The exchange is over: its reply was read or discarded, or the request failed.
  func didEnd(_ exchange: OpenExchange.Outcome, of request: Request)
  /// The request waits for its next attempt, for the end of its origin's pause, or for its slot.
  func waits(_ request: Request, for time: Duration, because reason: WaitReason)
  /// The request is about to be sent again after a failure.
  func retries(_ request: Request)
  /// A warning about something that does not change this run's outcome, but may change the next one's.
  func warns(_ text: String)
}
