#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock whose waits end early when they are no longer useful; it checks this several times a second.
package struct InterruptibleClock: FetchClock {
  private let clock: any FetchClock
  private let shouldStop: @Sendable () -> Bool

  /// Wraps a clock.
  ///
  /// - Parameter shouldStop: returns true if nobody needs the wait any more.
  package init(_ clock: any FetchClock, shouldStop: @escaping @Sendable () -> Bool) {
    self.clock = clock
    self.shouldStop = shouldStop
  }

  package var now: Duration { clock.now }
  package var unixTime: Double { clock.unixTime }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    let end = now + duration
    while case let rest = end - now, rest > .zero {
      if shouldStop() { throw CancellationError() }
      try await clock.sleep(for: min(rest, .milliseconds(250)))
    }
    if shouldStop() { throw CancellationError() }
  }
}
