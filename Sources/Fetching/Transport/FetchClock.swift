// The clock of retries, which tests and replays replace.

import Files
import Primitives
import Synchronization
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock that can sleep.
package protocol FetchClock: Sendable {
  /// Time since a fixed moment; it never decreases.
  var now: Duration { get }
  /// Wall-clock time in Unix seconds.
  var unixTime: Double { get }
  /// Returns after the duration, or throws as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// The duration for messages, rounded up: `12 s`, `1.5 s`, `5 min`, `1 h 30 min`, `24 h`.
  ///
  /// A user who came back too early would have to wait again.
  package var formatted: String {
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

/// The machine's clock, which also runs while the machine is suspended, as a server's pause does.
///
/// Its time is the same in all processes of the machine.
package struct SystemClock: FetchClock {
  package init() {}

  package var now: Duration { BootClock.now }
  package var unixTime: Double { Date().timeIntervalSince1970 }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: duration, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}

/// A clock on which waits take no time, for replays and for tests, which can read the waits.
package final class VirtualClock: FetchClock {
  private struct State {
    var now: Duration = .zero
    var waits: [Duration] = []
  }

  private let start: Double
  private let state = Locked(State())

  /// Creates a clock.
  ///
  /// - Parameter start: wall-clock time at the start, in Unix seconds.
  package init(start: Double) {
    self.start = start
  }

  package var now: Duration { state.withLock { $0.now } }
  package var unixTime: Double { start + now.inSeconds }
  /// The waits so far, in order.
  package var waits: [Duration] { state.withLock { $0.waits } }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    state.withLock { state in
      state.now += duration
      state.waits.append(duration)
    }
    // Who sleeps again and again until another task has run must not keep that task from running.
    await Task.yield()
  }
}

// MARK: Times in a HAR file: RFC 3339 with milliseconds

/// A time in Unix seconds, and its text.
enum HARTime {
  /// The time with milliseconds: `2026-03-01T09:30:00.125Z`.
  ///
  /// A time outside the years 0001 to 9999 becomes the nearest time inside them.
  static func text(of seconds: Double) -> String { Timestamp(clamping: seconds).rfc3339 }

  /// Parses a time, or returns nil.
  ///
  /// Browsers write an offset in place of `Z`, and more or fewer digits.
  static func seconds(of text: String) -> Double? {
    Timestamp(rfc3339: text, offsetColonIsOptional: true)?.unixTime
  }
}
