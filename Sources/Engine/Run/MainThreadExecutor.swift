// The executor of a command: the thread on which the process began.

import Primitives
import Dispatch
import Fetching
import Synchronization
import Wire

/// Runs tasks on the main thread, and lends that thread to the transfers.
///
/// A small command needs no other thread. The threads of the concurrency pool and one for the transfers take a tenth of
/// the time of a small run. Other work of a run goes to that pool, or to the borrower of the thread.
package final class MainThreadExecutor: TaskExecutor, BorrowableExecutor {
  private enum Item: Sendable {
    case job(UnownedJob)
    case guest(@Sendable () -> Void)
  }
  private struct State: Sendable {
    var items: [Item] = []
    /// The current or next borrower of the thread.
    var guest: (any TaskExecutor)?
  }

  private let state = Locked(State())
  private let count = DispatchSemaphore(value: 0)

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let guest = state.withLock { state in
      if state.guest == nil { state.items.append(.job(job)) }
      return state.guest
    }
    if let guest { guest.enqueue(job) } else { count.signal() }
  }

  package func lend(to executor: any TaskExecutor, for work: @escaping @Sendable () -> Void) -> Bool {
    let isFree = state.withLock { state in
      guard state.guest == nil else { return false }
      state.guest = executor
      state.items.append(.guest(work))
      return true
    }
    if isFree { count.signal() }
    return isFree
  }

  package func giveBack() {
    state.withLock { $0.guest = nil }
  }

  package func run() -> Never {
    while true {
      count.wait()
      switch state.withLock({ $0.items.removeFirst() }) {
      case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      case .guest(let work): work()
      }
    }
  }
}
