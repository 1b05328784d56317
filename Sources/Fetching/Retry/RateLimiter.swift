// The times of an origin's next requests, from the rates of jobs and from the origin's own pauses.

import Synchronization
package import Wire

/// The rate limits of a run's origins, shared by all of its requests.
package final class RateLimiter: Sendable {
  private struct OriginLimit {
    /// Time between two requests; the longest of the given intervals.
    var interval: Duration = .zero
    /// Time of the next request as far as the interval matters.
    var nextSlot: Duration = .zero
    /// End of the pause that the origin asked for.
    var heldUntil: Duration = .zero
  }

  /// Limits by the text of the origin.
  private let limits = Locked<[String: OriginLimit]>([:])

  package init() {}

  /// Spaces all requests to an origin; of several rates the lowest counts.
  package func limit(_ origin: Origin, to rate: Rate) {
    change(origin) { $0.interval = max($0.interval, rate.interval) }
  }

  /// True if no origin has a limit, so that no lookup is needed.
  private var isIdle: Bool { limits.withLock { $0.isEmpty } }

  /// Reserves the next slot of a URL's origin, and returns the time until it.
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

  /// Returns the rest of the pause that a URL's origin asked for.
  func hold(on url: Redactable, now: @autoclosure () -> Duration) -> Duration {
    guard !isIdle, let origin = Origin(of: url.text)?.description else { return .zero }
    return max(.zero, limits.withLock { $0[origin]?.heldUntil ?? .zero } - now())
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
  return "come back at \(instant)Z (in \(time.spoken)), or give 'retry' a longer 'total' than \(limit.spoken)"
}
