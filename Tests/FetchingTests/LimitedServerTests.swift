import Testing

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

  private struct Client {
    var limit = OriginLimit()
    var throughput = Throughput()
    var rest: Int
  }

  /// A request of a client: when it acts next, and whether it has a slot by then.
  private struct Pending {
    let client: Int
    var time: Duration
    var hasSlot = false
  }

  /// Returns the time that all requests take, eight at once in each client, and the number of refusals.
  private func run(
    clients count: Int, requests: Int, retryAfter: Duration?, perSecond: Double = 100,
    change: (at: Duration, perSecond: Double)? = nil
  ) -> (time: Duration, refusals: Int) {
    var server = Bucket(perSecond: perSecond, burst: perSecond / 5)
    var clients = (0..<count).map { _ in Client(rest: requests / count) }
    var pending = (0..<count * 8).map { Pending(client: $0 % count, time: .microseconds($0 * 100)) }
    var (end, refusals) = (Duration.zero, 0)
    while let index = pending.indices.min(by: { pending[$0].time < pending[$1].time }) {
      let (now, client) = (pending[index].time, pending[index].client)
      if clients[client].limit.heldUntil > now {
        pending[index].time = clients[client].limit.heldUntil
        pending[index].hasSlot = false
      } else if !pending[index].hasSlot {
        let throughput = clients[client].throughput.perSecond(at: now)
        switch clients[client].limit.takeSlot(throughput: throughput, now: now) {
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
          clients[client].throughput.record(at: now)
          clients[client].rest -= 1
        } else {
          refusals += 1
          let throughput = clients[client].throughput.perSecond(at: now)
          clients[client].limit.refuse(throughput: throughput, hasPause: retryAfter != nil, now: now)
          if let retryAfter { clients[client].limit.hold(until: now + retryAfter) }
        }
        if clients[client].rest <= 0 { pending.removeAll { $0.client == client } }
      }
    }
    return (end, refusals)
  }

  @Test(
    "2,000 requests take little longer than the limit allows, and few are refused",
    arguments: [
      (clients: 1, retryAfter: Duration?.none, most: 24, refusals: 150),
      (1, .seconds(1), 28, 150),
      (4, nil, 28, 500),
      (4, .seconds(1), 30, 500),
    ])
  func limited(clients: Int, retryAfter: Duration?, most: Int, refusals: Int) {
    let found = run(clients: clients, requests: 2_000, retryAfter: retryAfter)
    #expect(found.time >= .milliseconds(19_700))
    #expect(found.time <= .seconds(most))
    #expect(found.refusals <= refusals)
  }

  @Test("a limit that changes meanwhile is followed, up and down")
  func changes() {
    // 10 s at 100/s and 980 requests at the new limit: 14.9 s and 29.6 s at the least.
    #expect(
      run(clients: 1, requests: 2_000, retryAfter: nil, change: (.seconds(10), 200)).time <= .seconds(19))
    #expect(
      run(clients: 1, requests: 2_000, retryAfter: nil, change: (.seconds(10), 50)).time <= .seconds(37))
  }

  @Test("slow limits and fast ones are learned too", arguments: [5.0, 600])
  func scales(perSecond: Double) {
    let found = run(clients: 1, requests: Int(20 * perSecond), retryAfter: .seconds(1), perSecond: perSecond)
    #expect(found.time <= .seconds(32))
  }
}
