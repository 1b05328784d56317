// The current transfers, as libcurl's thread handles them.

import CCurl
import Wire

struct CurlCrew {
  private struct Member {
    let transfer: CurlTransfer
    let easy: OpaquePointer
    var watch: ProgressWatch
  }

  /// A handle that can be used again: creating one costs more than a small request, and preparing it nearly as much.
  ///
  /// Only a handle whose transfer was completed is kept. libcurl keeps state of failed transfers: after an unresolved
  /// host, 7.88 keeps a buffer and then can't prepare the handle.
  private struct IdleHandle {
    let easy: OpaquePointer
    /// Request that the handle was prepared for.
    let request: Request
  }

  private let library: CurlLibrary
  private let trust: CurlTrust
  private let multi: OpaquePointer
  private var members: [Member] = []
  private var idle: [IdleHandle] = []

  private static let mostIdle = 16
  /// The longest wait in milliseconds when nothing is due.
  ///
  /// A wake or a socket ends the wait earlier. The limit makes up for a wake that failed.
  private static let longestWait: Int32 = 1_000

  init(library: CurlLibrary, trust: CurlTrust, multi: OpaquePointer) {
    self.library = library
    self.trust = trust
    self.multi = multi
  }

  mutating func start(_ transfers: [CurlTransfer]) {
    for transfer in transfers where !transfer.hasEnded { start(transfer) }
  }

  private mutating func start(_ transfer: CurlTransfer) {
    let used = idle.popLast()
    guard let easy = used?.easy ?? ccurl_easy_new(library.functions) else {
      return transfer.end(.fault(CurlOutcome.outOfMemory.fault(for: transfer.request)))
    }
    transfer.request.prepare(easy, usedFor: used?.request, for: transfer.inflow, trusting: trust)
    let code = ccurl_multi_add(multi, easy)
    guard code == 0 else {
      let outcome = CurlOutcome(code, of: easy, for: transfer, trusting: trust)
      ccurl_easy_free(easy)
      return transfer.end(.fault(outcome.fault(for: transfer.request)))
    }
    let watch = ProgressWatch(patience: transfer.request.patience, now: .now)
    members.append(Member(transfer: transfer, easy: easy, watch: watch))
  }

  /// Resumes the transfers that wait for it, and removes the cancelled ones.
  mutating func attend(to transfers: [CurlTransfer]) {
    for transfer in transfers {
      guard let index = members.firstIndex(where: { $0.transfer === transfer }) else { continue }
      if transfer.hasEnded {
        remove(at: index)
      } else {
        // Clear the flag first: the call may deliver the bytes that curl kept, and set the flag again.
        transfer.inflow.body.resume()
        let code = ccurl_easy_resume(members[index].easy)
        if code != 0 { fail(at: index, code) }
      }
    }
  }

  /// Reports progress and ends to the readers, and returns the milliseconds until the next deadline.
  mutating func deliver(now: SuspendingClock.Instant) -> Int32 {
    endTheEnded()
    for index in members.indices.reversed() { look(at: index, now: now) }
    guard let deadline = members.lazy.map(\.watch.deadline).min() else { return CurlCrew.longestWait }
    return min(CurlCrew.longestWait, now.duration(to: deadline).wholeMilliseconds)
  }

  private mutating func endTheEnded() {
    var code: Int32 = 0
    while let easy = ccurl_multi_next_ended(multi, &code) {
      guard let index = members.firstIndex(where: { $0.easy == easy }) else { continue }
      guard code == 0 else {
        fail(at: index, code)
        continue
      }
      let transfer = members[index].transfer
      remove(at: index, preparedFor: transfer.request)
      transfer.end(.whole)
    }
  }

  private mutating func fail(at index: Int, _ code: Int32) {
    let (transfer, easy) = (members[index].transfer, members[index].easy)
    let fault = CurlOutcome(code, of: easy, for: transfer, trusting: trust).fault(for: transfer.request)
    remove(at: index)
    transfer.end(.fault(fault))
  }

  private mutating func look(at index: Int, now: SuspendingClock.Instant) {
    let member = members[index]
    let inflow = member.transfer.inflow
    let hasChanged = ccurl_inflow_changed(inflow.pointer)
    if hasChanged { member.transfer.arrived() }
    // Ask libcurl only if the answer may have changed.
    let isPaused = inflow.body.backlog.isPaused
    if hasChanged || isPaused || member.transfer.request.body != nil || now >= member.watch.deadline {
      members[index].watch.note(bytes(of: member), isPaused: isPaused, now: now)
    }
    guard members[index].watch.hasStalled(now: now) else { return }
    remove(at: index)
    let hasBegun = ccurl_inflow_head_bytes(inflow.pointer) > 0
    member.transfer.end(.fault(.stalled(member.transfer.request, hasBegun: hasBegun)))
  }

  private func bytes(of member: Member) -> UInt64 {
    ccurl_inflow_head_bytes(member.transfer.inflow.pointer) &+ ccurl_easy_received(member.easy)
      &+ ccurl_easy_sent(member.easy)
  }

  private mutating func remove(at index: Int, preparedFor request: Request? = nil) {
    let easy = members.remove(at: index).easy
    let isFree = ccurl_multi_remove(multi, easy)
    if isFree, let request, idle.count < CurlCrew.mostIdle {
      idle.append(IdleHandle(easy: easy, request: request))
    } else {
      ccurl_easy_free(easy)
    }
  }

  /// Ends all transfers and frees every handle.
  mutating func disband() {
    for member in members {
      _ = ccurl_multi_remove(multi, member.easy)
      ccurl_easy_free(member.easy)
      member.transfer.end(.fault(TransportError(.cancelled, url: member.transfer.request.url, problem: "shut down")))
    }
    for handle in idle { ccurl_easy_free(handle.easy) }
    (members, idle) = ([], [])
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up so that a deadline has passed at its end; 0 for a negative duration.
  var wholeMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
