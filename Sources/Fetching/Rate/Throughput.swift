/// The number of requests that succeeded in the last second.
struct Throughput: Equatable {
  /// Number of tenths of a second that are kept.
  private static let bucketCount = 10

  /// Successes by tenth of a second; the index is the tenth modulo ten.
  private var buckets = [Int](repeating: 0, count: bucketCount)
  /// Tenth of a second of the newest bucket.
  private var newest = Int.min
  /// Tenth of a second of the first success, or of the first one after a second without any.
  private var first: Int?

  init() {}

  /// Creates the counts of a `PaceFile`'s record; nil if they are impossible.
  ///
  /// - Parameters:
  ///   - newest: tenth of a second; `Int.min` if nothing was counted.
  ///   - first: tenth of a second; -1 if there was no success.
  ///   - latest: time after which no success can have been counted.
  init?(buckets: [Int], newest: Int, first: Int, latest: Duration) {
    guard buckets.count == Self.bucketCount, first >= -1, first <= newest || first == -1 else { return nil }
    guard newest == .min || newest >= 0 && newest <= Self.tenth(of: latest) else { return nil }
    (self.buckets, self.newest, self.first) = (buckets, newest, first < 0 ? nil : first)
  }

  /// The counts as a record holds them.
  var parts: (newest: Int, first: Int, buckets: [Int]) { (newest, first ?? -1, buckets) }

  /// End of the time for which successes were counted.
  var end: Duration { newest == .min ? .zero : .milliseconds(100) * (newest + 1) }

  /// Counts a success.
  mutating func record(at now: Duration) {
    advance(to: now)
    if buckets.allSatisfy({ $0 == 0 }) { first = newest }
    buckets[newest % Self.bucketCount] += 1
  }

  /// Returns the successes per second.
  ///
  /// A burst of less than a second, after a time without successes, is measured over its own time.
  mutating func perSecond(at now: Duration) -> Double {
    advance(to: now)
    let count = buckets.reduce(0, +)
    guard let first, count > 1 else { return Double(count) }
    // A burst of some milliseconds says little about a second.
    let tenths = min(max(newest - first + 1, 3), Self.bucketCount)
    return Double(count) * 10 / Double(tenths)
  }

  private mutating func advance(to now: Duration) {
    let tenth = Self.tenth(of: now)
    // A clock that goes backward counts for the newest tenth.
    guard tenth > newest else { return }
    if newest == .min || tenth - newest >= Self.bucketCount {
      for index in buckets.indices { buckets[index] = 0 }
    } else {
      for skipped in newest + 1...tenth { buckets[skipped % Self.bucketCount] = 0 }
    }
    newest = tenth
  }

  private static func tenth(of time: Duration) -> Int {
    let (seconds, attoseconds) = time.components
    return Int(seconds) * 10 + Int(attoseconds / 100_000_000_000_000_000)
  }
}
