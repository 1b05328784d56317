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
