// Where a command runs: on the thread that the process began with.

import Dispatch
import Synchronization
import Wire

/// Runs tasks on the thread that waits for them. A small command needs no other one, and the four that the concurrency
/// pool would start are a tenth of the time of a small run. What a run does goes elsewhere: to that pool, or to the thread
/// of the transfers.
package final class MainLoop: TaskExecutor {
  private let jobs = Guarded<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }

  package func run() -> Never {
    while true {
      count.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
