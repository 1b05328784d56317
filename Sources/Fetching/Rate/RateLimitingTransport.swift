package import Wire

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
