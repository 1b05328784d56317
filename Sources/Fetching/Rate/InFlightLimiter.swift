import Primitives
import Synchronization
import Wire

/// The limits on a run's requests in flight, by origin; requests over a limit wait in order.
///
/// A process counts only its own requests: a killed one would leave its count in a shared file.
final class InFlightLimiter: Sendable {
  /// Hash of a URL's scheme and authority.
  ///
  /// Hashes that are equal by chance only share a limit.
  struct Key {
    fileprivate let hash: Int

    init(_ url: Redactable) {
      var (hash, slashes): (UInt64, Int) = (0xCBF2_9CE4_8422_2325, 0)
      for byte in url.text.utf8 {
        if byte == UInt8(ascii: "/") { slashes += 1 }
        if slashes == 3 || byte == UInt8(ascii: "?") { break }
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      self.hash = Int(truncatingIfNeeded: hash)
    }
  }

  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Queue {
    var limit = InFlightLimit()
    var waiters: [Waiter] = []
    /// Time when the first waiter came, or when a request last ended while others waited.
    var movedAt: Duration = .zero

    /// Counts a request, unless others wait already.
    mutating func enter(now: @autoclosure () -> Duration) -> Bool { waiters.isEmpty && limit.enter(now: now()) }

    var isIdle: Bool { limit.inFlight == 0 && limit.most == nil && limit.heldUntil == .zero }

    /// Ends a request; returns the waiters that have a place now.
    mutating func leave(_ learn: (inout InFlightLimit) -> Void, now: @autoclosure () -> Duration) -> [Waiter] {
      limit.leave()
      learn(&limit)
      return waiters.isEmpty ? [] : admit(now: now())
    }

    mutating func append(_ waiter: Waiter, now: Duration) {
      if waiters.isEmpty { movedAt = now }
      waiters.append(waiter)
    }

    /// Counts and returns the waiters that a raise lets in if no request ended for the given time.
    mutating func admit(ifStuckFor time: Duration, now: Duration) -> [Waiter] {
      now - movedAt < time ? [] : admit(now: now)
    }

    /// Counts and returns the waiters that the limit allows.
    mutating func admit(now: Duration) -> [Waiter] {
      movedAt = now
      var count = 0
      while count < waiters.count, limit.enter(now: now) { count += 1 }
      defer { waiters.removeFirst(count) }
      return Array(waiters.prefix(count))
    }

    mutating func removeWaiter(_ id: Int) -> Waiter? {
      waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
    }
  }

  private struct State {
    /// Queues by hash.
    ///
    /// A dictionary whose keys are of another type than those of the others would make each start slower.
    var queues: [Int: Queue] = [:]
    var lastID = 0
  }

  /// Time without the end of a request after which the limit is raised for those that wait.
  static let stuckTime: Duration = .seconds(1)
  /// Number of origins that are remembered although they refuse nothing.
  private static let mostIdle = 64

  private let state = Locked(State())
  /// True after the first 503, so that before it no lookup is needed.
  private let hasRefused = Atomic(false)

  /// Counts a request, if its origin's limit allows one more, and no other request waits.
  func enterNow(_ key: Key, now: @autoclosure () -> Duration) -> Bool {
    state.withLock { $0.queues[key.hash, default: Queue()].enter(now: now()) }
  }

  /// Counts a request as soon as its origin's limit allows one more; returns false if the task was cancelled.
  func enter(_ key: Key, now: Duration) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasEntered: Bool? = state.withLock { state in
          if state.queues[key.hash, default: Queue()].enter(now: now) { return true }
          // The flag is set before the handler runs, and the handler needs the lock.
          if Task.isCancelled { return false }
          state.queues[key.hash]?.append(Waiter(id: id, continuation: continuation), now: now)
          return nil
        }
        if let hasEntered { continuation.resume(returning: hasEntered) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.queues[key.hash]?.removeWaiter(id) }
      waiter?.continuation.resume(returning: false)
    }
  }

  /// Lets in those that wait if no request ended for a while: a slow reply must not stop the run.
  func admitIfStuck(_ key: Key, now: Duration) {
    let admitted = state.withLock { $0.queues[key.hash]?.admit(ifStuckFor: Self.stuckTime, now: now) ?? [] }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }

  /// Returns the number of requests that wait.
  func waitingCount(_ key: Key) -> Int { state.withLock { $0.queues[key.hash]?.waiters.count ?? 0 } }

  /// Returns the number of an origin's replies that were no refusal, and whether its 503s limit the requests at once.
  func load(_ key: Key) -> (successes: Int, isBusy: Bool) {
    state.withLock { state in
      guard let limit = state.queues[key.hash]?.limit else { return (0, false) }
      return (limit.successes, limit.most != nil)
    }
  }

  /// Ends a request that was not sent, or that got no reply.
  func leave(_ key: Key, now: @autoclosure () -> Duration) {
    leave(key, now: now()) { _ in }
  }

  /// Ends a request with a reply that is no 503.
  func leave(_ key: Key, attempt: Int, now: @autoclosure () -> Duration) {
    leave(key, now: now()) { $0.accept(attempt: attempt) }
  }

  /// Postpones the next raise of an origin's limit.
  ///
  /// - Parameter end: end of a pause that the origin asked for.
  func postpone(_ key: Key, until end: Duration) {
    state.withLock { $0.queues[key.hash]?.limit.postpone(until: end) }
  }

  /// Ends a request with a 503.
  ///
  /// - Parameter pause: time for which the reply says to wait, or nil.
  func refuse(_ key: Key, attempt: Int, pause: Duration?, now: Duration) {
    hasRefused.store(true, ordering: .relaxed)
    leave(key, now: now) { $0.refuse(attempt: attempt, pause: pause, now: now) }
  }

  /// Returns the end of the pause after an origin's last 503 to a single request; 0 if there was none.
  func heldUntil(_ url: Redactable) -> Duration {
    guard hasRefused.load(ordering: .relaxed) else { return .zero }
    let key = Key(url)
    return state.withLock { $0.queues[key.hash]?.limit.heldUntil ?? .zero }
  }

  private func leave(_ key: Key, now: @autoclosure () -> Duration, _ learn: (inout InFlightLimit) -> Void) {
    let admitted = state.withLock { state in
      let admitted = state.queues[key.hash, default: Queue()].leave(learn, now: now())
      // Of many origins, those that refuse nothing take no memory.
      if state.queues.count > Self.mostIdle, state.queues[key.hash]?.isIdle == true { state.queues[key.hash] = nil }
      return admitted
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }
}
