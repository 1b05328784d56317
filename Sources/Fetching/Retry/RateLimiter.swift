// The times of an origin's next requests, from the rates of jobs and from the origin's own pauses.

import Primitives
import Synchronization
package import Wire

/// The rate limits of a run's origins, shared by all of its requests.
package final class RateLimiter: Sendable {
  private struct State {
    /// Limits by the text of the origin.
    var limits: [String: OriginLimit] = [:]
    /// Successes at all origins.
    var throughput = Throughput()
  }

  private let state = Locked(State())

  package init() {}

  /// Spaces all requests to an origin; of several rates the lowest counts.
  package func limit(_ origin: Origin, to rate: Rate) {
    change(origin) { $0.interval = max($0.interval, rate.interval) }
  }

  /// True if no origin has a limit, so that no lookup is needed.
  private var isIdle: Bool { state.withLock { $0.limits.isEmpty } }

  /// Asks for the next slot of a URL's origin.
  func takeSlot(for url: Redactable, rate: Rate?, now: @autoclosure () -> Duration) -> OriginLimit.Slot {
    guard rate != nil || !isIdle, let origin = Origin(of: url.text)?.description else { return .reserved(after: .zero) }
    let now = now()
    return state.withLock { state in
      guard rate != nil || state.limits[origin] != nil else { return .reserved(after: .zero) }
      var limit = state.limits[origin] ?? OriginLimit()
      limit.interval = max(limit.interval, rate?.interval ?? .zero)
      let throughput = limit.hasLearned ? state.throughput.perSecond(at: now) : 0
      let slot = limit.takeSlot(throughput: throughput, now: now)
      state.limits[origin] = limit
      return slot
    }
  }

  func hold(_ origin: Origin, until time: Duration) {
    change(origin) { $0.hold(until: time) }
  }

  /// Counts a reply that no limit refused.
  func succeed(_ url: Redactable, now: Duration) {
    let hasLimits = state.withLock { state in
      state.throughput.record(at: now)
      return !state.limits.isEmpty
    }
    guard hasLimits, let origin = Origin(of: url.text)?.description else { return }
    state.withLock { $0.limits[origin]?.succeed() }
  }

  /// Learns from a reply that refuses a request because of a limit.
  ///
  /// - Parameter hasPause: true if the reply says how long to wait.
  func refuse(_ origin: Origin, hasPause: Bool, now: Duration) {
    state.withLock { state in
      let throughput = state.throughput.perSecond(at: now)
      state.limits[origin.description, default: OriginLimit()].refuse(
        throughput: throughput, hasPause: hasPause, now: now)
    }
  }

  /// Returns the number of successes at a URL's origin since its first refusal.
  func successes(at url: Redactable) -> Int {
    guard !isIdle, let origin = Origin(of: url.text)?.description else { return 0 }
    return state.withLock { $0.limits[origin]?.successes ?? 0 }
  }

  private func change(_ origin: Origin, _ change: (inout OriginLimit) -> Void) {
    state.withLock { change(&$0.limits[origin.description, default: OriginLimit()]) }
  }

  /// Returns the rest of the pause that a URL's origin asked for.
  func hold(on url: Redactable, now: @autoclosure () -> Duration) -> Duration {
    guard !isIdle, let origin = Origin(of: url.text)?.description else { return .zero }
    return max(.zero, state.withLock { $0.limits[origin]?.heldUntil ?? .zero } - now())
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
