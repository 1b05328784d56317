// The decision about the next attempt, as a pure value without a clock.

package import Wire

/// The attempts at one request, and the waits between them.
struct RetryState {
  enum Decision: Equatable {
    case again(after: Duration)
    case enough
    /// The server asks for a longer wait than the policy leaves.
    case tooLong(Duration)
  }

  let policy: RetryPolicy
  /// Number of failed attempts.
  private(set) var attempts = 0
  private(set) var waited: Duration = .zero
  /// Number of failures after which the server asked for no wait; these count against `policy.attempts`.
  private var failures = 0
  /// Number of waits for which the server gave no time, or less than a second.
  private var guesses = 0
  /// Successes at the origin when a limit last refused this request, or a 503 did; nil before that.
  private var successesAtRefusal: Int?
  /// Number of waits for a limit without a time, since other requests last succeeded.
  private var limitGuesses = 0
  /// Number of refusals that used up no attempt, without those of a 429 since whose last one others succeeded.
  private var freeRefusals = 0

  /// True if the failure is one that is retried, and the policy allows one attempt only.
  private(set) var isOnlyAttempt = false

  init(_ policy: RetryPolicy) {
    self.policy = policy
  }

  /// True if all attempts that the policy allows have failed.
  var isExhausted: Bool { failures >= policy.attempts && attempts > 1 }

  var rest: Duration { policy.total - waited }

  /// True if the waits have used up the time that the policy allows.
  var hasUsedTotal: Bool { attempts > 1 && rest <= .zero }

  /// The longest wait for a limit that says no time: most windows have ten seconds, or a minute.
  private static let longestLimitWait: Duration = .seconds(10)
  /// The least bound of such a wait, since only the time bounds their number.
  private static let leastLimitWait: Duration = .milliseconds(100)

  /// Decides about the next attempt after a failure.
  ///
  /// - Parameters:
  ///   - limit: what the origin's 503s taught; nil after another answer.
  ///   - successes: number of requests to the origin that succeeded; after a 429 since its first refusal.
  ///   - now: Unix seconds.
  ///   - jitter: returns a random time up to the given one.
  mutating func decision(
    after cause: AttemptErrorCause, limit: InFlightLimit? = nil, successes: Int, now: Double,
    jitter: (Duration) -> Duration
  ) -> Decision {
    attempts += 1
    switch cause {
    case .lasting, .unanswered: return .enough
    case .passing, .slow, .openEnd:
      isOnlyAttempt = policy.attempts == 1 && !policy.statuses.isEmpty
      return backOff(jitter)
    case .content(let head):
      isOnlyAttempt = policy.attempts == 1 && !policy.statuses.isEmpty
      guard policy.attempts > 1 else { return .enough }
      return wait(as: LimitSigns(head, now: now), isLimit: false, jitter)
    case .later(let head, let asked):
      guard policy.attempts > 1 else { return .enough }
      return wait(as: LimitSigns(head, asked: asked, now: now), isLimit: false, jitter)
    case .status(let head, let body, let asked):
      let signs = LimitSigns(head, asked: asked, now: now)
      let isSecondary = head.meetsSecondaryLimit(body: body)
      let isLimit = head.meetsLimit(body: body, now: now)
      guard policy.statuses.contains(isLimit ? 429 : head.status) else { return .enough }
      isOnlyAttempt = policy.attempts == 1
      guard !isOnlyAttempt else { return .enough }
      if isSecondary, signs.retryAfter == nil, !signs.isExhausted { return wait(guess(from: LimitSigns.minute)) }
      if isLimit, signs.wait(isLimit: true) == nil {
        // A window of the limit may last longer than all attempts, so this refusal uses up none. While the server is only
        // busy with other requests, which may be those of other clients if it ever served this one, the wait is short.
        let isServed = successesAtRefusal.map { successes > $0 } ?? false
        successesAtRefusal = successes
        if isServed { limitGuesses = 0 }
        let isBusy = isServed || successes > 0 && takesFreeRefusal()
        return isBusy ? wait(jitter(min(policy.most, policy.wait))) : waitForLimit(jitter)
      } else if head.status == 503, signs.wait(isLimit: false) == nil {
        // Other clients may keep the server busy. The URL may be broken, too, so the number is bounded.
        let isServed = successesAtRefusal.map { successes > $0 } ?? false
        let isStarved = successes > 0 && successesAtRefusal == successes
        successesAtRefusal = successes
        if let limit, limit.most != nil || isStarved && limit.areSecondAttemptsServed, takesFreeRefusal() {
          return wait(jitter(min(policy.most, isServed ? policy.wait / 2 : policy.wait)))
        }
      }
      return wait(as: signs, isLimit: isLimit, jitter)
    }
  }

  /// Takes one of the refusals that use up no attempt, if one is left: five for each attempt that the policy allows, 25 at
  /// most.
  private mutating func takesFreeRefusal() -> Bool {
    guard freeRefusals < min(policy.attempts, 5) * 5 else { return false }
    freeRefusals += 1
    return true
  }

  /// Waits as long as the server says, otherwise exponentially longer.
  private mutating func wait(as signs: LimitSigns, isLimit: Bool, _ jitter: (Duration) -> Duration) -> Decision {
    guard let requested = signs.wait(isLimit: isLimit) else { return backOff(jitter) }
    // A server that always says 0 still gets a pause between attempts.
    return wait(requested < .seconds(1) ? max(requested, min(policy.most, guess(from: policy.wait))) : requested)
  }

  /// Counts the time of a further attempt that was refused: nearly all of it is the wait for the origin's learned rate.
  mutating func spend(_ time: Duration) { waited += time }

  /// Counts a wait that a reply to another request asked for.
  mutating func wait(_ time: Duration) -> Decision {
    guard time <= rest else { return .tooLong(time) }
    waited += time
    return .again(after: time)
  }

  /// Waits exponentially longer, with full jitter, so that clients that failed together don't come back together.
  private mutating func backOff(_ jitter: (Duration) -> Duration) -> Decision {
    failures += 1
    guard failures < policy.attempts else { return .enough }
    return wait(jitter(min(policy.most, Self.doubled(policy.wait, failures - 1))))
  }

  /// Waits for a limit that says no time: at least half of a bound that doubles up to ten seconds.
  private mutating func waitForLimit(_ jitter: (Duration) -> Duration) -> Decision {
    guard rest > .zero else { return .enough }
    let longest = min(policy.most, max(policy.wait, Self.longestLimitWait))
    let bound = max(min(longest, Self.doubled(policy.wait, limitGuesses)), Self.leastLimitWait)
    limitGuesses += 1
    return wait(min(rest, bound / 2 + jitter(bound / 2)))
  }

  private mutating func guess(from start: Duration) -> Duration {
    defer { guesses += 1 }
    return Self.doubled(start, guesses)
  }

  private static func doubled(_ time: Duration, _ times: Int) -> Duration { time * (1 << min(times, 30)) }
}

extension ReplyHead {
  /// Reports that an error status means that a rate limit was met, not its usual meaning.
  ///
  /// - Parameter now: Unix seconds.
  package func meetsLimit(body: String, now: Double) -> Bool {
    status == 429 || status == 403 && (LimitSigns(self, now: now).isExhausted || Self.saysLimit(body))
      || meetsSecondaryLimit(body: body)
  }

  /// Reports that the body of a 403 speaks of a limit: Canvas' `403 Forbidden (Rate Limit Exceeded)`, Google's
  /// `userRateLimitExceeded`.
  private static func saysLimit(_ body: String) -> Bool {
    let text = body.lowercased()
    return text.contains("rate limit exceeded") || text.contains("ratelimitexceeded")
  }

  /// Reports that a body names GitHub's secondary limit: a 403 or 429 that may have no rate-limit headers.
  fileprivate func meetsSecondaryLimit(body: String) -> Bool {
    guard [403, 429].contains(status) else { return false }
    let text = body.lowercased()
    return text.contains("secondary rate limit") || text.contains("abuse detection mechanism")
  }
}
