// The thread that drives libcurl. One thread does all transfers of an exchanger, and nobody else touches them: others
// put what they want into its inbox and wake it.

import CCurl
import Synchronization

/// Keeps the thread running: it ends when the last exchanger and the last reader have let go of this.
final class CurlDriver: Sendable {
  private let loop: CurlLoop

  /// Starts the thread.
  init(_ library: CurlLibrary, trust: CurlTrust) throws(CurlLibrary.Missing) {
    loop = try CurlLoop(library, trust: trust)
    try loop.start()
  }

  deinit { loop.stop() }

  func start(_ transfer: CurlTransfer) {
    loop.post { $0.starting.append(transfer) }
  }

  /// Looks after a transfer that is to go on, or that was given up.
  func attend(to transfer: CurlTransfer) {
    loop.post { $0.touched.append(transfer) }
  }
}

final class CurlLoop: Sendable {
  struct Inbox: Sendable {
    var starting: [CurlTransfer] = []
    var touched: [CurlTransfer] = []
    var isStopping = false
    /// Whether the thread has been woken to look here.
    var isAnnounced = false
  }

  private struct Multi: @unchecked Sendable {
    // Sendable because it is used by the thread alone, except in ccurl_multi_wake, which is meant for the others.
    let pointer: OpaquePointer
  }

  private let library: CurlLibrary
  private let trust: CurlTrust
  private let multi: Multi
  private let inbox = Mutex(Inbox())

  init(_ library: CurlLibrary, trust: CurlTrust) throws(CurlLibrary.Missing) {
    guard let pointer = ccurl_multi_new(library.functions) else { throw .init(problem: "libcurl could not be started") }
    self.library = library
    self.trust = trust
    multi = Multi(pointer: pointer)
  }

  /// Starts the thread, which keeps the loop alive until `stop`.
  func start() throws(CurlLibrary.Missing) {
    let context = Unmanaged.passRetained(self)
    let code = ccurl_start_thread(
      { $0.map { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run() } }, context.toOpaque())
    guard code == 0 else {
      context.release()
      ccurl_multi_free(multi.pointer)
      throw .init(problem: "no thread could be started for libcurl (error \(code))")
    }
  }

  /// Puts something into the inbox. Not after `stop`.
  func post(_ change: (inout Inbox) -> Void) {
    let mustWake = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAnnounced = true }
      return !inbox.isAnnounced
    }
    if mustWake { ccurl_multi_wake(multi.pointer) }
  }

  func stop() {
    // Inside the lock: the thread frees the multi when it has seen the note, which it can't before this is done.
    inbox.withLock { inbox in
      inbox.isStopping = true
      ccurl_multi_wake(multi.pointer)
    }
  }

  private func run() {
    ccurl_enter()
    var crew = CurlCrew(library: library, trust: trust, multi: multi.pointer)
    while true {
      let inbox = takeInbox()
      if inbox.isStopping { break }
      crew.start(inbox.starting)
      crew.attend(to: inbox.touched)
      ccurl_multi_perform(multi.pointer)
      let wait = crew.deliver(now: .now)
      ccurl_leave()
      ccurl_multi_wait(multi.pointer, wait)
      ccurl_enter()
    }
    crew.disband()
    ccurl_multi_free(multi.pointer)
    ccurl_leave()
  }

  private func takeInbox() -> Inbox {
    inbox.withLock { inbox in
      defer { inbox = Inbox() }
      return inbox
    }
  }
}
