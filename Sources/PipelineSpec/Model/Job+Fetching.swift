// Settings of a spec about sending requests.

package import JSONText

extension Job {
  /// `retry`: nil values take the defaults of `Fetching`.
  package struct Retry: Hashable, Sendable {
    /// Statuses that are retried if `statuses` is nil: the default of `RetryPolicy`.
    package static let standardStatuses = [408, 425, 429, 500, 502, 503, 504, 522, 524]

    package var attempts: Int?
    package var statuses: [Int]?
    /// Holds for the body of an answer that says "later".
    package var condition: Condition?
    package var wait: Duration?
    package var most: Duration?
    package var total: Duration?
    package init() {}
  }

  /// `rate: 5/s`, the limit of an origin.
  package struct Rate: Hashable, Sendable {
    /// Time from one request to the next.
    package let interval: Duration

    /// Returns the lower of two rates.
    package func strictest(with other: Rate?) -> Rate {
      Rate(interval: max(interval, other?.interval ?? interval))
    }
  }
}
