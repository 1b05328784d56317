import Primitives
import Synchronization
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
