package import Wire

/// Receives the events of a run's transports, on any thread.
package protocol TransportObserver: Sendable {
  func willSend(_ request: Request)
  /// The request that `willSend` announced was cancelled before anything of it was sent.
  func wasNotSent(_ request: Request)
  /// The request waits for its next attempt, or for the end of its origin's pause.
  func waits(_ request: Request, for time: Duration)
  /// The request is about to be sent again after a failure.
  func retries(_ request: Request)
}
