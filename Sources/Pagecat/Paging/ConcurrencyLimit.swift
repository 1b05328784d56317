// The limit on a job's concurrent work: requests in flight, and fetched pages that wait for output.

import Synchronization

/// Permits for pages, as many as the job's `concurrency`.
///
/// Each stream of pages holds one for its current page, and one for each page that it fetches ahead. So this limits the
/// pages in memory, and the pages that a resumed run must fetch again.
final class ConcurrencyLimit: Sendable {
  private let free: Atomic<Int>

  init(_ width: Int) {
    free = Atomic(width)
  }

  var hasRoom: Bool { free.load(ordering: .relaxed) > 0 }

  /// Takes a permit if there is one.
  func acquire() -> Bool {
    if free.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
    release()
    return false
  }

  /// Takes a permit even if none is free.
  ///
  /// A stream must make progress even while a cancelled page still holds its permit.
  func acquireAnyway() {
    free.subtract(1, ordering: .relaxed)
  }

  func release() {
    free.add(1, ordering: .relaxed)
  }

  /// Releases a permit when a cancelled page has ended.
  @discardableResult
  func release(after task: Task<some Sendable, Never>) -> Task<Void, Never> {
    Task {
      _ = await task.value
      release()
    }
  }
}
