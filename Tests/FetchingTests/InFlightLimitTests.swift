import TestSupport
import Testing

@testable import Fetching

@Suite("The number of requests at once that an origin's 503s teach")
struct InFlightLimitTests {
  /// A limit with so many requests in flight.
  private func limit(_ inFlight: Int) -> InFlightLimit {
    var limit = InFlightLimit()
    for _ in 0..<inFlight { _ = limit.enter(now: .zero) }
    #expect(limit.inFlight == inFlight)
    return limit
  }

  private func refused(
    _ limit: inout InFlightLimit, attempt: Int = 1, hasPause: Bool = false, now: Duration = .zero
  ) -> Bool {
    limit.leave()
    return limit.refuse(attempt: attempt, hasPause: hasPause, now: now)
  }

  @Test("without a refusal there is no limit; with a pause it is what is still in flight, at least one")
  func lowers() {
    var limit = limit(8)
    #expect(limit.most == nil)
    for rest in [7, 6, 5, 4, 3, 2, 1] {
      let isTooFast = refused(&limit, hasPause: true)
      #expect(!isTooFast && limit.most == rest)
    }
    let isTooFast = refused(&limit, hasPause: true)
    #expect(isTooFast && limit.most == 1)
  }

  @Test("503s without a time count when there are many: the fourth in a row, and none that is one of five")
  func many() {
    var limit = limit(8)
    let first = (0..<5).map { _ in
      let isTooFast = refused(&limit)
      return isTooFast ? 0 : limit.most
    }
    #expect(first == [nil, nil, nil, 4, 3])
    var other = self.limit(8)
    for _ in 0..<200 {
      _ = refused(&other)
      for _ in 0..<4 { other.accept(attempt: 1) }
      _ = other.enter(now: .zero)
    }
    #expect(other.most == nil)
    // One of three is as many as an overloaded server refuses.
    for _ in 0..<20 {
      _ = refused(&other)
      other.accept(attempt: 1)
      _ = other.enter(now: .zero)
    }
    #expect(other.most != nil)
  }

  @Test("an accepted request that ends makes room, and raises nothing")
  func keeps() {
    var limit = limit(3)
    _ = refused(&limit, hasPause: true)
    let isOver = limit.enter(now: .seconds(1))
    limit.leave()
    let hasRoom = limit.enter(now: .seconds(1))
    #expect(!isOver && hasRoom && limit.most == 2)
  }

  @Test(
    "the limit is raised when it is met, after 2 s, or 10 s after a pause, and then sooner and sooner",
    arguments: [(false, 2), (true, 10)])
  func raises(hasPause: Bool, seconds: Int) {
    var limit = limit(6)
    for _ in 0..<4 { _ = refused(&limit, hasPause: hasPause) }
    #expect(limit.most == 2)
    var (now, interval) = (Duration.zero, Duration.seconds(seconds))
    for most in 3..<12 {
      let isEarly = limit.enter(now: now + interval - .milliseconds(1))
      now += interval
      let isInTime = limit.enter(now: now)
      #expect(!isEarly && isInTime && limit.most == most)
      interval = max(interval / 2, .milliseconds(100))
    }
  }

  @Test("a pause postpones the raise by as long as was waited last")
  func postpones() {
    var limit = limit(3)
    _ = refused(&limit, hasPause: true)
    limit.postpone(until: .seconds(1))
    let isEarly = limit.enter(now: .seconds(10))
    let isInTime = limit.enter(now: .seconds(11))
    #expect(!isEarly && isInTime)
  }

  @Test("the first refusal after a raise takes it back, whatever the attempt, and says nothing of its URL")
  func takesBack() {
    var limit = limit(4)
    _ = refused(&limit, hasPause: true)
    for round in 1...5 {
      let now = Duration.seconds(10) + .seconds(2 * round)
      let isRaised = limit.enter(now: now)
      #expect(isRaised && limit.most == 4)
      _ = refused(&limit, attempt: 2, now: now)
      #expect(limit.most == 3)
    }
    _ = refused(&limit, hasPause: true)
    #expect(limit.most == 2, "503s count still")
  }

  @Test("503s count until the second attempts fail, too, and again when they succeed")
  func brokenURL() {
    var limit = limit(9)
    func refuse(attempt: Int) -> Int? {
      _ = refused(&limit, attempt: attempt, hasPause: true)
      return limit.most
    }
    #expect([1, 2, 1, 2, 1].map { refuse(attempt: $0) } == [8, 8, 6, 6, 6])
    limit.accept(attempt: 1)
    limit.accept(attempt: 3)
    #expect(refuse(attempt: 1) == 6)
    limit.accept(attempt: 2)
    #expect(refuse(attempt: 1) == 2)
    // However many succeeded: four in a row are a broken URL.
    for _ in 0..<100 { limit.accept(attempt: 2) }
    for _ in 0..<4 { _ = limit.refuse(attempt: 2, hasPause: true, now: .zero) }
    let isTooFast = limit.refuse(attempt: 1, hasPause: true, now: .zero)
    #expect(!isTooFast && limit.most == 2)
  }

  /// A request of a client: when it acts next.
  private struct Pending {
    enum Step { case new, sending, waiting, entered, accepted }

    let client: Int
    var time: Duration
    var step = Step.new
    var isBroken = false
    var attempt = 1
  }

  /// Returns how the clients fare, eight workers each, with a server that does ten requests of 50 ms at once.
  ///
  /// - Parameter broken: each so many requests one is always refused, and has no fourth attempt.
  private func run(
    clients count: Int, requests: Int, retryAfter: Duration?, broken: Int? = nil
  ) -> (time: Duration, refusals: Int, failures: Int) {
    var limits = [InFlightLimit](repeating: InFlightLimit(), count: count)
    var held = [Duration](repeating: .zero, count: count)
    var rest = [Int](repeating: requests / count, count: count)
    var pending = (0..<count * 8).map { Pending(client: $0 % count, time: .microseconds($0 * 10)) }
    var (busy, end, refusals, failures) = ([Duration](), Duration.zero, 0, 0)
    var dice = Dice(state: 1)
    var waiting = [[Int]](repeating: [], count: count)
    func leave(_ index: Int, _ learn: () -> Void) {
      let (now, client) = (pending[index].time, pending[index].client)
      limits[client].leave()
      learn()
      while let next = waiting[client].first, limits[client].enter(now: now) {
        waiting[client].removeFirst()
        (pending[next].time, pending[next].step) = (now, .entered)
      }
    }
    while let index = pending.indices.min(by: { pending[$0].time < pending[$1].time }) {
      let (now, client) = (pending[index].time, pending[index].client)
      switch pending[index].step {
      case .new:
        guard rest[client] > 0 else {
          if pending.allSatisfy({ $0.step == .new && rest[$0.client] == 0 }) { return (end, refusals, failures) }
          pending[index].time += .seconds(1)
          continue
        }
        rest[client] -= 1
        (pending[index].step, pending[index].attempt) = (.sending, 1)
        pending[index].isBroken = broken.map { rest[client] % $0 == 0 } ?? false
      case .accepted:
        leave(index) { limits[client].accept(attempt: pending[index].attempt) }
        (pending[index].step, end) = (.new, max(end, now))
      case .sending where held[client] > now:
        limits[client].postpone(until: held[client])
        pending[index].time = held[client]
      case .sending where !waiting[client].isEmpty || !limits[client].enter(now: now):
        waiting[client].append(index)
        (pending[index].time, pending[index].step) = (.seconds(1_000_000), .waiting)
      case .waiting: return (now, refusals, .max)
      case .entered where held[client] > now:
        leave(index) {}
        pending[index].step = .sending
      case .sending, .entered:
        busy.removeAll { $0 <= now }
        if !pending[index].isBroken, busy.count < 10 {
          let end = now + .microseconds(Int.random(in: 49_000...51_000, using: &dice))
          busy.append(end)
          (pending[index].time, pending[index].step) = (end + .milliseconds(1), .accepted)
        } else {
          refusals += 1
          var wasLowest = false
          leave(index) {
            wasLowest = limits[client].refuse(
              attempt: pending[index].attempt, hasPause: retryAfter != nil, now: now)
          }
          if wasLowest { held[client] = max(held[client], now + InFlightLimit.breath) }
          pending[index].step = .sending
          if let retryAfter { held[client] = now + retryAfter }
          pending[index].attempt += 1
          let backOff = Duration.milliseconds(125 << pending[index].attempt) * Double.random(in: 0...1, using: &dice)
          pending[index].time = now + (retryAfter ?? backOff)
          if retryAfter == nil, pending[index].attempt > 5 {
            failures += 1
            (pending[index].time, pending[index].step) = (now, .new)
          }
        }
      }
    }
    return (end, refusals, .max)
  }

  @Test(
    "four clients together keep an overloaded server busy, and none fails",
    arguments: [(2_000, nil, 1.35, 60), (8_000, nil, 1.25, 250), (2_000, Duration.seconds(1), 1.35, 20)])
  func overload(requests: Int, retryAfter: Duration?, most: Double, refusals: Int) {
    let found = run(clients: 4, requests: requests, retryAfter: retryAfter)
    #expect(found.failures == 0)
    #expect(found.time <= .milliseconds(5) * requests * most)
    #expect(found.refusals <= refusals)
  }

  @Test("one URL in a hundred that is always refused does not make the others go one by one")
  func brokenURLs() {
    let found = run(clients: 1, requests: 8_000, retryAfter: nil, broken: 100)
    // Eight workers at 51 ms a request: 51 s, and 80 times four waits of a worker, of 3.75 s in the mean: 38 s.
    #expect(found.time <= .seconds(95))
    #expect(found.failures >= 75 && found.failures <= 85)
  }
}
