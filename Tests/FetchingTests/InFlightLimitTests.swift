import TestSupport
import Testing
import Wire

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

  private func refuse(_ limit: inout InFlightLimit, attempt: Int = 1, pause: Duration? = nil, now: Duration = .zero) {
    limit.leave()
    limit.refuse(attempt: attempt, pause: pause, now: now)
  }

  @Test("without a refusal there is no limit; with a pause it is what is still in flight, at least one")
  func lowers() {
    var limit = limit(8)
    #expect(limit.most == nil)
    for rest in [7, 6, 5, 4, 3, 2, 1] {
      refuse(&limit, pause: .seconds(1))
      #expect(limit.most == rest && limit.heldUntil == .zero, "the origin accepted the others")
    }
    refuse(&limit, pause: .seconds(1))
    #expect(limit.most == 1 && limit.heldUntil == .seconds(1))
  }

  @Test("a single request that is refused again holds the others back once; the refusal of another one does again")
  func refusedAgain() {
    var limit = limit(1)
    refuse(&limit, pause: .seconds(1))
    #expect(limit.heldUntil == .seconds(1))
    for attempt in 2...4 {
      _ = limit.enter(now: .seconds(attempt))
      refuse(&limit, attempt: attempt, pause: .seconds(1), now: .seconds(attempt))
      #expect(limit.heldUntil == .seconds(1), "attempt \(attempt)")
    }
    _ = limit.enter(now: .seconds(5))
    refuse(&limit, pause: .seconds(1), now: .seconds(5))
    #expect(limit.heldUntil == .seconds(6))
  }

  @Test("503s without a time count when there are several in a row, and not when they are one of twenty")
  func many() {
    var limit = limit(8)
    for _ in 0..<2 { refuse(&limit) }
    #expect(limit.most == nil)
    for _ in 0..<2 { refuse(&limit) }
    #expect(limit.most == 4)
    var other = self.limit(8)
    for _ in 0..<200 {
      refuse(&other)
      for _ in 0..<19 { other.accept(attempt: 1) }
      _ = other.enter(now: .zero)
    }
    #expect(other.most == nil)
    // One of six is as many as a server refuses that accepts ten of twelve requests at once.
    for _ in 0..<20 {
      refuse(&other)
      for _ in 0..<5 { other.accept(attempt: 1) }
      _ = other.enter(now: .zero)
    }
    #expect(other.most != nil)
  }

  @Test("an accepted request that ends makes room, and raises nothing")
  func keeps() {
    var limit = limit(3)
    refuse(&limit, pause: .seconds(1))
    let isOver = limit.enter(now: .milliseconds(499))
    limit.leave()
    let hasRoom = limit.enter(now: .milliseconds(499))
    #expect(!isOver && hasRoom && limit.most == 2)
  }

  /// Returns the times of the next raises, in tenths of a second, of a limit that holds requests back all the time.
  private func raises(of limit: inout InFlightLimit, from start: Int, count: Int) -> [Int] {
    var times: [Int] = []
    for tenth in start..<start + 10_000 where times.count < count {
      if limit.enter(now: .milliseconds(100) * tenth) { times.append(tenth) }
    }
    return times
  }

  @Test(
    "a limit is raised by one after a pause, and then again and again; after a refusal with a long pause not during it",
    arguments: [(Duration?.none, 5, 20), (.seconds(1), 5, 20), (.seconds(20), 190, 210)])
  func raises(pause: Duration?, least: Int, most: Int) {
    var limit = limit(6)
    for _ in 0..<4 { refuse(&limit, pause: pause) }
    #expect(limit.most == 2)
    let times = raises(of: &limit, from: 0, count: 5)
    #expect(times[0] >= least)
    #expect(times[0] <= most)
    #expect(times[4] - times[0] <= 10, "once there is room, the others follow soon")
    #expect(limit.most == 7)
  }

  @Test("the first refusal after a raise takes the raise back, whichever attempt it answers")
  func takesBack() {
    for attempt in [1, 2, 3] {
      var limit = limit(4)
      refuse(&limit, pause: .seconds(1))
      for round in 1...5 {
        let isRaised = limit.enter(now: .seconds(10 * round))
        #expect(isRaised)
        #expect(limit.most == 4)
        refuse(&limit, attempt: attempt, pause: .seconds(1), now: .seconds(10 * round))
        #expect(limit.most == 3)
      }
    }
  }

  @Test("a raise that was refused is tried again, and rarely where each refusal costs a long pause")
  func raisesRarely() {
    func wait(_ pause: Duration) -> Int {
      var limit = limit(4)
      refuse(&limit, pause: pause)
      let first = raises(of: &limit, from: 0, count: 1)[0]
      refuse(&limit, pause: pause, now: .milliseconds(100) * first)
      return raises(of: &limit, from: first, count: 1)[0] - first
    }
    #expect(wait(.seconds(1)) <= 20)
    #expect(wait(.seconds(20)) >= 600)
  }

  @Test("a refusal after so many replies as the limit allows says nothing of the raise before")
  func laterRefusal() {
    var limit = limit(4)
    refuse(&limit, pause: .seconds(1))
    let isRaised = limit.enter(now: .seconds(4))
    #expect(isRaised && limit.most == 4)
    for _ in 0..<4 { limit.accept(attempt: 1) }
    refuse(&limit, attempt: 2, now: .seconds(4))
    #expect(limit.most == 4)
  }

  @Test("a limit is not forgotten during the pause of a refused request")
  func remembersDuringPause() {
    var limit = limit(3)
    refuse(&limit, pause: .seconds(20))
    limit.leave()
    _ = limit.enter(now: .seconds(25))
    #expect(limit.most == 2)
  }

  @Test("a limit that holds nothing back for 10 s is forgotten, and a raise before that, too")
  func forgets() {
    var limit = limit(3)
    refuse(&limit, pause: .milliseconds(250), now: .milliseconds(-1_000))
    let isRaised = limit.enter(now: .zero)
    #expect(isRaised && limit.most == 3)
    limit.leave()
    for second in 1...10 {
      limit.leave()
      _ = limit.enter(now: .seconds(second))
      #expect(limit.most == 3)
    }
    limit.leave()
    _ = limit.enter(now: .milliseconds(10_101))
    #expect(limit.most == nil)
    refuse(&limit, attempt: 2, now: .milliseconds(10_101))
    #expect(limit.most == nil)
  }

  @Test("503s stop to count while second attempts fail, too, and count again when they succeed")
  func brokenURL() {
    var limit = limit(9)
    func most(afterRefusalOf attempt: Int) -> Int? {
      refuse(&limit, attempt: attempt, pause: .seconds(1))
      return limit.most
    }
    #expect([1, 2, 2, 1].map { most(afterRefusalOf: $0) } == [8, 8, 8, 8])
    for _ in 0..<100 { limit.accept(attempt: 1) }
    #expect(most(afterRefusalOf: 2) == 8)
    for _ in 0..<3 { limit.accept(attempt: 2) }
    #expect(most(afterRefusalOf: 1) == 3)
  }

  /// A request of a client: when it acts next.
  private struct Pending {
    enum Step { case new, sending, waiting, entered, accepted, idle }

    let client: Int
    var time: Duration
    var step = Step.new
    /// Position in the client's output.
    var number = 0
    var isBroken = false
    var attempt = 1
    /// True if it waits for its next attempt.
    var isWaiting: Bool { step == .sending && attempt > 1 }
    var retries = RetryState(RetryPolicy())
  }

  /// Returns how the clients fare with a server that does ten requests of 50 ms at once.
  ///
  /// - Parameters:
  ///   - workers: number of workers of each client. Output is in order: as many replies are kept, and more while a request
  ///     waits.
  ///   - broken: each so many requests one is always refused, and has no fourth attempt.
  ///   - apart: time between the starts of two clients.
  private func run(
    clients count: Int, of workers: Int = 8, requests: Int, retryAfter: Duration?, broken: Int? = nil,
    apart: Duration = .milliseconds(3), seed: UInt64 = 1
  ) -> (time: Duration, refusals: Int, failures: Int) {
    var limits = [InFlightLimit](repeating: InFlightLimit(), count: count)
    var rest = [Int](repeating: requests / count, count: count)
    // They don't begin together: the first one has most of the server at first.
    var pending = (0..<count * workers).map {
      Pending(client: $0 % count, time: apart * ($0 % count) + .microseconds($0 * 10))
    }
    var (busy, end, refusals, failures) = ([Duration](), Duration.zero, 0, 0)
    var dice = Dice(state: seed)
    var waiting = [[Int]](repeating: [], count: count)
    let fields = HTTPFields(
      retryAfter.map { [.init(name: "Retry-After", value: Redactable("\($0.components.seconds)"))] } ?? [])
    let cause = AttemptErrorCause.status(ReplyHead(status: 503, fields: fields, url: Redactable("http://h/")), body: "")
    /// Lets idle workers go on: output is in order, and so many replies are kept behind the first that is missing.
    func goOn(_ client: Int, _ now: Duration) {
      let own = pending.indices.filter { pending[$0].client == client }
      let active = own.filter { ![.new, .idle].contains(pending[$0].step) }
      let waits = limits[client].most != nil && active.contains { pending[$0].isWaiting && pending[$0].time > now }
      let beginning = requests - rest[client] + own.count { pending[$0].step == .new }
      let first = active.map { pending[$0].number }.min() ?? .max / 2
      let room = first + workers + (waits ? 256 : 0) - beginning - 1
      for index in own.filter({ pending[$0].step == .idle }).prefix(max(0, room)) {
        (pending[index].step, pending[index].time) = (.new, now)
      }
    }
    /// Reports what `InFlightLimiter` decides: a further attempt waits for a place, and with a limit whoever comes after others.
    func mustWait(_ index: Int) -> Bool {
      let client = pending[index].client
      let takesPlace = pending[index].attempt > 1 && limits[client].inFlight > 0
      return takesPlace || limits[client].most != nil && !waiting[client].isEmpty
    }
    func finish(_ index: Int) {
      let (now, client) = (pending[index].time, pending[index].client)
      (pending[index].step, pending[index].time) = (.idle, .seconds(1_000_000))
      goOn(client, now)
    }
    func leave(_ index: Int, _ learn: () -> Void) {
      let (now, client) = (pending[index].time, pending[index].client)
      limits[client].leave()
      learn()
      while let next = waiting[client].first, limits[client].enter(now: now) {
        waiting[client].removeFirst()
        (pending[next].time, pending[next].step) = (now, .entered)
        if limits[client].most == nil { break }
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
        pending[index].number = requests - rest[client]
        (pending[index].step, pending[index].attempt) = (.sending, 1)
        pending[index].retries = RetryState(RetryPolicy())
        pending[index].isBroken = broken.map { rest[client] % $0 == 0 } ?? false
      case .accepted:
        leave(index) { limits[client].accept(attempt: pending[index].attempt) }
        end = max(end, now)
        finish(index)
      case .sending where limits[client].heldUntil > now:
        pending[index].time = limits[client].heldUntil
      case .sending where mustWait(index) || !limits[client].enter(now: now):
        waiting[client].append(index)
        (pending[index].time, pending[index].step) = (.seconds(1_000_000), .waiting)
      case .waiting, .idle: return (now, refusals, .max)
      case .entered where limits[client].heldUntil > now:
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
          leave(index) { limits[client].refuse(attempt: pending[index].attempt, pause: retryAfter, now: now) }
          pending[index].step = .sending
          let decision = pending[index].retries.decision(
            after: cause, limit: limits[client], successes: limits[client].successes, now: 0,
            jitter: { $0 * Double.random(in: 0...1, using: &dice) })
          pending[index].attempt += 1
          if case .again(let time) = decision {
            pending[index].time = now + time
            goOn(client, now)
          } else {
            failures += 1
            finish(index)
          }
        }
      }
    }
    return (end, refusals, .max)
  }

  // At the end fewer clients are left than would keep the server busy, which weighs more in a short run.
  @Test(
    "four clients together keep an overloaded server busy, and none fails",
    arguments: [(2_000, nil, 1.2), (8_000, nil, 1.12), (2_000, Duration.seconds(1), 1.22), (8_000, .seconds(1), 1.1)],
    [0, 30])
  func overload(_ way: (requests: Int, retryAfter: Duration?, most: Double), apart: Int) {
    let found = (1...7).map {
      run(
        clients: 4, requests: way.requests, retryAfter: way.retryAfter, apart: .milliseconds(apart), seed: $0)
    }
    #expect(found.allSatisfy { $0.failures == 0 })
    let median = found.map(\.time).sorted()[3]
    #expect(median <= .milliseconds(5) * way.requests * way.most)
    // One request in fifteen.
    #expect(found.map(\.refusals).sorted()[3] <= way.requests / 15)
  }

  @Test(
    "clients that get nothing for seconds, since others had all of an overloaded server first, hardly ever fail",
    arguments: [4, 8], [3, 30])
  func starved(clients: Int, apart: Int) {
    let found = (1...11).map {
      run(clients: clients, requests: 2_000, retryAfter: nil, apart: .milliseconds(apart), seed: $0)
    }
    // A request that is alone in flight and refused each time can't be told from that of a broken URL.
    #expect(found.count { $0.failures > 0 } <= 1)
  }

  @Test("an overloaded server refuses hardly more requests of sixteen clients than it accepts")
  func crowd() {
    let found = (1...11).map { run(clients: 16, requests: 2_000, retryAfter: nil, seed: $0) }
    #expect(found.map(\.refusals).sorted()[5] <= 2_200)
  }

  @Test(
    "one client that asks for more at once than the server does keeps it busy",
    arguments: [12, 16, 32], [nil, Duration.seconds(1)])
  func greed(workers: Int, retryAfter: Duration?) {
    let found = run(clients: 1, of: workers, requests: 4_000, retryAfter: retryAfter)
    #expect(found.failures == 0)
    // Ten at once at 51 ms a request: 20.4 s.
    #expect(found.time <= .seconds(20.4 * 1.15))
    #expect(found.refusals <= 40)
  }

  @Test("one URL in a hundred that is always refused does not make the others go one by one")
  func brokenURLs() {
    let found = run(clients: 1, requests: 8_000, retryAfter: nil, broken: 100)
    // Eight workers at 51 ms a request: 51 s, and 80 times four waits of the output, of 3.75 s in the mean: 300 s.
    #expect(found.time <= .seconds(360))
    #expect(found.failures >= 75 && found.failures <= 85)
  }
}
