// The times of an origin's next requests, from the rates of jobs and from the origin's own pauses.

import Primitives
import Synchronization
package import Wire

/// The rate limits of a run's origins, shared by all of its requests, and by a file with other runs.
package final class RateLimiter: Sendable {
  private struct State {
    /// Limits by the text of the origin; with a file, as this process last read or changed them.
    var limits: [String: OriginLimit] = [:]
    /// Successes at all origins.
    var throughput = Throughput()
  }

  private let state = Locked(State())
  private let pace: PaceFile?
  /// Limits on the requests in flight.
  let inFlight = InFlightLimiter()

  /// Creates the limits of a run.
  ///
  /// - Parameter pace: the file that shares them with other runs, if there is one.
  package init(sharing pace: PaceFile? = nil) {
    self.pace = pace
  }

  /// Spaces all requests to an origin; of several rates the lowest counts.
  package func limit(_ origin: Origin, to rate: Rate) {
    state.withLock { $0.limits[origin.description, default: OriginLimit()].limit(to: rate) }
  }

  /// True if no origin has a limit, so that no lookup is needed.
  private var isIdle: Bool { pace == nil && state.withLock { $0.limits.isEmpty } }

  /// Asks for the next slot of a URL's origin.
  func takeSlot(for url: Redactable, rate: Rate?, now: @autoclosure () -> Duration) -> OriginLimit.Slot {
    guard rate != nil || !isIdle, let origin = Origin(of: url.text) else { return .reserved(after: .zero) }
    let now = now()
    return change(origin, now: now, isAlways: rate != nil) { [isShared = pace != nil] limit in
      if let rate { limit.limit(to: rate) }
      return limit.takeSlot(isShared: isShared, now: now)
    } ?? .reserved(after: .zero)
  }

  /// Longest pause that is shared by a file: a server's mistake must not stop all later runs.
  private static let longestSharedPause: Duration = .seconds(3_600)

  /// Holds all requests to an origin back.
  func hold(_ origin: Origin, for time: Duration, now: Duration) {
    let time = pace == nil ? time : min(time, Self.longestSharedPause)
    change(origin, now: now) { $0.hold(until: now + time) }
  }

  /// Counts a reply that no limit refused.
  func succeed(_ url: Redactable, now: Duration) {
    state.withLock { $0.throughput.record(at: now) }
    guard !isIdle, let origin = Origin(of: url.text) else { return }
    change(origin, now: now, isAlways: pace != nil) { $0.succeed(now: now) }
  }

  /// Learns from a reply that refuses a request because of a limit.
  ///
  /// - Parameter hasPause: true if the reply says how long to wait.
  func refuse(_ origin: Origin, hasPause: Bool, now: Duration) {
    change(origin, now: now) { $0.refuse(hasPause: hasPause, now: now) }
  }

  /// Returns the number of successes at a URL's origin since its first refusal.
  func successes(at url: Redactable, now: @autoclosure () -> Duration) -> Int {
    read(url, now: now())?.successes ?? 0
  }

  /// True if refusals taught a rate of a URL's origin.
  func hasLearned(_ url: Redactable, now: @autoclosure () -> Duration) -> Bool {
    read(url, now: now())?.learned != nil
  }

  /// Returns the rest of the pause that a URL's origin asked for.
  func hold(on url: Redactable, now: @autoclosure () -> Duration) -> Duration {
    let own = inFlight.heldUntil(url)
    guard own > .zero || !isIdle else { return .zero }
    let now = now()
    return max(.zero, max(own, read(url, now: now)?.heldUntil ?? .zero) - now)
  }

  private func read(_ url: Redactable, now: @autoclosure () -> Duration) -> OriginLimit? {
    guard !isIdle, let origin = Origin(of: url.text)?.description else { return nil }
    let known = state.withLock { $0.limits[origin] }
    guard let pace else { return known }
    var limit = known ?? OriginLimit()
    pace.read(&limit, of: origin, now: now())
    return limit
  }

  /// Changes an origin's limit, here and in the file.
  ///
  /// - Parameter isAlways: false if only a limit that exists is changed; otherwise the result is nil.
  @discardableResult
  private func change<Result: Sendable>(
    _ origin: Origin, now: Duration, isAlways: Bool = true, _ change: (inout OriginLimit) -> Result
  ) -> Result? {
    let origin = origin.description
    return state.withLock { state in
      guard isAlways || pace != nil || state.limits[origin] != nil else { return nil }
      var limit = state.limits[origin] ?? OriginLimit(throughput: pace == nil ? state.throughput : Throughput())
      let result = pace?.change(&limit, of: origin, now: now, change) ?? change(&limit)
      state.limits[origin] = limit
      return result
    }
  }
}

extension TransportError {
  /// Returns the error for a pause that is longer than the request may wait.
  static func held(_ request: Request, for time: Duration, _ clock: any FetchClock) -> TransportError {
    let problem = "not requested, because the server asked for a pause: "
    return TransportError(
      .held, url: request.url, problem: problem + comeBack(in: time, limit: request.retry.total, clock))
  }
}

/// Returns `come back at 2026-11-22T12:00:00Z (in 24 h), or …`.
func comeBack(in time: Duration, limit: Duration, _ clock: any FetchClock) -> String {
  let instant = HARTime.text(of: (clock.unixTime + time.inSeconds).rounded(.up)).prefix(19)
  return "come back at \(instant)Z (in \(time.formatted)), or give 'retry' a longer 'within' than \(limit.formatted)"
}

/// Makes each request wait for its slot: each hop of a redirect, and each attempt.
package struct RateLimitingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let rateLimiter: RateLimiter
  private let clock: any FetchClock
  private let tell: @Sendable (Request, Duration) -> Void

  /// Creates the layer around the next transport.
  ///
  /// - Parameter tell: receives each wait for a slot.
  package init(
    _ next: any HTTPTransport, rateLimiter: RateLimiter, clock: any FetchClock,
    tell: @escaping @Sendable (Request, Duration) -> Void = { _, _ in }
  ) {
    self.next = next
    self.rateLimiter = rateLimiter
    self.clock = clock
    self.tell = tell
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    var request = request
    try await waitForSlot(&request)
    let hasWaited = try await enter(&request)
    do {
      // The slot is over if the request waited after it, or if another request got a pause meanwhile.
      if hasWaited || rateLimiter.hold(on: request.url, now: clock.now) > .zero { try await waitForSlot(&request) }
      let reply = try await next.send(request)
      record(reply.head, of: request)
      return reply
    } catch {
      rateLimiter.inFlight.leave(request.url, now: clock.now)
      throw error
    }
  }

  /// Waits for the origin's pause, and for a slot of its rate.
  private func waitForSlot(_ request: inout Request) async throws(TransportError) {
    // The retrier has already waited for the origin's pause, unless a redirect led here.
    var hold = rateLimiter.hold(on: request.url, now: clock.now)
    var isReserved = false
    repeat {
      guard hold <= max(request.retry.total, OriginLimit.shortPause) else { throw .held(request, for: hold, clock) }
      if hold > .zero { rateLimiter.inFlight.postpone(request.url, until: clock.now + hold) }
      try await wait(hold, for: &request)
      switch rateLimiter.takeSlot(for: request.url, rate: request.rate, now: clock.now) {
      case .reserved(let time):
        try await wait(time, for: &request)
        isReserved = true
      case .later(let time):
        try await wait(time, for: &request)
        isReserved = false
      }
      hold = rateLimiter.hold(on: request.url, now: clock.now)
    } while !isReserved || hold > .zero
  }

  /// Waits until the origin may have one more request in flight; returns false if it need not wait.
  private func enter(_ request: inout Request) async throws(TransportError) -> Bool {
    let attempt = request.purpose.attempt
    if rateLimiter.inFlight.enterNow(request.url, attempt: attempt, now: clock.now) { return false }
    let start = clock.now
    guard await waitInQueue(request.url, attempt: attempt, from: start) else { throw .cancelled(request) }
    let time = clock.now - start
    // Nobody knows the time before it is over.
    if time > .zero { tell(request, time) }
    request.purpose.waitedForRate += time
    return true
  }

  /// Waits in the origin's queue, and checks it from time to time; returns false if the task was cancelled.
  private func waitInQueue(_ url: Redactable, attempt: Int, from start: Duration) async -> Bool {
    let inFlight = rateLimiter.inFlight
    return await withTaskGroup(of: Bool?.self) { [clock] group in
      group.addTask { await inFlight.enter(url, attempt: attempt, now: start) }
      group.addTask {
        while (try? await clock.sleep(for: InFlightLimiter.stuckTime)) != nil {
          inFlight.admitIfStuck(url, now: clock.now)
        }
        return nil
      }
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let result { return result }
      }
      return false
    }
  }

  private func wait(_ duration: Duration, for request: inout Request) async throws(TransportError) {
    guard duration > .zero else { return }
    tell(request, duration)
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw .cancelled(request)
    }
    request.purpose.waitedForRate += duration
  }

  /// Records the pause that a reply asks for, and learns what the origin accepts.
  ///
  /// A 429 teaches the rate, a 503 the number of requests at once. In a server error only `Retry-After` counts, not the rate limits.
  private func record(_ head: ReplyHead, of request: Request) {
    let signs = LimitSigns(head, now: clock.unixTime)
    let attempt = request.purpose.attempt
    let isRetried = request.retry.statuses.contains(head.status)
    let asked = isRetried ? signs.wait(isLimit: head.status == 429) : nil
    var wait = max(asked ?? .zero, head.status < 500 ? signs.pause ?? .zero : .zero)
    let isTooFast = isRetried && head.status == 429
    if isRetried, head.status == 503, request.retry.attempts > 1 {
      rateLimiter.inFlight.refuse(request.url, attempt: attempt, pause: wait > .zero ? wait : nil, now: clock.now)
      wait = .zero
    } else if (300..<400).contains(head.status) || head.status >= 500 {
      // The next hop, or another error, says nothing of the origin's load.
      rateLimiter.inFlight.leave(request.url, now: clock.now)
    } else {
      rateLimiter.inFlight.leave(request.url, attempt: attempt, now: clock.now)
    }
    if head.status < 500, head.status != 429 { rateLimiter.succeed(request.url, now: clock.now) }
    guard isTooFast || wait > .zero, let origin = Origin(of: request.url.text) else { return }
    // One that says when its window ends teaches no rate: after the pause there is all of the next window.
    if isTooFast, !signs.isExhausted || wait == .zero {
      rateLimiter.refuse(origin, hasPause: wait > .zero, now: clock.now)
    }
    if wait > .zero { rateLimiter.hold(origin, for: wait, now: clock.now) }
  }
}

extension TransportError {
  fileprivate static func cancelled(_ request: Request) -> TransportError {
    TransportError(.cancelled, url: request.url, problem: "the request was cancelled")
  }
}
