import Primitives
import Synchronization
import Wire

/// The paths of a run's files, by their hashes.
final class ReservedPaths: Sendable {
  private struct State {
    var taken: Set<Int> = []
    /// Last reservation of each path that is not taken yet.
    var last: [Int: ReservationOutcome] = [:]
  }

  private let state: Locked<State>

  /// Creates the set of paths.
  ///
  /// - Parameter taken: paths of records that an interrupted run has finished.
  init(taken: Set<Int> = []) {
    state = Locked(State(taken: taken))
  }

  /// Reserves a path after the existing reservations; nil if the path is taken.
  func reserve(_ hash: Int) -> PathReservation? {
    state.withLock { state in
      guard !state.taken.contains(hash) else { return nil }
      let reservation = PathReservation(after: state.last[hash]) { [self] in settle(hash, $0, $1) }
      state.last[hash] = reservation.fate
      return reservation
    }
  }

  private func settle(_ hash: Int, _ fate: ReservationOutcome, _ decision: ReservationOutcome.Decision) {
    state.withLock { state in
      if case .taken = decision { state.taken.insert(hash) }
      guard state.last[hash] === fate else { return }
      state.last[hash] = if case .asBefore(let before) = decision { before } else { nil }
    }
  }
}
