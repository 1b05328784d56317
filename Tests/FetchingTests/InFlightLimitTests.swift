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
    refuse(&limit, attempt: 2, pause: .seconds(1), now: .seconds(5))
    #expect(limit.heldUntil == .seconds(6))
  }

  @Test("503s without a time count when there are many: the fourth in a row, and none that is one of twenty")
  func many() {
    var limit = limit(8)
    let first = (0..<5).map { _ in
      refuse(&limit)
      return limit.most
    }
    #expect(first == [nil, nil, nil, 4, 3])
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

  @Test(
    "the limit is raised when it is met, a while after it was lowered or what the pause has beyond a second, and then soon",
    arguments: [
      (Duration?.none, 1, 1_000), (nil, 4, 1_000), (nil, 5, 1_250), (nil, 8, 2_000), (nil, 9, 2_000),
      (.milliseconds(250), 2, 500), (.seconds(1), 2, 500), (.seconds(1), 3, 750), (.seconds(1), 9, 2_000),
      (.seconds(2), 2, 1_000), (.seconds(60), 2, 8_000),
    ])
  func raises(pause: Duration?, rest: Int, milliseconds: Int) {
    var limit = limit(rest + 4)
    for _ in 0..<4 { refuse(&limit, pause: pause) }
    #expect(limit.most == rest)
    var (now, interval) = (Duration.zero, Duration.milliseconds(milliseconds))
    for most in rest + 1..<12 {
      let isEarly = limit.enter(now: now + interval - .milliseconds(1))
      now += interval
      let isInTime = limit.enter(now: now)
      #expect(!isEarly && isInTime && limit.most == most)
      interval = .milliseconds(200)
    }
  }

  @Test("raises that were not refused are followed by one of two, and of four; a refusal takes back the last one")
  func raisesMore() {
    var limit = limit(6)
    for _ in 0..<4 { refuse(&limit, pause: .seconds(1)) }
    /// Returns the limit after a raise, and after as many replies as it allows, less these.
    func raised(at milliseconds: Int, missing: Int = 0) -> Int? {
      while limit.inFlight < limit.most ?? 0 { _ = limit.enter(now: .milliseconds(milliseconds)) }
      guard limit.enter(now: .milliseconds(milliseconds)) else { return nil }
      for _ in 0..<(limit.most ?? 0) - missing { limit.accept(attempt: 1) }
      return limit.most
    }
    #expect([500, 700, 900, 1_100].map { raised(at: $0) } == [3, 5, 9, 13])
    // A reply is missing, which may be a refusal yet.
    #expect(raised(at: 1_300, missing: 1) == 17)
    #expect([1_500, 1_700].map { raised(at: $0) } == [18, 20])
    #expect(raised(at: 1_900, missing: 24) == 24)
    refuse(&limit, pause: .seconds(1), now: .milliseconds(1_900))
    #expect(limit.most == 19, "one less than before the raise")
    #expect([3_900, 5_900, 6_100].map { raised(at: $0) } == [20, 21, 23])
  }

  @Test("a pause postpones the raise by as long as was waited last")
  func postpones() {
    var limit = limit(3)
    refuse(&limit, pause: .milliseconds(250))
    limit.postpone(until: .seconds(1))
    let isEarly = limit.enter(now: .milliseconds(1_499))
    let isInTime = limit.enter(now: .milliseconds(1_500))
    #expect(!isEarly && isInTime)
  }

  @Test("the first refusal after a raise takes it back, and leaves others a turn; it says nothing of its URL")
  func takesBack() {
    var limit = limit(4)
    refuse(&limit, pause: .seconds(1))
    for round in 1...5 {
      let now = Duration.seconds(10 * round)
      let isRaised = limit.enter(now: now)
      #expect(isRaised && limit.most == 4)
      refuse(&limit, attempt: 2, pause: .seconds(1), now: now)
      #expect(limit.most == 2)
      limit.leave()
      _ = limit.enter(now: now)
      for _ in 0..<3 { limit.accept(attempt: 1) }
      let isEarly = limit.enter(now: now + .milliseconds(100))
      limit.accept(attempt: 1)
      let isInTime = limit.enter(now: now + .milliseconds(100))
      #expect(!isEarly && isInTime && limit.most == 3, "twice as many replies as the limit are a turn")
      let isRaisedSoon = limit.enter(now: now + .milliseconds(599))
      #expect(!isRaisedSoon)
      limit.accept(attempt: 1)
    }
    refuse(&limit, pause: .seconds(1))
    #expect(limit.most == 1, "503s count still, and another client took the turn")
  }

  @Test(
    "after a refused raise and a turn the next raise follows after a while, and later where pauses are longer",
    arguments: [(nil, 1_000), (Duration.milliseconds(100), 500), (.seconds(1), 500), (.seconds(10), 45_000)])
  func raisesRarely(pause: Duration?, milliseconds: Int) {
    var limit = limit(6)
    for _ in 0..<4 { refuse(&limit, pause: pause) }
    _ = limit.enter(now: .seconds(8))
    refuse(&limit, pause: pause, now: .seconds(8))
    limit.leave()
    let turn = Duration.milliseconds(8_000 + milliseconds)
    let isBefore = limit.enter(now: turn - .milliseconds(1))
    let isLess = limit.enter(now: turn)
    #expect(!isBefore && isLess && limit.most == 2, "without a reply, a turn takes as long")
    let isEarly = limit.enter(now: turn + .milliseconds(milliseconds - 1))
    let isInTime = limit.enter(now: turn + .milliseconds(milliseconds))
    #expect(!isEarly && isInTime && limit.most == 3)
    let isNext = limit.enter(now: turn + .milliseconds(milliseconds + 200))
    #expect(isNext && limit.most == 4, "once there is room, the others follow soon")
  }

  @Test("after a refused raise from one to two the next follows after the whole time: one request leaves no turn")
  func raisesOne() {
    var limit = limit(2)
    refuse(&limit, pause: .seconds(1))
    let isRaised = limit.enter(now: .milliseconds(500))
    #expect(isRaised && limit.most == 2)
    refuse(&limit, pause: .seconds(1), now: .milliseconds(500))
    for _ in 0..<8 { limit.accept(attempt: 1) }
    let isEarly = limit.enter(now: .milliseconds(999))
    let isInTime = limit.enter(now: .milliseconds(1_000))
    #expect(!isEarly && isInTime && limit.most == 2)
  }

  @Test("replies don't end a turn during which another request got a pause")
  func postponesTurn() {
    var limit = limit(4)
    refuse(&limit, pause: .seconds(1))
    _ = limit.enter(now: .seconds(10))
    refuse(&limit, pause: .seconds(1), now: .seconds(10))
    limit.leave()
    _ = limit.enter(now: .seconds(10))
    limit.postpone(until: .seconds(12))
    for _ in 0..<8 { limit.accept(attempt: 1) }
    let isEarly = limit.enter(now: .milliseconds(12_499))
    let isInTime = limit.enter(now: .milliseconds(12_500))
    #expect(!isEarly && isInTime && limit.most == 3)
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
    let isOver = limit.enter(now: .milliseconds(100))
    #expect(!isOver && limit.most == 2)
    limit.leave()
    _ = limit.enter(now: .seconds(30))
    #expect(limit.most == 2)
    limit.leave()
    _ = limit.enter(now: .milliseconds(30_001))
    #expect(limit.most == nil)
  }

  @Test("a limit that holds nothing back for 10 s is forgotten")
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
    _ = limit.enter(now: .milliseconds(10_001))
    #expect(limit.most == nil)
    refuse(&limit, attempt: 2, now: .milliseconds(10_001))
    #expect(limit.most == nil, "nor does a raise before that count")
  }

  @Test("503s count until the second attempts fail, too, and again when they succeed")
  func brokenURL() {
    var limit = limit(9)
    func most(afterRefusalOf attempt: Int) -> Int? {
      refuse(&limit, attempt: attempt, pause: .seconds(1))
      return limit.most
    }
    #expect([1, 2, 1, 2, 1].map { most(afterRefusalOf: $0) } == [8, 8, 6, 6, 6])
    limit.accept(attempt: 1)
    limit.accept(attempt: 3)
    #expect(most(afterRefusalOf: 1) == 6)
    limit.accept(attempt: 2)
    #expect(most(afterRefusalOf: 1) == 2)
    // However many succeeded: four in a row are a broken URL.
    for _ in 0..<100 { limit.accept(attempt: 2) }
    for _ in 0..<4 {
      limit.refuse(attempt: 2, pause: .seconds(1), now: .zero)
      limit.accept(attempt: 1)
    }
    limit.refuse(attempt: 1, pause: .seconds(1), now: .zero)
    #expect(limit.most == 2)
  }

  @Test("while several requests are refused and none succeeds, 503s count, even of later attempts; those of one don't")
  func othersRefused() {
    func most(after attempts: [Int], acceptedAfter: Int? = nil) -> Int? {
      var limit = limit(20)
      for _ in 0..<2 {
        limit.refuse(attempt: 2, pause: nil, now: .zero)
        limit.accept(attempt: 1)
      }
      for (index, attempt) in attempts.enumerated() {
        refuse(&limit, attempt: attempt)
        if index == acceptedAfter { limit.accept(attempt: 1) }
      }
      return limit.most
    }
    #expect(most(after: [1, 1, 1]) == nil)
    #expect(most(after: [1, 1, 1, 1]) == 16)
    #expect(most(after: [1, 1, 1, 1], acceptedAfter: 2) == nil)
    #expect(most(after: [3, 1, 4, 2, 5, 3]) == 14)
    #expect(most(after: Array(1...9)) == nil)
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
    /// Reports what `InFlightLimiter` decides: without a limit, a further attempt waits for a place; with one, whoever comes
    /// after others.
    func mustWait(_ index: Int) -> Bool {
      let client = pending[index].client
      let takesPlace = pending[index].attempt > 1 && limits[client].inFlight > 0
      return limits[client].most == nil ? takesPlace : !waiting[client].isEmpty
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
        limits[client].postpone(until: limits[client].heldUntil)
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
    "clients that get nothing for seconds, since others had all of an overloaded server first, don't fail",
    arguments: [4, 8], [3, 30])
  func starved(clients: Int, apart: Int) {
    let found = (1...11).map {
      run(clients: clients, requests: 2_000, retryAfter: nil, apart: .milliseconds(apart), seed: $0)
    }
    #expect(found.allSatisfy { $0.failures == 0 })
  }

  @Test("an overloaded server refuses no more requests of sixteen clients than it accepts")
  func crowd() {
    let found = (1...11).map { run(clients: 16, requests: 2_000, retryAfter: nil, seed: $0) }
    #expect(found.map(\.refusals).sorted()[5] <= 2_000)
  }

  @Test(
    "one client that asks for more at once than the server does keeps it busy",
    arguments: [12, 16, 32], [nil, Duration.seconds(1)])
  func greed(workers: Int, retryAfter: Duration?) {
    let found = run(clients: 1, of: workers, requests: 4_000, retryAfter: retryAfter)
    #expect(found.failures == 0)
    // Ten at once at 51 ms a request: 20.4 s.
    #expect(found.time <= .seconds(20.4 * 1.15))
    #expect(found.refusals <= 30)
  }

  @Test("one URL in a hundred that is always refused does not make the others go one by one")
  func brokenURLs() {
    let found = run(clients: 1, requests: 8_000, retryAfter: nil, broken: 100)
    // Eight workers at 51 ms a request: 51 s, and 80 times four waits of the output, of 3.75 s in the mean: 300 s.
    #expect(found.time <= .seconds(360))
    #expect(found.failures >= 75 && found.failures <= 85)
  }
}
