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
    // The retrier has already waited for the origin's pause, unless a redirect led here.
    var hold = rateLimiter.hold(on: request.url, now: clock.now)
    var isReserved = false
    var request = request
    repeat {
      guard hold <= max(request.retry.total, OriginLimit.shortPause) else { throw .held(request, for: hold, clock) }
      try await wait(hold, for: &request)
      switch rateLimiter.takeSlot(for: request.url, rate: request.rate, now: clock.now) {
      case .reserved(let time):
        try await wait(time, for: &request)
        isReserved = true
      case .later(let time):
        try await wait(time, for: &request)
        isReserved = false
      }
      // If another request got a pause while this one waited for its slot, that slot is lost.
      hold = rateLimiter.hold(on: request.url, now: clock.now)
    } while !isReserved || hold > .zero
    let reply = try await next.send(request)
    note(reply.head, of: request)
    return reply
  }

  private func wait(_ duration: Duration, for request: inout Request) async throws(TransportError) {
    guard duration > .zero else { return }
    tell(request, duration)
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw TransportError(.cancelled, url: request.url, problem: "the request was cancelled")
    }
    request.purpose.waitedForRate += duration
  }

  /// Records the pause that a reply asks for, and learns the origin's rate.
  ///
  /// In a server error only `Retry-After` counts, not the rate limits.
  private func note(_ head: ReplyHead, of request: Request) {
    let signs = LimitSigns(head.fields, now: clock.unixTime)
    let isRetried = request.retry.statuses.contains(head.status)
    let asked = isRetried ? signs.wait(isLimit: head.status == 429) : nil
    let rest = head.status < 500 ? signs.pause : nil
    let wait = max(asked ?? .zero, rest ?? .zero)
    let isRefusal = isRetried && (head.status == 429 || head.status == 503 && asked != nil)
    guard isRefusal || wait > .zero else {
      if head.status < 500, head.status != 429 { rateLimiter.succeed(request.url, now: clock.now) }
      return
    }
    guard let origin = Origin(of: request.url.text) else { return }
    if !isRefusal {
      rateLimiter.succeed(request.url, now: clock.now)
    } else if !signs.isExhausted || wait == .zero {
      // One that says when its window ends teaches no rate: after the pause there is all of the next window.
      rateLimiter.refuse(origin, hasPause: wait > .zero, now: clock.now)
    }
    if wait > .zero { rateLimiter.hold(origin, for: wait, now: clock.now) }
  }
}
