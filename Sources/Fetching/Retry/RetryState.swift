// How long to wait before the next attempt, or why there is none: decided without a clock, by a value.

import Wire

/// The attempts at one request, and the waits between them.
struct RetryState {
  enum Verdict: Equatable {
    case again(after: Duration)
    case enough
    /// The server's wait is longer than there is time for.
    case tooLong(Duration)
  }

  let policy: RetryPolicy
  /// All attempts that failed.
  private(set) var attempts = 0
  private(set) var waited: Duration = .zero
  /// Those that no server's word explains: they count against `policy.attempts`.
  private var failures = 0
  /// Waits that a server asked for without saying how long, or shorter than a second.
  private var guesses = 0

  init(_ policy: RetryPolicy) {
    self.policy = policy
  }

  /// Whether all attempts have been made that no server's word explains.
  var isExhausted: Bool { failures >= policy.attempts && attempts > 1 }

  var rest: Duration { policy.total - waited }

  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - jitter: a random time up to the one given.
  mutating func verdict(after cause: AttemptErrorCause, now: Double, jitter: (Duration) -> Duration) -> Verdict {
    attempts += 1
    switch cause {
    case .lasting, .unanswered: return .enough
    case .passing: return backOff(jitter)
    case .status(let head, let body):
      let signs = LimitSigns(head.fields, now: now)
      let isSecondary = [403, 429].contains(head.status) && Self.isSecondaryLimit(body)
      let isLimit = head.status == 429 || head.status == 403 && (signs.isExhausted || isSecondary)
      guard policy.statuses.contains(isLimit ? 429 : head.status) else { return .enough }
      if isSecondary, signs.retryAfter == nil, !signs.isExhausted { return wait(guess(from: LimitSigns.minute)) }
      guard let told = signs.wait(isLimit: isLimit) else { return backOff(jitter) }
      // A server that says 0 again and again is not asked again and again without a pause.
      return wait(told < .seconds(1) ? max(told, min(policy.most, guess(from: policy.wait))) : told)
    }
  }

  /// Takes note of a wait for what other requests were told.
  mutating func wait(_ time: Duration) -> Verdict {
    guard time <= rest else { return .tooLong(time) }
    waited += time
    return .again(after: time)
  }

  /// Exponential, with full jitter: of clients that failed together, no two come back together.
  private mutating func backOff(_ jitter: (Duration) -> Duration) -> Verdict {
    failures += 1
    guard failures < policy.attempts else { return .enough }
    return wait(jitter(min(policy.most, Self.doubled(policy.wait, failures - 1))))
  }

  private mutating func guess(from start: Duration) -> Duration {
    defer { guesses += 1 }
    return Self.doubled(start, guesses)
  }

  private static func doubled(_ time: Duration, _ times: Int) -> Duration { time * (1 << min(times, 30)) }

  /// GitHub's limits on what strains it: a 403 (or 429) that may have no header at all, only words.
  private static func isSecondaryLimit(_ body: String) -> Bool {
    let text = body.lowercased()
    return text.contains("secondary rate limit") || text.contains("abuse detection mechanism")
  }
}
