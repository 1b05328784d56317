import Testing
import Wire

@testable import Fetching

@Suite("A limited server, and clients that learn its limit, on a clock without time")
struct LimitedServerTests {
  /// A server that accepts so many requests a second, with a burst, as nginx's `limit_req` does.
  private struct Bucket {
    var perSecond: Double
    let burst: Double
    private var tokens: Double
    private var last: Duration = .zero

    init(perSecond: Double, burst: Double) {
      (self.perSecond, self.burst, tokens) = (perSecond, burst, burst)
    }

    mutating func accepts(at now: Duration) -> Bool {
      tokens = min(burst, tokens + (now - last).inSeconds * perSecond)
      last = now
      guard tokens >= 1 else { return false }
      tokens -= 1
      return true
    }
  }

  /// Clients that share a file have what its record says, read and written with each change.
  private struct Client {
    private static let key = PaceRecord.Key(origin: "http://h", boot: [1])

    private var limit = OriginLimit()
    var rest: Int

    /// - Parameter own: the spec's `rate` per second.
    init(rest: Int, own: Double?) {
      self.rest = rest
      if let own { limit.limit(to: Rate(interval: .seconds(1 / own))) }
    }

    func heldUntil(_ record: [UInt8]?, now: Duration) -> Duration { known(record, now).heldUntil }

    mutating func change<Result>(_ record: inout [UInt8]?, now: Duration, _ change: (inout OriginLimit) -> Result)
      -> Result
    {
      limit = known(record, now)
      defer { if record != nil { record = PaceRecord.bytes(of: limit, key: Self.key) } }
      return change(&limit)
    }

    private func known(_ record: [UInt8]?, _ now: Duration) -> OriginLimit {
      record.flatMap { PaceRecord($0, key: Self.key, interval: .zero, now: now) }?.limit ?? limit
    }
  }

  /// A request of a client: when it acts next, and whether it has a slot by then.
  private struct Pending {
    let client: Int
    var time: Duration
    var hasSlot = false
  }

  /// Returns the time that all requests take, eight at once in each client, and the number of refusals.
  private func run(
    clients count: Int, requests: Int, retryAfter: Duration?, areSharing: Bool = false, perSecond: Double = 100,
    change: (at: Duration, perSecond: Double)? = nil, own: Double? = nil
  ) -> (time: Duration, refusals: Int) {
    var server = Bucket(perSecond: perSecond, burst: max(1, perSecond / 5))
    var clients = (0..<count).map { _ in Client(rest: requests / count, own: own) }
    var pending = (0..<count * 8).map { Pending(client: $0 % count, time: .microseconds($0 * 100)) }
    var (end, refusals) = (Duration.zero, 0)
    var record: [UInt8]? = areSharing ? [] : nil
    while let index = pending.indices.min(by: { pending[$0].time < pending[$1].time }) {
      let (now, client) = (pending[index].time, pending[index].client)
      if case let end = clients[client].heldUntil(record, now: now), end > now {
        pending[index].time = end
        pending[index].hasSlot = false
      } else if !pending[index].hasSlot {
        switch clients[client].change(&record, now: now, { $0.takeSlot(isShared: areSharing, now: now) }) {
        case .reserved(let time): (pending[index].time, pending[index].hasSlot) = (now + time, true)
        case .later(let time): pending[index].time = now + time
        }
      } else {
        if let change, now >= change.at { server.perSecond = change.perSecond }
        let isAccepted = server.accepts(at: now)
        pending[index].time = now + .milliseconds(2)
        pending[index].hasSlot = false
        if isAccepted {
          end = now
          clients[client].change(&record, now: now) { $0.succeed(now: now) }
          clients[client].rest -= 1
        } else {
          refusals += 1
          clients[client].change(&record, now: now) { limit in
            limit.refuse(hasPause: retryAfter != nil, now: now)
            if let retryAfter { limit.hold(until: now + retryAfter) }
          }
        }
        if clients[client].rest <= 0 { pending.removeAll { $0.client == client } }
      }
    }
    return (end, refusals)
  }

  @Test(
    "2,000 requests take little longer than the limit allows, and few are refused",
    arguments: [
      (clients: 1, retryAfter: Duration?.none, most: 21, refusals: 250),
      (1, .seconds(1), 25, 150),
      (4, nil, 22, 800),
      (4, .seconds(1), 28, 500),
    ])
  func limited(clients: Int, retryAfter: Duration?, most: Int, refusals: Int) {
    let found = run(clients: clients, requests: 2_000, retryAfter: retryAfter)
    #expect(found.time >= .milliseconds(19_700))
    #expect(found.time <= .seconds(most))
    #expect(found.refusals <= refusals)
  }

  @Test(
    "four that share a file take no longer than one, and are refused no more often",
    arguments: [nil, Duration.seconds(1)])
  func sharing(retryAfter: Duration?) {
    let one = run(clients: 1, requests: 2_000, retryAfter: retryAfter)
    let four = run(clients: 4, requests: 2_000, retryAfter: retryAfter, areSharing: true)
    let alone = run(clients: 4, requests: 2_000, retryAfter: retryAfter)
    #expect(four.time >= .milliseconds(19_700) && four.time <= .seconds(retryAfter == nil ? 21 : 25))
    #expect(four.time <= one.time * 1.1)
    #expect(four.refusals < alone.refusals / 2)
  }

  @Test("a limit that changes meanwhile is followed, up and down")
  func changes() {
    // 10 s at 100/s and 980 requests at the new limit: 14.9 s and 29.6 s at the least.
    #expect(
      run(clients: 1, requests: 2_000, retryAfter: nil, change: (.seconds(10), 200)).time <= .seconds(17))
    #expect(
      run(clients: 1, requests: 2_000, retryAfter: nil, change: (.seconds(10), 50)).time <= .seconds(31))
  }

  @Test("slow limits and fast ones are learned too", arguments: [5.0, 600])
  func scales(perSecond: Double) {
    let found = run(clients: 1, requests: Int(20 * perSecond), retryAfter: .seconds(1), perSecond: perSecond)
    #expect(found.time <= .seconds(36))
  }

  @Test(
    "four that share a slow limit without a file are not starved",
    arguments: [(Duration?.none, 300), (.seconds(1), 240)])
  func slowLimit(retryAfter: Duration?, most: Int) {
    // 100 s at the least. Without bursts, requests of four clients often meet.
    let found = run(clients: 4, requests: 500, retryAfter: retryAfter, perSecond: 5)
    #expect(found.time <= Duration.seconds(most))
  }

  @Test("those that get nothing while another uses the whole limit at its own rate soon come back after it")
  func wholeLimit() {
    // 80 s at the least.
    let found = [2, 4, 8].map { run(clients: $0, requests: 8_000, retryAfter: .seconds(1), own: 100).time }
    #expect(found.max() ?? .zero <= Duration.seconds(110))
  }
}
