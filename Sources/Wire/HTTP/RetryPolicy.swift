// How often, and for how long, a request is made again.

/// What a job says about failures that may pass.
package struct RetryPolicy: Sendable, Hashable {
  /// Most attempts, the first included. Waits that a server asks for use up none.
  package var attempts = 5
  package var statuses = [408, 425, 429, 500, 502, 503, 504, 522, 524]
  /// The bound of the first wait; it doubles with each failure.
  package var wait: Duration = .milliseconds(500)
  /// The bound of every wait of our own choosing.
  package var most: Duration = .seconds(60)
  /// Most time spent waiting for one request, whoever asked for it.
  package var total: Duration = .seconds(600)

  package init() {}

  /// For requests that may do something twice when they are made twice: no failure is tried again.
  package static let once: RetryPolicy = {
    var policy = RetryPolicy()
    policy.attempts = 1
    policy.statuses = []
    return policy
  }()
}
