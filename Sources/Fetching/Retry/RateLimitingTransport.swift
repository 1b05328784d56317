import Synchronization
package import Wire

/// Makes each request wait for its turn: each hop of a redirect, and each attempt.
package struct RateLimitingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let rateLimiter: RateLimiter
  private let clock: any FetchClock

  package init(_ next: any HTTPTransport, rateLimiter: RateLimiter, clock: any FetchClock) {
    self.next = next
    self.rateLimiter = rateLimiter
    self.clock = clock
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    // What an origin asked for has been waited for already, except where a redirect has led there.
    var hold = rateLimiter.hold(on: request.url, now: clock.now)
    repeat {
      guard hold <= request.retry.total else { throw .held(request, for: hold, clock) }
      try await wait(hold, for: request)
      try await wait(rateLimiter.takeSlot(for: request.url, rate: request.rate, now: clock.now), for: request)
      // Another request may have been asked for a pause while this one waited for its turn: then it has lost that.
      hold = rateLimiter.hold(on: request.url, now: clock.now)
    } while hold > .zero
    let reply = try await next.send(request)
    note(reply.head, of: request)
    return reply
  }

  private func wait(_ duration: Duration, for request: Request) async throws(TransportError) {
    guard duration > .zero else { return }
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw TransportError(.cancelled, url: request.url, problem: "the request was cancelled")
    }
  }

  /// Errors of the server are not trusted with the limits that they carry: they are tried again on their own terms.
  private func note(_ head: ReplyHead, of request: Request) {
    let signs = LimitSigns(head.fields, now: clock.unixTime)
    let isTold = request.retry.statuses.contains(head.status)
    let asked = isTold ? signs.wait(isLimit: head.status == 429) : nil
    let rest = head.status < 500 ? signs.pause : nil
    let wait = max(asked ?? .zero, rest ?? .zero)
    if wait > .zero, let origin = Origin(of: request.url.text) {
      rateLimiter.hold(origin, until: clock.now + wait)
    }
  }
}
