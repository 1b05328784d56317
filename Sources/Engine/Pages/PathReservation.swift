// Paths that several records want: the first record whose file is saved gets the path.

import Primitives
import Synchronization
import Wire

/// A record's reservation of a path; releasing the reservation without keeping it frees the path.
final class PathReservation: Sendable {
  let fate = ReservationOutcome()
  /// The preceding reservation, until this one has waited for its outcome.
  private let before: Locked<ReservationOutcome?>
  private let settle: @Sendable (ReservationOutcome, ReservationOutcome.Decision) -> Void

  init(
    after before: ReservationOutcome?,
    settle: @escaping @Sendable (ReservationOutcome, ReservationOutcome.Decision) -> Void
  ) {
    self.before = Locked(before)
    self.settle = settle
  }

  deinit { release() }

  /// Waits until the preceding reservations have succeeded or failed; returns false if one of them has the path.
  func wait() async -> Bool {
    guard let before = before.withLock({ $0.take() }), await before.isTaken else { return true }
    decide(.taken)
    return false
  }

  /// Keeps the path, which now has its file.
  func keep() { decide(.taken) }

  /// Frees the path.
  ///
  /// The next reservation then waits for the preceding one, if this one has not.
  func release() { decide(before.withLock { $0.take() }.map { .asBefore($0) } ?? .free) }

  private func decide(_ decision: ReservationOutcome.Decision) {
    if fate.decide(decision) { settle(fate, decision) }
  }
}

/// The outcome of a reservation, for the next one.
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

  /// True if this reservation or a preceding one has taken the path; only the next one waits for it.
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

  /// Sets the outcome; returns false if it was set before.
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
