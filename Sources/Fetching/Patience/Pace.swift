// When an origin may be asked again: by the rates that jobs give themselves, and by what the origin said.

import Synchronization
package import Wire

/// What is known of the origins of a run. Shared by all of its requests.
package final class RateLimiter: Sendable {
  private struct OriginLimit {
    /// Between two requests; the longest of those that were asked for.
    var interval: Duration = .zero
    /// When the next request may be made, as far as the interval goes.
    var nextSlot: Duration = .zero
    /// Until when the origin wants to be left alone.
    var heldUntil: Duration = .zero
  }

  /// By the origins' texts.
  private let limits = Locked<[String: OriginLimit]>([:])

  package init() {}

  /// Spaces all requests to an origin. Of several rates the strictest holds.
  package func limit(_ origin: Origin, to rate: Rate) {
    change(origin) { $0.interval = max($0.interval, rate.interval) }
  }

  /// Whether no origin has a lane: then nobody needs to look for one.
  private var isIdle: Bool { limits.withLock { $0.isEmpty } }

  /// Takes the next place in the row for a URL's origin, and says how long it is until then.
  func takeSlot(for url: Redactable, rate: Rate?, now: @autoclosure () -> Duration) -> Duration {
    guard rate != nil || !isIdle, let origin = Origin(of: url.text)?.description else { return .zero }
    let now = now()
    return limits.withLock { limits in
      guard rate != nil || limits[origin] != nil else { return .zero }
      var limit = limits[origin] ?? OriginLimit()
      limit.interval = max(limit.interval, rate?.interval ?? .zero)
      let slot = max(now, limit.nextSlot)
      limit.nextSlot = slot + limit.interval
      limits[origin] = limit
      return slot - now
    }
  }

  func hold(_ origin: Origin, until time: Duration) {
    change(origin) { $0.heldUntil = max($0.heldUntil, time) }
  }

  private func change(_ origin: Origin, _ change: (inout OriginLimit) -> Void) {
    limits.withLock { change(&$0[origin.description, default: OriginLimit()]) }
  }

  /// How long the origin of a URL is to be left alone.
  func hold(on url: Redactable, now: @autoclosure () -> Duration) -> Duration {
    guard !isIdle, let origin = Origin(of: url.text)?.description else { return .zero }
    return max(.zero, limits.withLock { $0[origin]?.heldUntil ?? .zero } - now())
  }
}

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

extension TransportError {
  /// The origin wants to be left alone for longer than the request may wait.
  static func held(_ request: Request, for time: Duration, _ clock: any FetchClock) -> TransportError {
    let problem = "not requested, because the server asked for a pause: "
    return TransportError(
      .held, url: request.url, problem: problem + comeBack(in: time, limit: request.retry.total, clock))
  }
}

/// `come back at 2026-11-22T12:00:00Z (in 24 h), or …`.
func comeBack(in time: Duration, limit: Duration, _ clock: any FetchClock) -> String {
  let instant = HARTime.text(of: (clock.unixTime + time.inSeconds).rounded(.up)).prefix(19)
  return "come back at \(instant)Z (in \(time.spoken)), or give 'retry' a longer 'total' than \(limit.spoken)"
}
