// What a spec says about how requests are made.

extension Job {
  /// `retry`: what is not given is nil, and as the fetching room does it.
  package struct Retry: Hashable, Sendable {
    package var attempts: Int?
    package var statuses: Set<Int>?
    package var wait: Duration?
    package var most: Duration?
    package var total: Duration?
    package init() {}
  }

  /// `rate: 5/s`.
  package struct Rate: Hashable, Sendable {
    package let count: Int
    package let time: Duration
    package init(count: Int, time: Duration) {
      self.count = count
      self.time = time
    }
  }
}
