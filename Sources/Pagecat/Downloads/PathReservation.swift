// Who may have a path that several records want: the first of them whose file is saved.

import Synchronization
import Wire

/// A record's claim to a path. Who lets go of it without having kept the path frees it.
final class PathReservation: Sendable {
  let fate = ReservationOutcome()
  /// Of the claim before it, until that has been waited for.
  private let before: Locked<ReservationOutcome?>
  private let settle: @Sendable (ReservationOutcome, ReservationOutcome.Decision) -> Void

  init(
    behind before: ReservationOutcome?,
    settle: @escaping @Sendable (ReservationOutcome, ReservationOutcome.Decision) -> Void
  ) {
    self.before = Locked(before)
    self.settle = settle
  }

  deinit { giveUp() }

  /// Waits until those before have their files, or have failed. False when one of them has the path.
  func wait() async -> Bool {
    guard let before = before.withLock({ $0.take() }), await before.isTaken else { return true }
    decide(.taken)
    return false
  }

  /// The path has its file.
  func keep() { decide(.taken) }

  /// Nothing came of it. Who is behind waits for those before, if this one has not.
  func giveUp() { decide(before.withLock { $0.take() }.map { .asBefore($0) } ?? .free) }

  private func decide(_ decision: ReservationOutcome.Decision) {
    if fate.decide(decision) { settle(fate, decision) }
  }
}

/// What became of a claim, for the one who is next.
final class ReservationOutcome: Sendable {
  enum Decision: Sendable {
    case taken, free
    case asBefore(ReservationOutcome)
  }

  private struct State {
    var decision: Decision?
    var waiter: CheckedContinuation<Decision, Never>?
  }

  private let state = Locked(State())

  /// Whether the path is taken, by that claim or one before it. For one who waits.
  var isTaken: Bool {
    get async {
      var fate = self
      while true {
        switch await fate.decision {
        case .taken: return true
        case .free: return false
        case .asBefore(let before): fate = before
        }
      }
    }
  }

  private var decision: Decision {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state in
          if state.decision == nil { state.waiter = continuation }
          return state.decision
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }

  /// Gives whether it was not decided before.
  func decide(_ decision: Decision) -> Bool {
    let waiter: CheckedContinuation<Decision, Never>?
    let isNews: Bool
    (isNews, waiter) = state.withLock { state in
      guard state.decision == nil else { return (false, nil) }
      defer { state.waiter = nil }
      state.decision = decision
      return (true, state.waiter)
    }
    waiter?.resume(returning: decision)
    return isNews
  }
}
