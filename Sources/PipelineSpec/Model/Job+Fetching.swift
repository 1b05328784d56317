// Settings of a spec about sending requests.

package import JSONText

extension Job {
  /// `retry`: nil values take the defaults of `Fetching`.
  package struct Retry: Hashable, Sendable {
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
    package let count: Int
    package let time: Duration
    package init(count: Int, time: Duration) {
      self.count = count
      self.time = time
    }
  }
}
