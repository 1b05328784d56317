import Testing
import Wire

@testable import Fetching

@Suite("Requests wait for their turn")
struct PaceTests {
  @Test(
    "who has waited for its turn waits again, and for another one, where the origin has asked for a pause meanwhile")
  func pauseWhileWaiting() async throws {
    let (rateLimiter, clock) = (RateLimiter(), VirtualClock(start: 0))
    let origin = try #require(Origin(of: "http://h/"))
    rateLimiter.limit(origin, to: Rate(interval: .seconds(10)))
    let told = TellingClock(clock: clock) { waits in
      // Another request's reply, at the moment when the second one's turn comes.
      if waits == 1 { rateLimiter.hold(origin, until: clock.now + .seconds(25)) }
    }
    let transport = RateLimitingTransport(Answering(), rateLimiter: rateLimiter, clock: told)
    for _ in 0..<2 { _ = try await transport.send(.get("http://h/")) }
    // The turn that it had, the pause, and nothing more: no other turn was given meanwhile.
    #expect(clock.waits == [.seconds(10), .seconds(25)])
    let slot = rateLimiter.takeSlot(for: Redactable("http://h/"), rate: nil, now: clock.now)
    #expect(slot == .reserved(after: .seconds(10)))
  }

  @Test("a pause that is too long for who waits for its turn ends that one too")
  func longPause() async throws {
    let (rateLimiter, clock) = (RateLimiter(), VirtualClock(start: 0))
    let origin = try #require(Origin(of: "http://h/"))
    rateLimiter.limit(origin, to: Rate(interval: .seconds(10)))
    let told = TellingClock(clock: clock) { _ in rateLimiter.hold(origin, until: clock.now + .seconds(86_400)) }
    let transport = RateLimitingTransport(Answering(), rateLimiter: rateLimiter, clock: told)
    _ = try await transport.send(.get("http://h/"))
    let fault = await #expect(throws: TransportError.self) { _ = try await transport.send(.get("http://h/")) }
    #expect(fault?.kind == .held)
    #expect(clock.waits == [.seconds(10)])
  }
}

/// Says when somebody has waited, and how often that was.
private struct TellingClock: FetchClock {
  let clock: VirtualClock
  let tell: @Sendable (_ waits: Int) -> Void

  var now: Duration { clock.now }
  var unixTime: Double { clock.unixTime }

  func sleep(for duration: Duration) async throws(CancellationError) {
    try await clock.sleep(for: duration)
    tell(clock.waits.count)
  }
}

/// An empty 200 to everything.
private struct Answering: HTTPTransport {
  func send(_ request: Request) async throws(TransportError) -> Reply {
    Reply(head: ReplyHead(status: 200, fields: HTTPFields(), url: request.url), body: NoBody())
  }
}

private final class NoBody: ReplyBody {
  func next() async throws(TransportError) -> [UInt8]? { nil }
  func cancel() {}
}
