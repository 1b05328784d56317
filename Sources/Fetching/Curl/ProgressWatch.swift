// When a transfer has stalled.

/// Notices when fewer than 1,024 bytes have come in the time given. Each 1,024 bytes start it anew, so that it is
/// exact: a stall is noticed when that time has passed, not at the end of some longer window.
struct ProgressWatch {
  static let progress: UInt64 = 1_024

  private let patience: Duration
  private var mark: UInt64 = 0
  private(set) var deadline: SuspendingClock.Instant

  /// - Parameter now: of a clock that stands still while the machine sleeps, so that transfers survive that.
  init(patience: Duration, now: SuspendingClock.Instant) {
    self.patience = patience
    deadline = now + patience
  }

  /// Takes note of all bytes so far. A transfer that we have paused ourselves is not to blame.
  mutating func note(_ bytes: UInt64, isPaused: Bool, now: SuspendingClock.Instant) {
    guard isPaused || bytes < mark || bytes - mark >= ProgressWatch.progress else { return }
    mark = bytes
    deadline = now + patience
  }

  func hasStalled(now: SuspendingClock.Instant) -> Bool { now >= deadline }
}
