/// The number of requests that succeeded in the last second.
struct Throughput: Equatable {
  /// Number of tenths of a second that are kept.
  private static let bucketCount = 10

  /// Successes by tenth of a second; the index is the tenth modulo ten.
  private var buckets = [Int](repeating: 0, count: bucketCount)
  /// Tenth of a second of the newest bucket.
  private var newest = Int.min
  /// Tenth of a second of the first success.
  private var first: Int?

  /// Counts a success.
  mutating func record(at now: Duration) {
    advance(to: now)
    first = first ?? newest
    buckets[newest % Self.bucketCount] += 1
  }

  /// Successes per second; a run of less than a second is measured over its own length.
  mutating func perSecond(at now: Duration) -> Double {
    advance(to: now)
    guard let first else { return 0 }
    // A burst of some milliseconds says little about a second.
    let tenths = min(max(newest - first + 1, 3), Self.bucketCount)
    return Double(buckets.reduce(0, +)) * 10 / Double(tenths)
  }

  private mutating func advance(to now: Duration) {
    let (seconds, attoseconds) = now.components
    let tenth = Int(seconds) * 10 + Int(attoseconds / 100_000_000_000_000_000)
    // A clock that goes backward counts for the newest tenth.
    guard tenth > newest else { return }
    if newest == .min || tenth - newest >= Self.bucketCount {
      for index in buckets.indices { buckets[index] = 0 }
    } else {
      for skipped in newest + 1...tenth { buckets[skipped % Self.bucketCount] = 0 }
    }
    newest = tenth
  }
}
