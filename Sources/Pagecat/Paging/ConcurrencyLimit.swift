// The bound on what a job has under way: requests in flight, and pages that wait for their turn to come out.

import Synchronization

/// Places for pages, as many as the job's `concurrency` says.
///
/// Each stream of pages has one for the page that it is asked for; what it fetches ahead takes one a page. So no more
/// pages are held in memory, or would have to be fetched again by a run that goes on, than may be in flight.
final class ConcurrencyLimit: Sendable {
  private let free: Atomic<Int>

  init(_ width: Int) {
    free = Atomic(width)
  }

  var hasRoom: Bool { free.load(ordering: .relaxed) > 0 }

  /// Takes a place, if there is one.
  func acquire() -> Bool {
    if free.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
    release()
    return false
  }

  /// Takes a place, even where one that was given up is not free yet: somebody must go on.
  func acquireAnyway() {
    free.subtract(1, ordering: .relaxed)
  }

  func release() {
    free.add(1, ordering: .relaxed)
  }

  /// Once a page that was given up is no longer under way.
  @discardableResult
  func release(after task: Task<some Sendable, Never>) -> Task<Void, Never> {
    Task {
      _ = await task.value
      release()
    }
  }
}
