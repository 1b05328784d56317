/// The limits of one origin, as a pure value: the spec's rate, the server's pauses, and the rate that refusals taught.
struct OriginLimit: Equatable {
  /// The answer to a request that wants to be sent.
  enum Slot: Equatable {
    /// The slot is reserved; send after this time.
    case reserved(after: Duration)
    /// No slot is reserved; ask again after this time.
    case later(Duration)
  }

  /// Pause after a refusal that names no time, so that requests in flight don't run into the same limit.
  ///
  /// Every request may wait that long, whatever its policy.
  static let shortPause: Duration = .milliseconds(200)
  /// How far ahead slots of a learned rate are reserved; such a rate may be a better one soon.
  private static let lookahead: Duration = .seconds(1)

  /// Time between two requests; the longest of the given intervals.
  var interval: Duration = .zero
  /// End of the pause that the origin asked for.
  private(set) var heldUntil: Duration = .zero
  /// Number of successes since the first refusal.
  private(set) var successes = 0
  private var learned: LearnedRate?
  /// Time of the next request as far as the interval matters.
  private var nextSlot: Duration = .zero

  init() {}

  /// True if a refusal has set a rate.
  var hasLearned: Bool { learned != nil }

  mutating func takeSlot(throughput: Double, now: Duration) -> Slot {
    let paced = learned?.interval(throughput: throughput, now: now) ?? .zero
    let interval = max(interval, paced)
    let slot = max(now, nextSlot)
    if learned != nil, slot - now > max(Self.lookahead, interval) { return .later(slot - now - Self.lookahead) }
    nextSlot = slot + interval
    return .reserved(after: slot - now)
  }

  mutating func hold(until time: Duration) {
    heldUntil = max(heldUntil, time)
  }

  mutating func succeed() {
    if learned != nil { successes += 1 }
  }

  /// Learns from a 429, or from a 503 with `Retry-After`.
  ///
  /// - Parameter hasPause: true if the reply says how long to wait.
  mutating func refuse(throughput: Double, hasPause: Bool, now: Duration) {
    if !hasPause { hold(until: now + Self.shortPause) }
    guard learned?.refuse(throughput: throughput, now: now) ?? true else { return }
    learned = learned ?? LearnedRate(throughput: throughput, now: now)
    // Slots that were reserved at the old rate are lost with it.
    nextSlot = now
  }
}
