import Primitives
import Synchronization
import Wire

/// The number of requests at once that an origin accepts, learned from its 503s, as a pure value.
///
/// A 503 says that the origin has too much to do at once. It accepted the requests that are still in flight, so their
/// number becomes the limit. After a pause the limit is raised by one, and again each tenth of a second while it holds
/// requests back. A 503 soon after a raise takes the raise back. A limit that holds nothing back for ten seconds is forgotten.
///
/// Some 503s say nothing of the load: those of a broken URL, which are repeated, and the few that some servers answer at
/// random. So first attempts that are refused are weighed against those that are accepted, and against refused second attempts.
struct InFlightLimit: Equatable {
  /// Time until the next raise after a refusal.
  ///
  /// The time is not that of a frequent `Retry-After`: the refused request would come back together with the raise.
  private static let pause: Duration = .milliseconds(750)
  /// Time between two raises.
  private static let raiseInterval: Duration = .milliseconds(100)
  /// Pause that costs little, since further small pages are fetched meanwhile.
  private static let freePause: Duration = .seconds(1)
  /// Number of pauses until a raise that was refused is tried again, as far as the pause is not free.
  private static let pausesPerRaise = 5
  /// Time after which a limit that holds nothing back is forgotten.
  private static let memory: Duration = .seconds(10)
  /// Time without requests after a 503 without a time to a single one, so that those that wait don't all run into the next.
  private static let shortPause: Duration = .milliseconds(50)
  /// Bounds of the evidence, and the one up to which accepted second attempts raise it.
  private static let (minEvidence, maxEvidence, trusted) = (-2.0, 6.0, 1.0)
  /// Evidence that an accepted first attempt takes: an eleventh of what a refused one adds.
  private static let acceptedAttempt = 0.09
  /// Evidence above which a 503 without a time counts: the third in a row, and none that is one of twenty.
  private static let sufficientEvidence = 2.5

  /// Number of requests whose reply has not begun.
  private(set) var inFlight = 0
  /// The limit, at least 1; nil until the first refusal.
  private(set) var most: Int?
  /// Number of replies that were no refusal.
  private(set) var successes = 0
  /// End of the pause after a 503 to a single request.
  ///
  /// Otherwise the pause that a 503 asks for is that of its request only, since the origin accepted those in flight.
  private(set) var heldUntil: Duration = .zero
  /// Time of the next raise; later, the time when the limit last held a request back.
  private var raisesAt: Duration = .zero
  /// Number of the next replies that may answer the request that a raise let in: a refusal among them takes the raise back.
  private var raisedReplies = 0
  /// Evidence that the origin is busy: first attempts that were refused, less second ones, whose URLs are rather broken.
  private var evidence = 0.0

  /// Counts a request, if the limit allows one more.
  mutating func enter(now: @autoclosure () -> Duration) -> Bool {
    if let most {
      let now = now()
      if inFlight >= most {
        guard now >= raisesAt else { return false }
        (self.most, raisedReplies, raisesAt) = (most + 1, most + 1, now + Self.raiseInterval)
      } else if now - raisesAt > Self.memory {
        (self.most, raisedReplies) = (nil, 0)
      }
    }
    inFlight += 1
    return true
  }

  /// Counts a reply, or a failure.
  mutating func leave() { inFlight -= 1 }

  /// True if a request that is refused again and again is rather that of a busy origin than that of a broken URL.
  var seemsBusy: Bool { evidence > 0 }

  /// Learns from a 503, after `leave`.
  ///
  /// Only first attempts lower the limit; later ones do soon after a raise.
  ///
  /// - Parameters:
  ///   - attempt: number of the request's attempt, from 1.
  ///   - pause: time for which the reply says to wait, or nil.
  mutating func refuse(attempt: Int, pause: Duration?, now: Duration) {
    let isRaised = raisedReplies > 0
    raisedReplies = 0
    if attempt == 1 { evidence = min(Self.maxEvidence, evidence + 1) }
    if attempt == 2, !isRaised { evidence = max(Self.minEvidence, evidence - 1) }
    // A request that is refused again and again says nothing of the others, which would never get their turn.
    if inFlight == 0, attempt == 1 { heldUntil = max(heldUntil, now + (pause ?? Self.shortPause)) }
    let isOverload = attempt == 1 && evidence > (pause == nil ? Self.sufficientEvidence : 0)
    guard isOverload || isRaised && evidence > Self.minEvidence else { return }
    most = max(1, min(inFlight, isRaised ? (most ?? .max) - 1 : most ?? .max))
    let costly = max(.zero, (pause ?? .zero) - Self.freePause)
    raisesAt = now + Self.pause + costly * (isRaised ? Self.pausesPerRaise : 1)
  }

  /// Learns from an attempt that was not refused.
  mutating func accept(attempt: Int) {
    successes += 1
    raisedReplies = max(0, raisedReplies - 1)
    if attempt == 1, evidence > 0 { evidence = max(0, evidence - Self.acceptedAttempt) }
    if attempt == 2, evidence < Self.trusted { evidence = min(Self.trusted, evidence + 1) }
  }
}

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
      start = String(url.text[..<URLParts(url.text).path.startIndex])
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
    /// - Parameter takesPlace: true if it waits for the place of a request that ends, although the limit allows one more.
    mutating func enter(takesPlace: Bool, now: @autoclosure () -> Duration) -> Bool {
      let waits = takesPlace && limit.inFlight > 0 || limit.most != nil && !waiters.isEmpty
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
