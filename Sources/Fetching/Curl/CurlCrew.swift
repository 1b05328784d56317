// The current transfers, as libcurl's thread handles them.

import CCurl
import Wire

struct CurlCrew {
  private struct Member {
    let transfer: CurlTransfer
    let easy: OpaquePointer
    var watch: ProgressWatch
    /// Nil if the request shares no connection.
    var key: ConnectionKey?
    /// Number of the connection, once it is there; 0 before, and if the request shares none.
    var connection: UInt32 = 0
  }

  /// A handle that can be used again: creating one costs more than a small request, and preparing it nearly as much.
  ///
  /// Only a handle whose transfer was completed is kept. libcurl keeps state of failed transfers: after an unresolved
  /// host, 7.88 keeps a buffer and then can't prepare the handle.
  private struct IdleHandle {
    let easy: OpaquePointer
    /// Request that the handle was prepared for.
    let request: Request
    /// True if the handle can be used for the same request with another URL only.
    ///
    /// 7.88 keeps the buffer of a transfer that ends while others use its connection, and then can't prepare the handle.
    let fitsOnlyURLChanges: Bool
  }

  private let library: CurlLibrary
  private let trust: CurlTrust
  private let multi: OpaquePointer
  private var members: [Member] = []
  private var idle: [IdleHandle] = []
  private let sharesConnections: Bool
  private var gate = ConnectionGate<CurlTransfer>()
  private var connections = SharedConnections()

  private static let mostIdle = 16
  /// The longest wait in milliseconds when no deadline is set.
  ///
  /// A wake or a socket ends the wait earlier. The limit makes up for a wake that failed.
  private static let longestWait: Int32 = 1_000

  init(library: CurlLibrary, trust: CurlTrust, multi: OpaquePointer) {
    self.library = library
    self.trust = trust
    self.multi = multi
    sharesConnections = ccurl_shares_connections(library.functions)
  }

  mutating func start(_ transfers: [CurlTransfer]) {
    for transfer in transfers where !transfer.hasEnded { start(transfer) }
  }

  private mutating func start(_ transfer: CurlTransfer) {
    guard sharesConnections, let key = gate.key(of: transfer.request) else { return begin(transfer, sharing: nil) }
    if transfer.request.wantsFreshConnection || !isConnecting(key) { return begin(transfer, sharing: key) }
    gate.hold(transfer, for: key, now: .now)
  }

  /// Reports that the first connection with this key is being made.
  private func isConnecting(_ key: ConnectionKey) -> Bool {
    var isConnecting = false
    for member in members where member.key == key {
      if ccurl_easy_connection(member.easy) != 0 { return false }
      isConnecting = true
    }
    return isConnecting
  }

  private mutating func begin(_ transfer: CurlTransfer, sharing key: ConnectionKey?) {
    let used = takeIdle(for: transfer.request)
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
    let watch = ProgressWatch(stallTimeout: transfer.request.stallTimeout, now: .now)
    members.append(Member(transfer: transfer, easy: easy, watch: watch, key: key))
  }

  private mutating func takeIdle(for request: Request) -> IdleHandle? {
    guard let handle = idle.popLast() else { return nil }
    if !handle.fitsOnlyURLChanges || request.differsOnlyInURL(from: handle.request) { return handle }
    ccurl_easy_free(handle.easy)
    return nil
  }

  /// Resumes these transfers, and removes those that have ended.
  mutating func attend(to transfers: [CurlTransfer]) {
    for transfer in transfers {
      guard let index = members.firstIndex(where: { $0.transfer === transfer }) else {
        gate.drop(transfer)
        continue
      }
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
    endTheEnded(now: now)
    for index in members.indices.reversed() { look(at: index, now: now) }
    if members.isEmpty { connections.clear() }
    if gate.deadline != nil { openGate(now: now) }
    var wait = CurlCrew.longestWait
    for member in members { wait = min(wait, now.duration(to: member.watch.deadline).wholeMilliseconds) }
    if let deadline = gate.deadline { wait = min(wait, now.duration(to: deadline).wholeMilliseconds) }
    return wait
  }

  private mutating func openGate(now: SuspendingClock.Instant) {
    let connecting = gate.keys.filter(isConnecting)
    for transfer in gate.release(now: now, except: connecting) where !transfer.hasEnded {
      begin(transfer, sharing: gate.key(of: transfer.request))
    }
  }

  private mutating func endTheEnded(now: SuspendingClock.Instant) {
    var code: Int32 = 0
    while let easy = ccurl_multi_next_ended(multi, &code) {
      guard let index = members.firstIndex(where: { $0.easy == easy }) else { continue }
      watchConnection(of: index, hasChanged: ccurl_inflow_changed(members[index].transfer.inflow.pointer), now: now)
      guard code == 0 else {
        fail(at: index, code)
        continue
      }
      let transfer = members[index].transfer
      let isUnproven = ccurl_easy_end_is_unproven(easy)
      remove(at: index, preparedFor: transfer.request)
      transfer.end(isUnproven ? transfer.endWithoutNotice : .whole)
    }
  }

  private mutating func fail(at index: Int, _ code: Int32) {
    let (transfer, easy) = (members[index].transfer, members[index].easy)
    let isShared = connections.isShared(members[index].connection)
    let fault = CurlOutcome(code, of: easy, for: transfer, isConnectionShared: isShared, trusting: trust)
      .fault(for: transfer.request)
    remove(at: index)
    transfer.end(.fault(fault))
  }

  private mutating func look(at index: Int, now: SuspendingClock.Instant) {
    let member = members[index]
    let inflow = member.transfer.inflow
    let hasChanged = ccurl_inflow_changed(inflow.pointer)
    if hasChanged { member.transfer.arrived() }
    watchConnection(of: index, hasChanged: hasChanged, now: now)
    // Ask libcurl only if the answer may have changed.
    let isPaused = inflow.body.backlog.isPaused
    if hasChanged || isPaused || member.transfer.request.body != nil || now >= member.watch.deadline {
      members[index].watch.update(bytes(of: member), isPaused: isPaused, now: now)
    }
    guard members[index].watch.hasStalled(now: now) else { return }
    hangUpIfSilent(at: index, now: now)
    remove(at: index)
    let hasBegun = ccurl_inflow_head_bytes(inflow.pointer) > 0
    member.transfer.end(.fault(.stalled(member.transfer.request, hasBegun: hasBegun)))
  }

  private mutating func watchConnection(of index: Int, hasChanged: Bool, now: SuspendingClock.Instant) {
    let member = members[index]
    guard let key = member.key else { return }
    if member.connection == 0 {
      members[index].connection = ccurl_easy_connection(member.easy)
      if members[index].connection != 0 { connections.join(members[index].connection) }
    }
    guard hasChanged else { return }
    if member.transfer.inflow.isHeadWhole, !ccurl_inflow_is_http2(member.transfer.inflow.pointer) {
      members[index].key = nil
      gate.cannotShare(key)
    }
    connections.received(members[index].connection, at: now)
  }

  /// Ends the connection of a stalled transfer, unless other requests have heard from the server in that time.
  ///
  /// A stream of HTTP/2 can be cancelled without its connection. But a connection that has died would be used again,
  /// and the next requests would stall too.
  private func hangUpIfSilent(at index: Int, now: SuspendingClock.Instant) {
    let (connection, request) = (members[index].connection, members[index].transfer.request)
    guard connection != 0, !connections.hasSpoken(connection, since: now - request.stallTimeout) else { return }
    ccurl_easy_hang_up(members[index].easy)
  }

  private func bytes(of member: Member) -> UInt64 {
    ccurl_inflow_head_bytes(member.transfer.inflow.pointer) &+ ccurl_easy_received(member.easy)
      &+ ccurl_easy_sent(member.easy)
  }

  private mutating func remove(at index: Int, preparedFor request: Request? = nil) {
    let (easy, isSharing) = (members[index].easy, members[index].key != nil)
    members.remove(at: index)
    let isFree = ccurl_multi_remove(multi, easy)
    if isFree, let request, idle.count < CurlCrew.mostIdle {
      idle.append(IdleHandle(easy: easy, request: request, fitsOnlyURLChanges: isSharing))
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
    for transfer in gate.empty() {
      transfer.end(.fault(TransportError(.cancelled, url: transfer.request.url, problem: "shut down")))
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
