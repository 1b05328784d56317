// The thread that drives libcurl. One thread does all transfers of an exchanger, and nobody else touches them: others
// put what they want into its inbox and wake it.

import CCurl
import Synchronization
import Wire

final class CurlLoop: Sendable {
  struct Inbox: Sendable {
    var starting: [CurlTransfer] = []
    var touched: [CurlTransfer] = []
    /// Parts of tasks that want to run on this thread.
    var jobs: [UnownedJob] = []
    var isStopping = false
    /// Whether nobody looks here any more.
    var isOver = false
    /// Whether the thread is awake, or has been woken, and will look here. It begins by that.
    var isAnnounced = true

    var isEmpty: Bool { starting.isEmpty && touched.isEmpty && jobs.isEmpty && !isStopping }

    /// Keeps the room of what was in it.
    mutating func clear() {
      starting.removeAll(keepingCapacity: true)
      touched.removeAll(keepingCapacity: true)
      jobs.removeAll(keepingCapacity: true)
    }
  }

  private struct Multi: @unchecked Sendable {
    // Sendable because it is used by the thread alone, except in ccurl_multi_wake, which is meant for the others.
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
    // The work on the thread has ended: it holds a reference for as long as it lasts.
    ccurl_enter()
    ccurl_multi_free(multi.pointer)
    ccurl_leave()
  }

  /// Starts the thread, or has the one that is lent. The work on it keeps the loop alive until `stop`.
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

  /// Puts something into the inbox, and wakes the thread unless it has been woken already.
  func post(_ change: (inout Inbox) -> Void) {
    let mustWake = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAnnounced = true }
      return !inbox.isAnnounced
    }
    if mustWake { ccurl_multi_wake(multi.pointer) }
  }

  /// Ends the thread, soon.
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

  /// Rounds of tasks' work after which libcurl has its turn in any case.
  private static let mostRounds = 64

  /// Starts what is to be started, and does the tasks' work. That may lead to more of it, and at last to a request: until
  /// then there is nothing for libcurl to do.
  private func takeAll(into inbox: inout Inbox, _ crew: inout CurlCrew) {
    for _ in 0..<Self.mostRounds {
      take(into: &inbox)
      crew.start(inbox.starting)
      crew.attend(to: inbox.touched)
      if inbox.isStopping { return }
      if inbox.jobs.isEmpty { break }
      work(inbox.jobs)
    }
    // What has been started is not kept from here: the last one who lets go of it ends the thread.
    inbox.clear()
  }

  /// Their work is not libcurl's: it may write to a file, and take a while.
  private func work(_ jobs: [UnownedJob]) {
    ccurl_leave()
    for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    ccurl_enter()
  }

  /// Takes what is in the inbox. Until `nothingWaits` says so, nobody needs to wake the thread.
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

  /// Tasks outlive this where someone let go of the exchanger and not of them: they go on elsewhere, or on the same thread
  /// where it was lent.
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
