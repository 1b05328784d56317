// Where a command runs: on the thread that the process began with.

import Dispatch
import Synchronization
import Wire

/// Runs tasks on the thread that waits for them. A small command needs no other one, and each thread less is worth a
/// twentieth of the time of a small run. What a run does goes elsewhere: to the concurrency pool, or to the thread of the
/// transfers.
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
