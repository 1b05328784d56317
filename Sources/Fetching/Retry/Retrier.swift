// The retry loop. It includes the reading of the body, since a cut body shows only then.

package import JSONText
package import Wire

/// Sends a request until it succeeds, or until its policy allows no further attempt.
package struct Retrier: Sendable {
  package enum Event: Sendable {
    case waiting(Duration, WaitReason)
    /// Another attempt begins.
    case retrying
  }

  private let rateLimiter: RateLimiter
  private let clock: any FetchClock
  private let jitter: @Sendable (Duration) -> Duration
  private let tell: @Sendable (Event, Request) -> Void
  /// Receives true when a request begins to wait because its origin is overloaded, and false when it has waited.
  package var onOverload: @Sendable (Bool) -> Void = { _ in }

  /// Creates a retry loop.
  ///
  /// - Parameters:
  ///   - rateLimiter: the rate limits of the run's origins.
  ///   - jitter: returns a random time up to the given one.
  ///   - tell: receives each wait and each further attempt.
  package init(
    rateLimiter: RateLimiter, clock: any FetchClock, jitter: @escaping @Sendable (Duration) -> Duration = Self.random,
    tell: @escaping @Sendable (Event, Request) -> Void = { _, _ in }
  ) {
    self.rateLimiter = rateLimiter
    self.clock = clock
    self.jitter = jitter
    self.tell = tell
  }

  /// The current Unix time of the run's clock.
  package var unixTime: Double { clock.unixTime }
  /// Time since a fixed moment.
  package var now: Duration { clock.now }

  /// Returns the wait that a reply asks for by `Retry-After`.
  package func wait(askedBy head: ReplyHead) -> Duration? {
    LimitSigns(head, now: clock.unixTime).wait(isLimit: false)
  }

  /// Returns the wait that the body of a refusal asks for, in a member such as `retry_after`.
  package func wait(askedBy body: JSONValue) -> Duration? { LimitSigns.wait(askedBy: body, now: clock.unixTime) }

  package static func random(upTo time: Duration) -> Duration { time * Double.random(in: 0...1) }

  /// Calls `attempt` until it succeeds or the policy ends the loop.
  ///
  /// - Parameter attempt: sends the request once, and reads its reply to the end. The `retry.total` of its request is
  ///   the remaining time for waits.
  package func fetch<Value, Failure>(
    _ request: Request, attempt: (Request) async throws(AttemptError<Failure>) -> Value
  ) async throws(RetryError<Failure>) -> Value {
    var (request, state) = (request, RetryState(request.retry))
    var last: Failure?
    var waited = Duration.zero
    while true {
      waited += try await waitForOrigin(request, &state, last)
      if state.attempts > 0 { tell(.retrying, request) }
      var current = request
      if state.rest != request.retry.total { current.retry.total = state.rest }
      if state.attempts > 0 || waited > .zero {
        (current.purpose.attempt, current.purpose.waitedForRetry) = (state.attempts + 1, waited)
      }
      let begun = clock.now
      let attemptError: AttemptError<Failure>
      do {
        return try await attempt(current)
      } catch {
        attemptError = error
      }
      if case .unanswered = attemptError.cause, let last { throw .failed(last, hint: hint(state)) }
      last = attemptError.failure
      if state.attempts > 0, attemptError.cause.isRefusal, rateLimiter.hasLearned(request.url, now: clock.now) {
        state.spend(clock.now - begun)
      }
      if case .openEnd = attemptError.cause { request.refusesHTTP2 = true }
      switch decision(after: attemptError.cause(of: request), &state, request.url) {
      case .enough: throw .failed(attemptError.failure, hint: hint(state))
      case .tooLong(let time): throw .failed(attemptError.failure, hint: hint(state, tooLong: time))
      case .again(let time):
        let isOverloaded = attemptError.cause.isOverload && rateLimiter.inFlight.limit(of: request.url).most != nil
        if isOverloaded { onOverload(true) }
        let hasWaited = await sleep(time, attemptError.cause.waitReason, current)
        if isOverloaded { onOverload(false) }
        guard hasWaited else { throw .cancelled }
        waited = time
      }
    }
  }

  private func decision(
    after cause: AttemptErrorCause, _ state: inout RetryState, _ url: Redactable
  ) -> RetryState.Decision {
    let limit: InFlightLimit? =
      if case .status(let head, _, _) = cause, head.status == 503 { rateLimiter.inFlight.limit(of: url) } else { nil }
    return state.decision(
      after: cause, limit: limit, successes: limit?.successes ?? rateLimiter.successes(at: url, now: clock.now),
      now: clock.unixTime, jitter: jitter)
  }

  /// Waits for a pause that the origin asked for in replies to other requests; returns the time.
  private func waitForOrigin<Failure>(
    _ request: Request, _ state: inout RetryState, _ last: Failure?
  ) async throws(RetryError<Failure>) -> Duration {
    let hold = rateLimiter.hold(on: request.url, now: clock.now)
    // The transport waits for a short pause, which the policy need not allow.
    guard hold > OriginLimit.shortPause else { return .zero }
    switch state.wait(hold) {
    case .again(let time):
      guard await sleep(time, .pause, request) else { throw .cancelled }
      return time
    case .tooLong, .enough:
      guard let last else { throw .held(.held(request, for: hold, clock)) }
      throw .failed(last, hint: hint(state, tooLong: hold))
    }
  }

  /// Sleeps; returns false if the sleep was cancelled.
  package func sleep(_ time: Duration, _ reason: WaitReason, _ request: Request) async -> Bool {
    tell(.waiting(time, reason), request)
    do {
      try await clock.sleep(for: time)
      return true
    } catch {
      return false
    }
  }

  private func hint(_ state: RetryState, tooLong time: Duration? = nil) -> String {
    let count = state.attempts > 1 ? "\(state.attempts) attempts" : ""
    guard let time else {
      if state.isOnlyAttempt { return "1 attempt; try again later, or allow more by 'attempts' in 'retry'" }
      if state.isExhausted { return count + "; try again later, or raise 'attempts' in 'retry'" }
      guard state.hasUsedTotal else { return count }
      return count + " in \(state.policy.total.formatted); try again later, or raise 'within' in 'retry'"
    }
    return (count.isEmpty ? "" : count + "; ") + comeBack(in: time, limit: state.policy.total, clock)
  }
}

extension AttemptError {
  /// Returns the cause for the decision: where nobody knows whether the server has moved its position, no further attempt
  /// can get the page.
  fileprivate func cause(of request: Request) -> AttemptErrorCause {
    guard request.movesPosition else { return cause }
    if case .status(let head, _, _) = cause, [429, 503].contains(head.status) { return cause }
    return .lasting
  }
}

/// The cause of a failed attempt, as far as it matters for another attempt.
package enum AttemptErrorCause: Sendable {
  /// Another attempt would fail in the same way.
  case lasting
  /// A failure of the connection, a timeout or a cut body: the next attempt may succeed.
  case passing
  /// No answer in time, or not all of it: the next attempt may succeed.
  case slow
  /// A success whose body is probably not the API's own answer, or not all of it.
  case content(ReplyHead)
  /// A body without a length that ends inside a line; HTTP/1.1 says where most bodies end that HTTP/2 does not.
  case openEnd
  /// An error status, the start of its body, and the wait that the body asks for.
  case status(ReplyHead, body: String, asked: Duration? = nil)
  /// An answer whose body says "later", whatever its status, and the wait that the body asks for.
  case later(ReplyHead, asked: Duration? = nil)
  /// The replayed recording has no answer to another attempt.
  case unanswered

  /// True if the server may have had too much to do for one answer.
  package var mayBeTooMuch: Bool {
    switch self {
    case .slow: true
    case .status(let head, _, _): [502, 504].contains(head.status)
    case .lasting, .passing, .content, .openEnd, .later, .unanswered: false
    }
  }

  /// True for a status by which servers refuse requests that are too many.
  var isRefusal: Bool {
    if case .status(let head, _, _) = self { [429, 503].contains(head.status) } else { false }
  }

  /// True for a status by which servers refuse requests because too many are in progress.
  var isOverload: Bool {
    if case .status(let head, _, _) = self { head.status == 503 } else { false }
  }

  /// The reason for the wait before the next attempt.
  var waitReason: WaitReason {
    switch self {
    case .status(let head, _, _): .status(head.status)
    case .later: .condition
    case .content: .content
    case .lasting, .passing, .slow, .openEnd, .unanswered: .failure
    }
  }
}

/// The failure of an attempt, and its cause, which decides about another attempt.
package struct AttemptError<Failure: Error>: Error {
  package let failure: Failure
  package let cause: AttemptErrorCause

  package init(_ failure: Failure, _ cause: AttemptErrorCause) {
    self.failure = failure
    self.cause = cause
  }
}

/// The failure of all attempts together.
package enum RetryError<Failure: Error>: Error {
  /// The last attempt's failure, and a note for the message (number of attempts, time to come back), perhaps empty.
  case failed(Failure, hint: String)
  /// No attempt was made, because the origin asked for a longer pause in another reply.
  case held(TransportError)
  case cancelled
}
