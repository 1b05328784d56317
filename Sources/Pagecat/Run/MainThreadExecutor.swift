// Where a command runs: on the thread that the process began with.

import Dispatch
import Fetching
import Synchronization
import Wire

/// Runs tasks on the thread that waits for them, and lends it to who does the transfers. A small command needs no other
/// thread: those that the concurrency pool would start, and one for the transfers, are a tenth of the time of a small run.
/// What a run does besides goes to that pool, or to who has the thread.
package final class MainThreadExecutor: TaskExecutor, BorrowableExecutor {
  private enum Item: Sendable {
    case job(UnownedJob)
    case guest(@Sendable () -> Void)
  }
  private struct State: Sendable {
    var items: [Item] = []
    /// Who has the thread, or will have it.
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
