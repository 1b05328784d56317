import Primitives
import Synchronization
import Wire

/// The number of requests at once that an origin accepts, learned from its 503s, as a pure value.
///
/// A 503 says that the origin has too much to do at once. It accepted the requests that are still in flight, so their
/// number is the limit. From time to time the limit is raised by one, and soon again while no raise is refused: by two and by
/// four, if as many replies as the limit allows show that the last raise was not. A limit that holds nothing back for ten
/// seconds is forgotten.
///
/// A few 503s say nothing: some servers answer one request in a hundred with 503. So a 503 without `Retry-After` counts only
/// if many of the last requests had one, or if the limit was raised just before.
///
/// Some 503s are of a URL that is broken. Its second attempt fails, too, while that of an overloaded origin mostly
/// succeeds. So the second attempts decide whether further 503s count. But while several requests are refused and none
/// succeeds, all count: other clients keep the origin busy.
struct InFlightLimit: Equatable {
  /// Time from a refusal until the next raise, for each request of the limit: to raise a low limit by one brings more, and
  /// where many clients share the origin, a low limit is soon refused again.
  private static let intervalPerRequest: Duration = .milliseconds(250)
  /// Bounds of this interval, and those after a 503 that names no time: a refused request then tries again soon, and must not
  /// use up its attempts.
  private static let (intervals, intervalsWithoutTime) = (
    Duration.milliseconds(500)...Duration.seconds(2), Duration.seconds(1)...Duration.seconds(2)
  )
  /// Most time until the next raise after a refusal that followed no raise.
  private static let longestInterval: Duration = .seconds(8)
  /// Pause that costs little, since further small pages are fetched meanwhile.
  private static let freePause: Duration = .seconds(1)
  /// Time until the next raise after one that was refused, as a multiple of the pause that is not free.
  private static let pausesPerRaise = 5
  /// Number of replies, as a multiple of the limit, for which one request less is made after a raise that was refused, so
  /// that other clients get a turn.
  private static let roundsPerTurn = 2
  /// Time until the next raise after one that was not refused.
  private static let nextInterval: Duration = .milliseconds(200)

  /// Number of requests whose reply has not begun.
  private(set) var inFlight = 0
  /// The limit, at least 1; nil until the first refusal.
  private(set) var most: Int?
  /// Number of replies that were no refusal.
  private(set) var successes = 0
  private var raisedNext: Duration = .zero
  private var interval: Duration = .zero
  /// Number of replies that are missing until a raise ends the turn of other clients; nil if it is not their turn.
  ///
  /// At `raisedNext` it ends without them. The whole interval follows this raise.
  private var turnReplies: Int?
  /// Requests by which the next raise and the last one raise the limit.
  private var (step, raisedBy) = (1, 1)
  private static let mostStep = 4
  /// Number of the next replies that may answer the request that a raise let in: a refusal among them takes the raise back.
  private var raisedReplies = 0
  /// Time when the limit last held a request back, or was raised or lowered; after a refusal, the end of its pause.
  private var metAt: Duration = .zero
  /// Time after which a limit that holds nothing back is forgotten.
  private static let memory: Duration = .seconds(10)
  /// Second attempts that were accepted, less those that were refused, within bounds; 503s count if it is above 0.
  private var trust = Self.firstTrust
  private static let firstTrust = 2
  private static let mostTrust = 4
  /// Part of the last first attempts that were refused, as a moving average over about 32 of them.
  private var refusedPart = 0.0
  private static let weight = 1.0 / 32
  /// Parts above which 503s count: without a limit the fourth in a row, with one the fifth.
  ///
  /// Twelve requests at once have one in six refused by an origin that accepts ten.
  private static let (mostAtFirst, mostLater) = (0.1, 0.13)
  /// Refusals since the last success, each of another request than the one before: its attempt's number is not higher.
  private var othersRefused = 0
  private var lastRefused = 0
  /// Number of these above which all count.
  private static let mostOthers = 2
  /// Time without requests after a 503 to a single one, so that those that wait don't all run into the next.
  private static let breath: Duration = .milliseconds(50)
  /// End of the pause after a 503 to a single request.
  ///
  /// Otherwise the pause that a 503 asks for is that of its request only, since the origin accepted those in flight.
  private(set) var heldUntil: Duration = .zero

  /// Counts a request, if the limit allows one more.
  mutating func enter(now: @autoclosure () -> Duration) -> Bool {
    if let most {
      let now = now()
      if inFlight >= most {
        metAt = max(metAt, now)
        guard now >= raisedNext || turnReplies ?? 1 <= 0 else { return false }
        // The last raise may be refused yet.
        if raisedReplies > 0 { step = 1 }
        self.most = most + step
        raisedReplies = most + step
        raisedBy = step
        if turnReplies == nil {
          interval = Self.nextInterval
          step = min(2 * step, Self.mostStep)
        }
        turnReplies = nil
        raisedNext = now + interval
      } else if now - metAt > Self.memory {
        self.most = nil
        raisedReplies = 0
      }
    }
    inFlight += 1
    return true
  }

  /// Counts a reply, or a failure.
  mutating func leave() { inFlight -= 1 }

  /// Postpones the next raise: another request, perhaps of another process, was refused and got a pause.
  mutating func postpone(until end: Duration) {
    if turnReplies != nil { turnReplies = .max }
    raisedNext = max(raisedNext, end + interval)
  }

  /// True if no more second attempts failed than succeeded: a request that is refused again and again is rather that of a
  /// busy origin.
  var areSecondAttemptsServed: Bool { trust >= Self.firstTrust }

  /// Learns from a 503, after `leave`.
  ///
  /// Only first attempts lower the limit; later ones do soon after a raise, and while several requests are refused and none
  /// succeeds.
  ///
  /// - Parameters:
  ///   - attempt: number of the request's attempt, from 1.
  ///   - pause: time for which the reply says to wait, or nil.
  mutating func refuse(attempt: Int, pause: Duration?, now: Duration) {
    let isRaised = raisedReplies > 0
    raisedReplies = 0
    // A request that is refused again and again says nothing of the others, which would never get their turn.
    if let pause, inFlight == 0, attempt == 1 || attempt <= lastRefused { heldUntil = max(heldUntil, now + pause) }
    if attempt == 2, !isRaised { trust = max(0, trust - 1) }
    if attempt == 1 { refusedPart += (1 - refusedPart) * Self.weight }
    let isOverload = attempt == 1 && (pause != nil || refusedPart > (most == nil ? Self.mostAtFirst : Self.mostLater))
    if attempt <= lastRefused { othersRefused += 1 }
    lastRefused = attempt
    guard (isOverload || isRaised) && trust > 0 || othersRefused > Self.mostOthers else { return }
    if inFlight == 0 { heldUntil = max(heldUntil, now + Self.breath) }
    metAt = max(metAt, now + (pause ?? .zero))
    step = 1
    if isRaised, let most {
      let lowered = max(1, most - raisedBy - 1)
      // A limit of one leaves no turn.
      (self.most, turnReplies) = (lowered, lowered < most - raisedBy ? Self.roundsPerTurn * lowered : nil)
    } else {
      (most, turnReplies) = (max(1, min(inFlight, most ?? .max)), nil)
    }
    interval = timeToRaise(after: pause, ofRaise: isRaised)
    raisedNext = now + interval
  }

  /// Returns the time until the next raise after a refusal that lowered the limit.
  private func timeToRaise(after pause: Duration?, ofRaise isRaised: Bool) -> Duration {
    let costly = max(.zero, (pause ?? .zero) - Self.freePause)
    let bounds = pause == nil ? Self.intervalsWithoutTime : Self.intervals
    let time = min(max(Self.intervalPerRequest * (most ?? 1), bounds.lowerBound), bounds.upperBound)
    // A long pause, such as that of a maintenance, says nothing of the time after it.
    return max(time, isRaised ? costly * Self.pausesPerRaise : min(costly, Self.longestInterval))
  }

  /// Learns from an attempt that was not refused.
  mutating func accept(attempt: Int) {
    successes += 1
    (othersRefused, lastRefused) = (0, 0)
    raisedReplies = max(0, raisedReplies - 1)
    turnReplies? -= 1
    if attempt == 1 { refusedPart -= refusedPart * Self.weight }
    if attempt == 2 { trust = min(Self.mostTrust, trust + 1) }
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
