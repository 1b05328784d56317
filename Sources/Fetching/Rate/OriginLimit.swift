import Wire

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
  /// Time for which slots are reserved ahead, at a rate that is learned, and so may improve soon, or that is shared.
  private static let lookahead: Duration = .seconds(1)

  /// Time between two requests; the longest of the intervals that this process was given.
  private(set) var interval: Duration = .zero
  /// End of the pause that the origin asked for.
  private(set) var heldUntil: Duration = .zero
  /// Time of the next request as far as the interval matters.
  private(set) var nextSlot: Duration = .zero
  /// Number of successes since the first refusal.
  private(set) var successes = 0
  private(set) var learned: LearnedRate?
  private(set) var throughput: Throughput

  init(throughput: Throughput = Throughput()) {
    self.throughput = throughput
  }

  /// Creates the limit that a record of a `PaceFile` holds, with the interval of this process.
  init(
    interval: Duration, heldUntil: Duration, nextSlot: Duration, successes: Int, learned: LearnedRate?,
    throughput: Throughput
  ) {
    self.interval = interval
    (self.heldUntil, self.nextSlot, self.successes) = (heldUntil, nextSlot, successes)
    (self.learned, self.throughput) = (learned, throughput)
  }

  /// Spaces requests; of several rates the lowest counts.
  mutating func limit(to rate: Rate) {
    interval = max(interval, rate.interval)
  }

  /// Reserves the next slot, or says when to ask again.
  ///
  /// - Parameter isShared: true if other processes take slots too: slots that a killed process has reserved are lost.
  mutating func takeSlot(isShared: Bool = false, now: Duration) -> Slot {
    let paced = learned?.interval(throughput: throughput.perSecond(at: now), now: now) ?? .zero
    let interval = max(interval, paced)
    let slot = max(now, nextSlot)
    if learned != nil || isShared, slot - now > max(Self.lookahead, interval) {
      return .later(slot - now - Self.lookahead)
    }
    nextSlot = slot + interval
    return .reserved(after: slot - now)
  }

  mutating func hold(until time: Duration) {
    guard time > heldUntil else { return }
    learned?.resume(at: time, after: heldUntil)
    heldUntil = time
  }

  mutating func succeed(now: Duration) {
    throughput.record(at: now)
    guard learned != nil else { return }
    successes += 1
    learned?.succeed()
  }

  /// Learns from a 429.
  ///
  /// The caller sets the pause that the reply asks for afterwards, since the rate is measured from the end of the last one.
  ///
  /// - Parameter hasPause: true if the reply says how long to wait.
  mutating func refuse(hasPause: Bool, now: Duration) {
    defer { if !hasPause { hold(until: now + Self.shortPause) } }
    let throughput = throughput.perSecond(at: now)
    guard learned?.refuse(throughput: throughput, resumedAt: heldUntil, now: now) ?? true else { return }
    learned = learned ?? LearnedRate(throughput: throughput, now: now)
    // Slots that were reserved at the old rate are lost with it.
    nextSlot = now
  }

  /// Forgets the learned rate after a time without requests, so that one bad hour of a server has no effect for days.
  mutating func forget(after time: Duration, now: Duration) {
    guard learned != nil, now - max(heldUntil, throughput.end) > time else { return }
    learned = nil
  }
}
