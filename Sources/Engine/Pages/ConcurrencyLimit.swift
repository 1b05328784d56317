// The limit on a job's concurrent work: requests in flight, and fetched pages that wait for output.

import Primitives
import Synchronization

/// Permits for pages, as many as the job's `concurrency`.
///
/// Each stream of pages holds one for its current page, and one for each page that it fetches ahead. So this limits the
/// pages in memory, and the pages that a resumed run must fetch again.
///
/// An overloaded origin asks single requests to wait. Output is in order, so that the wait of one would soon stop all
/// others. Meanwhile, small pages that are whole give their permits to further ones.
final class ConcurrencyLimit: Sendable {
  /// Number of pages that give their permits to others during the wait of a request.
  ///
  /// An origin that answers 200 requests a second goes on for a second.
  static let mostLent = 256
  /// Most bytes of such a page.
  static let smallPage = 64 << 10

  private struct State {
    var free: Int
    /// Number of small pages that are whole.
    var smallCount = 0
    /// Number of requests that wait because their origin is overloaded.
    var waitingCount = 0

    /// Number of permits that are free, with those that are lent.
    var room: Int { free + (waitingCount > 0 ? min(smallCount, ConcurrencyLimit.mostLent) : 0) }
  }

  private let state: Locked<State>
  private let onWait = Locked<(@Sendable () -> Void)?>(nil)

  init(_ width: Int) {
    state = Locked(State(free: width))
  }

  var hasRoom: Bool { state.withLock { $0.room > 0 } }

  /// True while a request waits because its origin is overloaded.
  var lends: Bool { state.withLock { $0.waitingCount > 0 } }

  /// Takes a permit if there is one.
  func acquire() -> Bool {
    state.withLock { state in
      guard state.room > 0 else { return false }
      state.free -= 1
      return true
    }
  }

  /// Takes a permit even if none is free.
  ///
  /// A stream must make progress even while a cancelled page still holds its permit.
  func acquireAnyway() {
    state.withLock { $0.free -= 1 }
  }

  /// Releases a permit.
  ///
  /// - Parameter isLent: true if `lend` was called for the permit's page.
  func release(isLent: Bool = false) {
    state.withLock { state in
      state.free += 1
      if isLent { state.smallCount -= 1 }
    }
  }

  /// Releases a permit when a cancelled page has ended.
  @discardableResult
  func release(isLent: Bool = false, after task: Task<some Sendable, Never>) -> Task<Void, Never> {
    Task {
      _ = await task.value
      release(isLent: isLent)
    }
  }

  /// Lets others have the permit of a small page that is whole, while a request waits.
  func lend() {
    state.withLock { $0.smallCount += 1 }
  }

  /// Notes that a request begins to wait because its origin is overloaded, or that it has waited.
  func wait(_ begins: Bool) {
    state.withLock { $0.waitingCount += begins ? 1 : -1 }
    if begins { onWait.withLock { $0 }?() }
  }

  /// Sets what is called when a request begins to wait: there may be room for others.
  func whenWaiting(_ call: @escaping @Sendable () -> Void) {
    onWait.withLock { $0 = call }
  }
}
