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
  mutating func note(_ bytes: UInt64, isPaused: Bool, now: SuspendingClock.Instant) {
    guard isPaused || bytes < mark || bytes - mark >= ProgressWatch.progress else { return }
    mark = bytes
    deadline = now + stallTimeout
  }

  func hasStalled(now: SuspendingClock.Instant) -> Bool { now >= deadline }
}
