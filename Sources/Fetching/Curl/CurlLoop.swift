// The loop that drives libcurl. One thread does all transfers of a transport, and only that thread touches them: other
// threads write into its inbox and wake it.

import CCurl
import Primitives
import Synchronization
import Wire

final class CurlLoop: Sendable {
  struct Inbox: Sendable {
    var starting: [CurlTransfer] = []
    var touched: [CurlTransfer] = []
    /// Parts of tasks that want to run on this thread.
    var jobs: [UnownedJob] = []
    var isStopping = false
    /// True if the loop no longer reads the inbox.
    var isOver = false
    /// True if the thread is awake, or has been woken, and will read the inbox; true at the start.
    var isAnnounced = true

    var isEmpty: Bool { starting.isEmpty && touched.isEmpty && jobs.isEmpty && !isStopping }

    /// Removes all entries and keeps the capacity.
    mutating func clear() {
      starting.removeAll(keepingCapacity: true)
      touched.removeAll(keepingCapacity: true)
      jobs.removeAll(keepingCapacity: true)
    }
  }

  private struct Multi: @unchecked Sendable {
    // Sendable because only the thread uses it, except for ccurl_multi_wake, which any thread may call.
    let pointer: OpaquePointer
  }

  private let library: CurlLibrary
  private let trust: CurlTrust
  private let multi: Multi
  private let inbox = Locked(Inbox())

  init(_ library: CurlLibrary, trust: CurlTrust) throws(CurlLibrary.Missing) {
    guard let pointer = ccurl_multi_new(library.functions) else { throw .init(problem: "libcurl could not be started") }
    self.library = library
    self.trust = trust
    multi = Multi(pointer: pointer)
  }

  deinit {
    // The loop has ended: it holds a reference while it runs.
    ccurl_enter()
    ccurl_multi_free(multi.pointer)
    ccurl_leave()
  }

  /// Starts the loop on a new thread, or on the borrowed one; it keeps this object alive until `stop`.
  func start(on lent: (any BorrowableExecutor)?) throws(CurlLibrary.Missing) {
    if let lent, lent.lend(to: self, for: { [self] in run(on: lent) }) { return }
    let context = Unmanaged.passRetained(self)
    let code = ccurl_start_thread(
      { $0.map { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run(on: nil) } }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw .init(problem: "no thread could be started for libcurl (error \(code))")
    }
  }

  /// Changes the inbox, and wakes the thread unless it has been woken already.
  func post(_ change: (inout Inbox) -> Void) {
    let mustWake = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAnnounced = true }
      return !inbox.isAnnounced
    }
    if mustWake { ccurl_multi_wake(multi.pointer) }
  }

  /// Makes the loop end soon.
  func stop() { post { $0.isStopping = true } }

  private func run(on lent: (any BorrowableExecutor)?) {
    ccurl_enter()
    var crew = CurlCrew(library: library, trust: trust, multi: multi.pointer)
    var inbox = Inbox()
    while true {
      takeAll(into: &inbox, &crew)
      if inbox.isStopping { break }
      ccurl_multi_perform(multi.pointer)
      let wait = crew.deliver(now: .now)
      ccurl_leave()
      if nothingWaits() { ccurl_multi_wait(multi.pointer, wait) }
      ccurl_enter()
    }
    crew.disband()
    ccurl_leave()
    lent?.giveBack()
    runTheRest(inbox.jobs, on: lent ?? globalConcurrentExecutor)
  }

  /// Limit for rounds of task work before libcurl runs again.
  private static let mostRounds = 64

  /// Starts the new transfers, and runs the waiting tasks.
  ///
  /// Tasks lead to more tasks and finally to a request. libcurl has nothing to do until then.
  private func takeAll(into inbox: inout Inbox, _ crew: inout CurlCrew) {
    for _ in 0..<Self.mostRounds {
      take(into: &inbox)
      crew.start(inbox.starting)
      crew.attend(to: inbox.touched)
      if inbox.isStopping { return }
      if inbox.jobs.isEmpty { break }
      work(inbox.jobs)
    }
    // Release the started transfers: the last release of a transfer ends the thread.
    inbox.clear()
  }

  /// Runs tasks outside of libcurl, since they may write to a file and take a while.
  private func work(_ jobs: [UnownedJob]) {
    ccurl_leave()
    for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    ccurl_enter()
  }

  /// Takes the content of the inbox.
  ///
  /// Until the next `nothingWaits`, other threads need not wake this thread.
  private func take(into taken: inout Inbox) {
    taken.clear()
    inbox.withLock { inbox in
      swap(&taken, &inbox)
      inbox.isAnnounced = true
    }
  }

  private func nothingWaits() -> Bool {
    inbox.withLock { inbox in
      inbox.isAnnounced = !inbox.isEmpty
      return inbox.isEmpty
    }
  }

  /// Moves the remaining tasks to another executor, or to the borrowed thread.
  ///
  /// Tasks outlive the loop if their owner has released the transport.
  private func runTheRest(_ taken: [UnownedJob], on executor: any TaskExecutor) {
    let jobs = inbox.withLock { inbox in
      defer { inbox.jobs = [] }
      inbox.isOver = true
      return inbox.jobs
    }
    for job in taken + jobs { executor.enqueue(job) }
  }
}

extension CurlLoop: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    var isOver = false
    post { inbox in
      isOver = inbox.isOver
      if !isOver { inbox.jobs.append(job) }
    }
    if isOver { globalConcurrentExecutor.enqueue(job) }
  }
}

/// Keeps the loop running: it stops when the last transport and the last reader have released this object.
final class CurlDriver: Sendable {
  private let loop: CurlLoop
  let environment: Environment

  /// Starts a thread for the loop, or runs the loop on a borrowed one.
  init(
    _ library: CurlLibrary, trust: CurlTrust, environment: Environment, on lent: (any BorrowableExecutor)?
  ) throws(CurlLibrary.Missing) {
    self.environment = environment
    loop = try CurlLoop(library, trust: trust)
    try loop.start(on: lent)
  }

  deinit { loop.stop() }

  /// Runs tasks on the thread of the transfers.
  var executor: any TaskExecutor { loop }

  func start(_ transfer: CurlTransfer) {
    loop.post { $0.starting.append(transfer) }
  }

  /// Makes the loop handle a transfer that is to be resumed, or that was cancelled.
  func attend(to transfer: CurlTransfer) {
    loop.post { $0.touched.append(transfer) }
  }
}

// Detection of stalled transfers.

/// Notices that fewer than 1,024 bytes have arrived in a given time.
///
/// Each 1,024 bytes restart the time. So a stall is noticed exactly when the time has passed, not at the end of a
/// longer window.
struct ProgressWatch {
  static let progress: UInt64 = 1_024

  private let stallTimeout: Duration
  private var mark: UInt64 = 0
  private(set) var deadline: SuspendingClock.Instant

  /// Creates a watch that starts now.
  ///
  /// - Parameter now: time of a clock that stops while the machine sleeps, so that transfers survive a suspend.
  init(stallTimeout: Duration, now: SuspendingClock.Instant) {
    self.stallTimeout = stallTimeout
    deadline = now + stallTimeout
  }

  /// Records the number of bytes so far.
  ///
  /// A transfer that this program paused does not stall.
  mutating func update(_ bytes: UInt64, isPaused: Bool, now: SuspendingClock.Instant) {
    guard isPaused || bytes < mark || bytes - mark >= ProgressWatch.progress else { return }
    mark = bytes
    deadline = now + stallTimeout
  }

  func hasStalled(now: SuspendingClock.Instant) -> Bool { now >= deadline }
}
