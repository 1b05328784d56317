import Primitives
import Synchronization
import Wire

/// The limits on a run's requests in flight, by origin; requests over a limit wait in order.
///
/// A process counts only its own requests: a killed one would leave its count in a shared file.
final class InFlightLimiter: Sendable {
  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// The requests to one origin.
  private struct Queue {
    /// Start of the origin's URLs, up to the end of the authority.
    let start: String
    var limit = InFlightLimit()
    var waiters: [Waiter] = []
    /// Time when the first waiter came, or when a request last ended while others waited.
    var movedAt: Duration = .zero

    init(of url: Redactable) {
      var slashes = 0
      let bytes = url.text.utf8.prefix { byte in
        if byte == UInt8(ascii: "/") { slashes += 1 }
        return slashes < 3 && byte != UInt8(ascii: "?")
      }
      start = String(decoding: bytes, as: UTF8.self)
    }

    func isOf(_ url: Redactable) -> Bool {
      let (bytes, length) = (url.text.utf8, start.utf8.count)
      guard url.text.hasPrefix(start) else { return false }
      guard bytes.count > length else { return true }
      let next = bytes[bytes.index(bytes.startIndex, offsetBy: length)]
      return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }

    /// Counts a request, unless it must wait.
    ///
    /// - Parameter takesPlace: true if it waits for the place of a request that ends, although there is no limit.
    mutating func enter(takesPlace: Bool, now: @autoclosure () -> Duration) -> Bool {
      let waits = limit.most == nil ? takesPlace && limit.inFlight > 0 : !waiters.isEmpty
      return !waits && limit.enter(now: now())
    }

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
      while count < waiters.count, limit.enter(now: now) {
        count += 1
        // Those that take the places of others wait also without a limit.
        if limit.most == nil { break }
      }
      defer { waiters.removeFirst(count) }
      return Array(waiters.prefix(count))
    }

    mutating func removeWaiter(_ id: Int) -> Waiter? {
      waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
    }
  }

  private struct State {
    /// Queues in order of their first requests; there are so few that a dictionary would take longer to search.
    var queues: [Queue] = []
    var lastID = 0

    func index(of url: Redactable) -> Int? { queues.indices.first { queues[$0].isOf(url) } }

    /// Returns the index of a URL's queue, which is added if there is none.
    mutating func indexAdding(_ url: Redactable) -> Int {
      if let index = index(of: url) { return index }
      queues.append(Queue(of: url))
      return queues.count - 1
    }
  }

  /// Time without the end of a request after which the limit is raised for those that wait.
  static let stuckTime: Duration = .seconds(1)
  /// Number of origins that are remembered although they refuse nothing.
  private static let mostIdle = 64

  private let state = Locked(State())
  /// True after the first 503, so that before it no lookup is needed.
  private let hasRefused = Atomic(false)

  /// True if an attempt of a request waits for the place of another request that ends.
  ///
  /// The origin accepted those in flight, but perhaps not one more. So a further attempt after a 503 is sent when one of them
  /// ends. Otherwise, if other clients keep the origin busy, all attempts of one request might be refused, while the others
  /// take each other's places.
  private func takesPlace(_ attempt: Int) -> Bool { attempt > 1 && hasRefused.load(ordering: .relaxed) }

  /// Counts a request, if its origin's limit allows one more, and no other request waits.
  ///
  /// - Parameter attempt: number of the request's attempt, from 1.
  func enterNow(_ url: Redactable, attempt: Int = 1, now: @autoclosure () -> Duration) -> Bool {
    let takesPlace = takesPlace(attempt)
    return state.withLock { state in
      let index = state.indexAdding(url)
      return state.queues[index].enter(takesPlace: takesPlace, now: now())
    }
  }

  /// Counts a request as soon as its origin's limit allows one more; returns false if the task was cancelled.
  func enter(_ url: Redactable, attempt: Int = 1, now: Duration) async -> Bool {
    let takesPlace = takesPlace(attempt)
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasEntered: Bool? = state.withLock { state in
          let index = state.indexAdding(url)
          if state.queues[index].enter(takesPlace: takesPlace, now: now) { return true }
          // The flag is set before the handler runs, and the handler needs the lock.
          if Task.isCancelled { return false }
          state.queues[index].append(Waiter(id: id, continuation: continuation), now: now)
          return nil
        }
        if let hasEntered { continuation.resume(returning: hasEntered) }
      }
    } onCancel: {
      let waiter = state.withLock { state in state.index(of: url).flatMap { state.queues[$0].removeWaiter(id) } }
      waiter?.continuation.resume(returning: false)
    }
  }

  /// Lets in those that wait if no request ended for a while: a slow reply must not stop the run.
  func admitIfStuck(_ url: Redactable, now: Duration) {
    let admitted = state.withLock { state in
      state.index(of: url).map { state.queues[$0].admit(ifStuckFor: Self.stuckTime, now: now) } ?? []
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }

  /// Returns the number of requests that wait.
  func waitingCount(_ url: Redactable) -> Int {
    state.withLock { state in state.index(of: url).map { state.queues[$0].waiters.count } ?? 0 }
  }

  /// Returns the limit of an origin's requests at once, as its replies taught it.
  func limit(of url: Redactable) -> InFlightLimit {
    state.withLock { state in state.index(of: url).map { state.queues[$0].limit } ?? InFlightLimit() }
  }

  /// Ends a request that was not sent, or that got no reply.
  func leave(_ url: Redactable, now: @autoclosure () -> Duration) {
    leave(url, now: now()) { _ in }
  }

  /// Ends a request with a reply that is no 503.
  func leave(_ url: Redactable, attempt: Int, now: @autoclosure () -> Duration) {
    leave(url, now: now()) { $0.accept(attempt: attempt) }
  }

  /// Postpones the next raise of an origin's limit.
  ///
  /// - Parameter end: end of a pause that the origin asked for.
  func postpone(_ url: Redactable, until end: Duration) {
    state.withLock { state in
      if let index = state.index(of: url) { state.queues[index].limit.postpone(until: end) }
    }
  }

  /// Ends a request with a 503.
  ///
  /// - Parameter pause: time for which the reply says to wait, or nil.
  func refuse(_ url: Redactable, attempt: Int, pause: Duration?, now: Duration) {
    hasRefused.store(true, ordering: .relaxed)
    leave(url, now: now) { $0.refuse(attempt: attempt, pause: pause, now: now) }
  }

  /// Returns the end of the pause after an origin's last 503 to a single request; 0 if there was none.
  func heldUntil(_ url: Redactable) -> Duration {
    guard hasRefused.load(ordering: .relaxed) else { return .zero }
    return state.withLock { state in state.index(of: url).map { state.queues[$0].limit.heldUntil } ?? .zero }
  }

  private func leave(_ url: Redactable, now: @autoclosure () -> Duration, _ learn: (inout InFlightLimit) -> Void) {
    let admitted = state.withLock { state in
      let index = state.indexAdding(url)
      let admitted = state.queues[index].leave(learn, now: now())
      // Of many origins, those that refuse nothing take no memory.
      if state.queues.count > Self.mostIdle, state.queues[index].isIdle { state.queues.remove(at: index) }
      return admitted
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }
}
