package import Wire

/// Hears what the transports of a run do. It may be called from any thread.
package protocol TransportObserver: Sendable {
  func willSend(_ request: Request)
  /// The request that `willSend` announced was cancelled before anything of it was sent.
  func wasNotSent(_ request: Request)
  /// The request waits: for its next attempt, or because its origin asked for a pause.
  func waits(_ request: Request, for time: Duration)
  /// The request is about to be sent again after a failure.
  func retries(_ request: Request)
}
