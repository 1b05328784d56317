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
    let interval = max(interval, learned?.interval ?? .zero)
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
    if learned == nil {
      learned = LearnedRate(throughput: throughput.perSecond(at: now), now: now)
    } else if learned?.refuse(resumedAt: heldUntil, now: now) == false {
      return
    }
    // Slots that were reserved at the old rate are lost with it.
    nextSlot = now
  }

  /// Forgets the learned rate after a time without requests, so that one bad hour of a server has no effect for days.
  mutating func forget(after time: Duration, now: Duration) {
    guard learned != nil, now - max(heldUntil, throughput.end) > time else { return }
    learned = nil
  }
}

/// A rate of requests that a server's 429s set, and that grows until the next 429, as a pure value.
///
/// Each refusal costs the pause that follows, so the aim is to have few. The first refusal says little, since it ends a
/// burst. From the second one on, the rate is measured: the successful requests since the last pause, divided by the
/// time since then. The new rate is just below the measured one, but at least half of the old one. All figures are from a
/// model of limited servers, and `Benchmarks pace`.
struct LearnedRate: Equatable {
  /// The first estimate, as a part of the throughput before the first refusal, and the lowest one, in requests per second.
  private static let (estimate, minEstimate) = (1.35, 10.0)
  /// Part of a measured rate that is used, less what a refusal that comes at once takes: a burst was measured then.
  private static let (decrease, burst) = (0.95, 0.17)
  /// Rate below which no measurement leads, in requests for each pause, and the shortest pause that counts.
  private static let (minPerPause, minPause): (Double, Duration) = (0.6, .milliseconds(400))
  /// Lowest rate: one request in a minute.
  static let minRate = 1.0 / 60
  /// Refusals within this time are one refusal, since they answer requests that were in flight together.
  private static let gap: Duration = .seconds(1)
  /// Growth after one pause, for the fourth root of the rate.
  ///
  /// So processes that share a limit get closer to equal parts, and slow limits are learned, too.
  private static let growth = 0.45
  /// Bounds of the pause that determines the growth, and the requests that are made in one pause at least.
  private static let (pauses, requestsPerPause) = (Duration.milliseconds(200)...Duration.seconds(60), 4.0)

  /// The accepted rate per second, as the last refusal showed it.
  private(set) var accepted: Double
  /// Rate before the refusals in a row before which nothing succeeded, or 0: other clients used up the limit.
  ///
  /// Each success afterwards brings the rate back, eightfold: while others have the limit, there are few.
  private(set) var restored: Double
  /// Time of the last refusal that changed the rate.
  private(set) var refusedAt: Duration
  /// Length of the pause after it.
  private(set) var pause: Duration
  /// Number of successes since the last refusal, or since a pause began after it.
  private(set) var successes: Int

  /// Learns from an origin's first refusal.
  ///
  /// - Parameter throughput: successes per second before the refusal.
  init(throughput: Double, now: Duration) {
    self.init(accepted: max(throughput * Self.estimate, Self.minEstimate), refusedAt: now, pause: .zero)
  }

  /// Creates the rate that a record of a `PaceFile` holds.
  init(accepted: Double, restored: Double = 0, refusedAt: Duration, pause: Duration, successes: Int = 0) {
    (self.accepted, self.restored, self.refusedAt, self.successes) = (accepted, restored, refusedAt, successes)
    self.pause = Self.bounded(pause)
  }

  private static func bounded(_ pause: Duration) -> Duration {
    min(max(pause, pauses.lowerBound), pauses.upperBound)
  }

  mutating func succeed() { successes += 1 }

  /// Begins the measurement again after a pause.
  ///
  /// - Parameters:
  ///   - end: end of the pause.
  ///   - last: end of the pause before it.
  mutating func resume(at end: Duration, after last: Duration) {
    successes = 0
    if last <= refusedAt { pause = Self.bounded(end - refusedAt) }
  }

  /// Learns from a further refusal; returns false if it belongs to the last one.
  ///
  /// - Parameter resumedAt: end of the last pause.
  mutating func refuse(resumedAt: Duration, now: Duration) -> Bool {
    // During a pause, no request is sent: a refusal then is that of an earlier one.
    guard now - refusedAt >= Self.gap, now >= resumedAt else { return false }
    let current = perSecond
    let time = max((now - max(refusedAt, resumedAt)).inSeconds, 0.05)
    let measured = Double(successes) / time * (Self.decrease - Self.burst / (1 + time * time / 2.5))
    let least = Self.minPerPause / max(pause, Self.minPause).inSeconds
    restored = successes > 0 ? 0 : max(restored, current)
    // Requests of several clients meet by chance, so that a refusal says little about a slow rate.
    accepted = max(min(current * Self.decrease, max(measured, least)), current / 2, Self.minRate)
    (refusedAt, pause, successes) = (now, Self.pauses.lowerBound, 0)
    return true
  }

  /// The current rate, per second.
  ///
  /// The rate grows with each success, so that idle time is no sign of a higher limit: slower the longer the pause was, and
  /// hardly at first.
  var perSecond: Double {
    let known = max(accepted, min(restored * Self.decrease, accepted * Double(1 << min(3 * successes, 60))))
    let age = Double(successes) / accepted / max(pause.inSeconds, Self.requestsPerPause / accepted)
    return known + Self.growth * accepted.squareRoot().squareRoot() * age * age.squareRoot()
  }

  /// Time between two requests.
  var interval: Duration { .microseconds(Int64(1e6 / perSecond)) }
}

/// The number of requests that succeeded in the last second.
struct Throughput: Equatable {
  /// Start of the current second, or of the burst that began after a second without successes.
  private(set) var start: Duration = .zero
  /// Successes in the current second, and in the one before.
  private(set) var (count, last) = (0, 0)

  init() {}

  /// Creates the counts of a `PaceFile`'s record.
  init(start: Duration, count: Int, last: Int) {
    (self.start, self.count, self.last) = (start, count, last)
  }

  /// End of the time for which successes were counted.
  var end: Duration { start + .seconds(1) }

  /// Counts a success.
  mutating func record(at now: Duration) {
    advance(to: now)
    count += 1
  }

  /// Returns the successes per second.
  ///
  /// A burst of less than a second, after a time without successes, is measured over its own time.
  mutating func perSecond(at now: Duration) -> Double {
    advance(to: now)
    let age = (now - start).inSeconds
    // A burst of some milliseconds says little about a second.
    return last == 0 ? Double(count) / max(age, 0.3) : Double(last) * (1 - age) + Double(count)
  }

  /// Begins another second; a clock that goes backward counts for the current one.
  private mutating func advance(to now: Duration) {
    if now - start >= .seconds(2) {
      (start, last, count) = (now, 0, 0)
    } else if now - start >= .seconds(1) {
      (start, last, count) = (start + .seconds(1), count, 0)
    }
  }
}
