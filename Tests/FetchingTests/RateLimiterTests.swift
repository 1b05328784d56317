import Primitives
import Synchronization
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
      if waits == 1 { rateLimiter.hold(origin, for: .seconds(25), now: clock.now) }
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
    let told = TellingClock(clock: clock) { _ in rateLimiter.hold(origin, for: .seconds(86_400), now: clock.now) }
    let transport = RateLimitingTransport(Answering(), rateLimiter: rateLimiter, clock: told)
    _ = try await transport.send(.get("http://h/"))
    let fault = await #expect(throws: TransportError.self) { _ = try await transport.send(.get("http://h/")) }
    #expect(fault?.kind == .held)
    #expect(clock.waits == [.seconds(10)])
  }

  @Test("a refusal that names no time delays a request that may not be repeated, and does not fail it")
  func shortPause() async throws {
    let (rateLimiter, clock) = (RateLimiter(), VirtualClock(start: 0))
    let origin = try #require(Origin(of: "http://h/"))
    rateLimiter.refuse(origin, hasPause: false, now: clock.now)
    var request = Request.get("http://h/")
    request.retry = .once
    let reply = try await RateLimitingTransport(Refusing(), rateLimiter: rateLimiter, clock: clock).send(request)
    #expect(reply.head.status == 200)
    #expect(clock.waits == [.milliseconds(200)])
  }

  @Test(
    "a refusal that says when its window ends is a pause; one that does not teaches a rate, too",
    arguments: [
      (["Retry-After": "1"], 1, true), ([:], 0.2, true),
      (["RateLimit-Remaining": "0", "RateLimit-Reset": "1"], 1, false),
      (["RateLimit-Remaining": "0"], 0.2, true), (["RateLimit-Remaining": "5", "Retry-After": "1"], 1, true),
    ] as [([String: String], Double, Bool)])
  func windows(fields: [String: String], pause: Double, teaches: Bool) async throws {
    let (rateLimiter, clock, url) = (RateLimiter(), VirtualClock(start: 0), Redactable("http://h/refused"))
    let server = Refusing(fields)
    var request = Request(method: "GET", url: url)
    request.retry = RetryPolicy()
    _ = try await RateLimitingTransport(server, rateLimiter: rateLimiter, clock: clock).send(request)
    #expect(rateLimiter.hold(on: url, now: clock.now) == .seconds(pause))
    try await clock.sleep(for: .seconds(pause))
    let slots = (0..<2).map { _ in rateLimiter.takeSlot(for: url, rate: nil, now: clock.now) }
    #expect(slots[0] == .reserved(after: .zero))
    #expect((slots[1] != .reserved(after: .zero)) == teaches)
  }

  @Test(
    "a 503 with a time means fewer requests at once, and a pause if no other is in flight; no 503 teaches a rate",
    arguments: [(true, false), (true, true), (false, false), (false, true)])
  func busyAtOnce(hasTime: Bool, isSingle: Bool) async throws {
    let (rateLimiter, clock, url) = (RateLimiter(), VirtualClock(start: 0), Redactable("http://h/refused"))
    let server = Refusing(hasTime ? ["Retry-After": "1"] : [:], status: 503)
    let transport = RateLimitingTransport(server, rateLimiter: rateLimiter, clock: clock)
    var request = Request(method: "GET", url: url)
    request.retry = RetryPolicy()
    if isSingle { _ = try await transport.send(request) }
    if !isSingle { #expect(rateLimiter.inFlight.enterNow(url, now: .zero)) }
    _ = try await transport.send(request)
    #expect(rateLimiter.hold(on: url, now: clock.now) == (hasTime && isSingle ? .seconds(1) : .zero))
    try await clock.sleep(for: .milliseconds(499))
    let slots = (0..<2).map { _ in rateLimiter.takeSlot(for: url, rate: nil, now: clock.now) }
    #expect(slots[1] == .reserved(after: .zero))
    #expect(rateLimiter.inFlight.enterNow(url, now: clock.now) == (isSingle || !hasTime), "one may be in flight")
  }

  @Test(
    "a server that always refuses, and asks for no pause, is not asked for longer than 'total'", arguments: [429])
  func total(status: Int) async throws {
    let (rateLimiter, clock) = (RateLimiter(), VirtualClock(start: 0))
    let server = Refusing(["Retry-After": "0"], status: status, count: 1_000)
    let transport = RateLimitingTransport(server, rateLimiter: rateLimiter, clock: clock)
    let retrier = Retrier(rateLimiter: rateLimiter, clock: clock, jitter: { $0 })
    var request = Request(method: "GET", url: Redactable("http://h/refused"))
    request.retry = RetryPolicy()
    (request.retry.total, request.retry.wait) = (.seconds(30), .milliseconds(10))
    let start = clock.now
    await #expect(throws: RetryError<TransportError>.self) {
      _ = try await retrier.fetch(request) { (request) throws(AttemptError<TransportError>) in
        do {
          let head = try await transport.send(request).head
          throw AttemptError(TransportError(.cancelled, url: request.url, problem: "refused"), .status(head, body: ""))
        } catch let error as AttemptError<TransportError> {
          throw error
        } catch {
          throw AttemptError(error as! TransportError, .lasting)
        }
      }
    }
    // The last wait may pass it.
    #expect(clock.now - start <= .seconds(60))
  }

  /// Rates of one request in ten seconds, and one request in flight that leaves no room for another one.
  private func crowded() throws -> (RateLimiter, VirtualClock, Redactable) {
    let (rateLimiter, clock, url) = (
      RateLimiter(), VirtualClock(start: 0), Redactable("http://h/")
    )
    rateLimiter.limit(try #require(Origin(of: "http://h/")), to: Rate(interval: .seconds(10)))
    for _ in 0..<2 { #expect(rateLimiter.inFlight.enterNow(url, now: .zero)) }
    rateLimiter.inFlight.refuse(url, attempt: 1, pause: .seconds(1), now: .zero)
    return (rateLimiter, clock, url)
  }

  @Test("a request that waited for its turn in flight takes another slot, and waits for a pause")
  func slotAfterQueue() async throws {
    let (rateLimiter, clock, url) = try crowded()
    let transport = RateLimitingTransport(
      Answering(), rateLimiter: rateLimiter, clock: PausedClock(clock: clock, paused: InFlightLimiter.stuckTime))
    let task = Task { try await transport.send(.get("http://h/")) }
    while rateLimiter.inFlight.waitingCount(url) < 1 { await Task.yield() }
    rateLimiter.hold(try #require(Origin(of: "http://h/")), for: .seconds(3), now: clock.now)
    rateLimiter.inFlight.leave(url, now: clock.now)
    _ = try await task.value
    #expect(clock.waits == [.seconds(3), .seconds(7)])
    #expect(rateLimiter.inFlight.enterNow(url, now: clock.now), "it is in flight no more")
  }

  @Test("a request that waits in the queue is let in after a second, also if none ends")
  func stuckQueue() async throws {
    let (rateLimiter, clock, url) = try crowded()
    let transport = RateLimitingTransport(Answering(), rateLimiter: rateLimiter, clock: clock)
    _ = try await transport.send(.get("http://h/"))
    #expect(clock.waits.first == .seconds(1) && rateLimiter.inFlight.waitingCount(url) == 0)
  }

  @Test("a request that is cancelled in the queue is not sent, and takes no room")
  func cancelledInQueue() async throws {
    let (rateLimiter, clock, url) = try crowded()
    let transport = RateLimitingTransport(
      Answering(), rateLimiter: rateLimiter, clock: PausedClock(clock: clock, paused: InFlightLimiter.stuckTime))
    let task = Task { try await transport.send(.get("http://h/")) }
    while rateLimiter.inFlight.waitingCount(url) < 1 { await Task.yield() }
    task.cancel()
    let fault = await #expect(throws: TransportError.self) { _ = try await task.value }
    #expect(fault?.kind == .cancelled)
    rateLimiter.inFlight.leave(url, now: clock.now)
    #expect(rateLimiter.inFlight.enterNow(url, now: clock.now))
  }

  @Test(
    "what says nothing of the load, says nothing of it: a redirect, another error, and a 503 that is not tried again")
  func unsaid() async throws {
    for (status, attempts, hasTime, counts) in [
      (302, 5, false, false), (500, 5, false, false), (503, 1, false, false), (503, 1, true, false),
      (503, 5, true, true),
      (404, 5, false, true),
    ] {
      let (rateLimiter, clock, url) = (RateLimiter(), VirtualClock(start: 0), Redactable("http://h/refused"))
      for _ in 0..<4 { #expect(rateLimiter.inFlight.enterNow(url, now: .zero)) }
      // Two second attempts that failed: 503s don't count until one succeeds.
      for _ in 0..<2 { rateLimiter.inFlight.refuse(url, attempt: 2, pause: nil, now: .zero) }
      if status == 503 { rateLimiter.inFlight.leave(url, attempt: 2, now: .zero) }
      var request = Request(method: "GET", url: url)
      request.retry = RetryPolicy()
      request.retry.attempts = attempts
      request.purpose.attempt = status == 503 ? 1 : 2
      let server = Refusing(hasTime ? ["Retry-After": "1"] : [:], status: status, count: 1)
      _ = try await RateLimitingTransport(server, rateLimiter: rateLimiter, clock: clock).send(request)
      if status != 503 { rateLimiter.inFlight.refuse(url, attempt: 1, pause: .seconds(1), now: .zero) }
      #expect(rateLimiter.inFlight.enterNow(url, now: .zero) == !counts, "\(status), \(attempts)")
    }
  }

  @Test("a request that ends without a reply makes room for another one")
  func failures() async throws {
    let (rateLimiter, clock, url) = (RateLimiter(), VirtualClock(start: 0), Redactable("http://h/"))
    for _ in 0..<2 { #expect(rateLimiter.inFlight.enterNow(url, now: .zero)) }
    rateLimiter.inFlight.refuse(url, attempt: 1, pause: .seconds(1), now: .zero)
    rateLimiter.inFlight.leave(url, now: .zero)
    let transport = RateLimitingTransport(Failing(), rateLimiter: rateLimiter, clock: clock)
    for _ in 0..<3 {
      await #expect(throws: TransportError.self) { _ = try await transport.send(Request(method: "GET", url: url)) }
    }
    #expect(rateLimiter.inFlight.enterNow(url, now: clock.now))
  }

  @Test("a request that is refused while others succeed is sent more often than its policy's attempts")
  func busyServer() async throws {
    let (rateLimiter, clock, server) = (RateLimiter(), VirtualClock(start: 0), Refusing())
    let transport = RateLimitingTransport(server, rateLimiter: rateLimiter, clock: clock)
    let retrier = Retrier(rateLimiter: rateLimiter, clock: clock, jitter: { $0 })
    var refused = Request.get("http://h/refused")
    refused.retry = RetryPolicy()
    func fetch(whileOthersSucceed: Bool) async -> Int? {
      try? await retrier.fetch(refused) { request throws(AttemptError<TransportError>) in
        do {
          if whileOthersSucceed { _ = try await transport.send(.get("http://h/other")) }
          let head = try await transport.send(request).head
          if head.status == 200 { return request.purpose.attempt }
          throw AttemptError(
            TransportError(.cancelled, url: request.url, problem: "refused"), .status(head, body: ""))
        } catch let error as AttemptError<TransportError> {
          throw error
        } catch {
          throw AttemptError(error as! TransportError, .lasting)
        }
      }
    }
    #expect(await fetch(whileOthersSucceed: true) == 10)
    // Others succeeded once: the waits grow after 25 refusals, and only their sum is bounded.
    server.refusals.withLock { $0 = 40 }
    #expect(await fetch(whileOthersSucceed: false) == 41)
    server.refusals.withLock { $0 = 1_000 }
    #expect(await fetch(whileOthersSucceed: false) == nil)
    #expect(server.refusals.withLock { $0 } > 900)
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

/// A clock on which sleeps of one length last until they are cancelled.
private struct PausedClock: FetchClock {
  let clock: VirtualClock
  let paused: Duration

  var now: Duration { clock.now }
  var unixTime: Double { clock.unixTime }

  func sleep(for duration: Duration) async throws(CancellationError) {
    guard duration == paused else { return try await clock.sleep(for: duration) }
    while !Task.isCancelled { await Task.yield() }
    throw CancellationError()
  }
}

/// An empty 200 to everything.
private struct Answering: HTTPTransport {
  func send(_ request: Request) async throws(TransportError) -> Reply {
    Reply(head: ReplyHead(status: 200, fields: HTTPFields(), url: request.url), body: NoBody())
  }
}

/// No reply to anything.
private struct Failing: HTTPTransport {
  func send(_ request: Request) async throws(TransportError) -> Reply {
    throw TransportError(.cancelled, url: request.url, problem: "nobody answers")
  }
}

private final class NoBody: ReplyBody {
  func next() async throws(TransportError) -> [UInt8]? { nil }
  func cancel() {}
}

/// A refusal of so many requests for `/refused`, a 429 unless told otherwise, and an empty 200 to everything else.
private final class Refusing: HTTPTransport {
  let refusals: Locked<Int>
  let fields: [String: String]

  private let status: Int

  init(_ fields: [String: String] = [:], status: Int = 429, count: Int = 9) {
    (self.fields, self.status) = (fields, status)
    refusals = Locked(count)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let isRefused =
      request.url.text.hasSuffix("/refused")
      && refusals.withLock { rest in
        defer { rest = max(0, rest - 1) }
        return rest > 0
      }
    var fields = HTTPFields()
    if isRefused { for (name, value) in self.fields { fields.append(name, value) } }
    let head = ReplyHead(status: isRefused ? status : 200, fields: fields, url: request.url)
    return Reply(head: head, body: NoBody())
  }
}
