// The limits for the attempts and waits of a request.

/// The rules of a job for temporary failures.
package struct RetryPolicy: Sendable, Hashable {
  /// Limit for attempts, including the first.
  ///
  /// A wait that a server asks for does not use up an attempt. With a limit of 1, nothing is repeated.
  package var attempts = 5
  package var statuses = [408, 425, 429, 500, 502, 503, 504, 522, 524]
  /// Upper bound of the first wait; the bound doubles with each failure.
  package var wait: Duration = .milliseconds(500)
  /// Upper bound of every wait that the server did not ask for.
  package var most: Duration { max(.seconds(60), wait) }
  /// Limit for the total time of all waits of one request.
  package var total: Duration = .seconds(600)

  package init() {}

  /// A policy without retries, for requests that may act twice if they are sent twice.
  package static let once: RetryPolicy = {
    var policy = RetryPolicy()
    policy.attempts = 1
    policy.statuses = []
    return policy
  }()
}

/// The highest rate of requests to an origin (`5/s`), as the time between two requests.
package struct Rate: Sendable, Hashable {
  package let interval: Duration

  package init(interval: Duration) {
    self.interval = interval
  }
}
