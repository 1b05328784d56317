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

// The rate that an origin accepts, learned from its 429s. The decision is a pure value; the caller gives the time.

/// A rate of requests that a server's refusals set, and that grows until the next refusal.
///
/// Each refusal costs the pause that follows, so the aim is to have few. The first refusal says little, since it ends a
/// burst. From the second one on, the rate is measured: the successful requests since the last pause, divided by the
/// time since then. The new rate is just below the measured one. The longer the pause was, the slower the rate grows.
struct LearnedRate: Equatable {
  /// Part of the throughput that is used as the rate after the first refusal.
  private static let estimate = 0.95
  /// Part of the measured rate that is used after a later refusal.
  private static let decrease = 0.945
  /// Further decrease if the refusal comes at once, since the measured rate is then that of a burst.
  private static let burst = 0.17
  /// Lowest first estimate, in requests per second: a process may be refused before its first success.
  ///
  /// Rates below it grow in proportion.
  private static let leastEstimate = 10.0
  /// Lowest rate: one request in a minute.
  static let least = 1.0 / 60
  /// Refusals within this time are one refusal, since they answer requests that were in flight together.
  private static let gap: Duration = .seconds(1)
  /// Shortest time in which a rate is measured, in seconds.
  private static let leastMeasured = 0.05
  /// Rate below which no measurement leads, in requests for each pause, and the shortest pause that counts.
  private static let (leastPerPause, leastPause): (Double, Duration) = (0.5, .milliseconds(400))
  /// Successes in a row after which a slow rate doubles: those who had used up the limit are gone.
  ///
  /// At 16, one client of a server that accepts five a second is often refused by the doubled rate.
  private static let successesPerDoubling = 24
  /// Part of the rate below which a refusal has halved it.
  private static let halved = 0.6
  /// Number of times that each success after starvation doubles the rate, if the last pause was not a short one.
  ///
  /// Each try costs such a pause, so that there are few successes.
  private static let doublings = 3
  /// Refusals in a row after which the rate is a millionth at the most.
  private static let mostStarvations = 20
  /// Bounds of the pause that determines the growth.
  private static let pauses: ClosedRange<Duration> = .milliseconds(200)...Duration.seconds(60)

  /// The accepted rate per second, as the last refusal showed it; for an estimate, the throughput before the refusal.
  private(set) var accepted: Double
  /// Time of the last refusal that changed the rate.
  private(set) var refusedAt: Duration
  /// Length of the pause after it.
  private(set) var pause = pauses.lowerBound
  /// True until the second refusal.
  private(set) var isEstimate = true
  /// Number of successes since the last refusal, or since a pause began after it.
  private(set) var successes = 0
  /// Number of refusals in a row before which nothing succeeded: other clients used up the limit.
  ///
  /// They halve the rate. Each success afterwards doubles it, once or thrice, until it is what it was before them, or nearly
  /// ten a second if that is more. A client that was starved for five seconds otherwise took a minute to come back. Refusals
  /// that lower the rate no further don't count.
  private(set) var starvations = 0

  /// Learns from an origin's first refusal.
  ///
  /// - Parameter throughput: successes per second before the refusal.
  init(throughput: Double, now: Duration) {
    accepted = max(throughput, Self.leastEstimate)
    refusedAt = now
  }

  /// Creates the rate that a record of a `PaceFile` holds.
  init(accepted: Double, refusedAt: Duration, pause: Duration, isEstimate: Bool, successes: Int, starvations: Int = 0) {
    (self.accepted, self.refusedAt, self.isEstimate, self.successes) = (accepted, refusedAt, isEstimate, successes)
    self.starvations = min(starvations, Self.mostStarvations)
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
  /// - Parameters:
  ///   - throughput: successes per second before the refusal.
  ///   - resumedAt: end of the last pause.
  mutating func refuse(throughput: Double, resumedAt: Duration, now: Duration) -> Bool {
    // During a pause, no request is sent: a refusal then is that of an earlier one.
    guard now - refusedAt >= Self.gap, now >= resumedAt else { return false }
    let current = rate(throughput: throughput, now: now)
    let time = max((now - max(refusedAt, resumedAt)).inSeconds, Self.leastMeasured)
    let measured = Double(successes) / time * (Self.decrease - Self.burst / (1 + time * time / 2.5))
    let least = Self.leastPerPause / max(pause, Self.leastPause).inSeconds
    // Requests of several clients meet by chance, so that a refusal says little about a slow rate.
    accepted = max(min(current * Self.decrease, max(measured, least)), current / 2, Self.least)
    if successes > 0 {
      starvations = 0
    } else if accepted < current * Self.halved || accepted * Double(2 << starvations) <= Self.leastEstimate {
      starvations = min(starvations + 1, Self.mostStarvations)
    }
    (refusedAt, pause, isEstimate, successes) = (now, Self.pauses.lowerBound, false, 0)
    return true
  }

  /// Returns the current rate, per second.
  ///
  /// The rate grows with the time in units of the pause. An estimate grows at once. A measured rate hardly grows at
  /// first, as in CUBIC (RFC 9438 §4.2).
  ///
  /// A slow rate grows in proportion, with the time in intervals of four requests, and doubles after each 24 successes.
  /// Rates above ten a second grow nearly alike, so that processes that share a limit get closer to equal parts. They
  /// stay below twice the throughput, since idle time is no sign of a higher limit.
  func rate(throughput: Double, now: Duration) -> Double {
    let doublings = pause < Self.leastPause ? 1 : Self.doublings
    var accepted = accepted * Double(1 << min(successes * doublings, starvations))
    if accepted < Self.leastEstimate {
      accepted = min(Self.leastEstimate, accepted * Double(1 << min(successes / Self.successesPerDoubling, 10)))
    }
    let age = max(0, (now - refusedAt).inSeconds) / max(pause.inSeconds, 4 / accepted)
    // The eighth root is 1.33 at ten a second. All figures are from a model of limited servers, and `Benchmarks pace`.
    let unit = accepted < Self.leastEstimate ? accepted * 0.133 : accepted.squareRoot().squareRoot().squareRoot()
    let grown =
      isEstimate
      ? accepted * Self.estimate + unit * 34 * age
      : accepted + unit * (0.17 + 0.011 * age) * age * age
    return min(grown, max(2 * throughput, accepted, Self.leastEstimate))
  }

  func interval(throughput: Double, now: Duration) -> Duration {
    .microseconds(Int64(1e6 / rate(throughput: throughput, now: now)))
  }
}

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
