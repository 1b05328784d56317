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
