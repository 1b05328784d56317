// The time, and waiting for it: the one thing about retries that tests and replays can't do as it is.

import Synchronization
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock that can be waited for.
package protocol FetchClock: Sendable {
  /// Time since some moment, which never goes back.
  var now: Duration { get }
  /// What the calendar says, in Unix seconds.
  var unixTime: Double { get }
  /// Returns when so much time has passed, or throws as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
}

/// The machine's own. It goes on while the machine is suspended: so does the time that a server asks for.
package struct SystemClock: FetchClock {
  private static let start = ContinuousClock.now

  package init() {}

  package var now: Duration { Self.start.duration(to: .now) }
  package var unixTime: Double { Date().timeIntervalSince1970 }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: duration, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}

/// A clock whose waits end as soon as they are for nothing: it looks up now and then.
package struct InterruptibleClock: FetchClock {
  private let clock: any FetchClock
  private let shouldStop: @Sendable () -> Bool

  /// - Parameter shouldStop: whether nobody is there any more for whom to wait.
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

/// A clock on which waiting takes no time: for replays, and for tests, which can see how long was waited.
package final class VirtualClock: FetchClock {
  private struct State {
    var now: Duration = .zero
    var waits: [Duration] = []
  }

  private let start: Double
  private let state = Locked(State())

  /// - Parameter start: what the calendar says at first, in Unix seconds.
  package init(start: Double) {
    self.start = start
  }

  package var now: Duration { state.withLock { $0.now } }
  package var unixTime: Double { start + now.inSeconds }
  /// How long was waited, in order.
  package var waits: [Duration] { state.withLock { $0.waits } }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    state.withLock { state in
      state.now += duration
      state.waits.append(duration)
    }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// As people say it: `12 s`, `1.5 s`, `5 min`, `1 h 30 min`, `24 h`. Rounded up: who comes back too early waits again.
  package var spoken: String {
    if self < .seconds(10) {
      let tenths = Int((inSeconds * 10).rounded(.up))
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(Double(tenths) / 10) s"
    }
    let seconds = Int(min(inSeconds, 1e15).rounded(.up))
    if seconds < 120 { return "\(seconds) s" }
    let minutes = (seconds + 59) / 60
    if minutes < 60 { return "\(minutes) min" }
    return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
