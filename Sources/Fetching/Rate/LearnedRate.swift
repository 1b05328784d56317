// The rate that an origin accepts, learned from its 429s: additive increase, multiplicative decrease, as TCP does
// (RFC 5681 §3.1). The decision is a pure value; the caller gives the time.

/// A rate of requests that a server's refusals set, and that grows until the next refusal.
struct LearnedRate: Equatable {
  /// Part of the accepted rate that is kept after a refusal.
  private static let decrease = 0.85
  /// Lowest first estimate, in requests per second: a process may be refused before its first success.
  private static let leastEstimate = 10.0
  /// Lowest rate: one request in a minute.
  static let least = 1.0 / 60
  /// Refusals within this time are one refusal, since they answer requests that were in flight together.
  private static let gap: Duration = .seconds(1)

  /// The rate that the server accepted when it last refused a request, per second.
  private(set) var accepted: Double
  /// Time of the last refusal that changed the rate.
  private(set) var refusedAt: Duration

  /// Learns from an origin's first refusal.
  ///
  /// - Parameter throughput: successes per second before the refusal.
  init(throughput: Double, now: Duration) {
    accepted = max(throughput, Self.leastEstimate)
    refusedAt = now
  }

  /// Creates the rate that a record of a `PaceFile` holds.
  init(accepted: Double, refusedAt: Duration) {
    (self.accepted, self.refusedAt) = (accepted, refusedAt)
  }

  /// Learns from a further refusal; returns false if it belongs to the last one.
  mutating func refuse(throughput: Double, now: Duration) -> Bool {
    guard now - refusedAt >= Self.gap else { return false }
    let current = rate(throughput: throughput, now: now)
    accepted = max(min(current, max(throughput, current / 2)), Self.least)
    refusedAt = now
    return true
  }

  /// Returns the current rate, per second.
  ///
  /// The rate starts below the accepted one, and grows faster with each second without a refusal. Half of the growth is
  /// a part of the rate. The other half follows its square root, so that processes that share a limit get closer to
  /// equal parts. The rate stays below twice the throughput: an idle time is no sign of a higher limit.
  func rate(throughput: Double, now: Duration) -> Double {
    let age = max(0, (now - refusedAt).inSeconds)
    let growth = (accepted + 10 * accepted.squareRoot()) * 0.02 * age * (1 + age / 10)
    return min(accepted * Self.decrease + growth, max(2 * throughput, accepted))
  }

  func interval(throughput: Double, now: Duration) -> Duration {
    .microseconds(Int64(1e6 / rate(throughput: throughput, now: now)))
  }
}
