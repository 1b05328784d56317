import Synchronization
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Readers that are slow, and readers that go away", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CurlFlowTests {
  /// Waits until the transfer is paused; there is no event for it, so it looks again whenever others have run.
  private func paused(_ body: CurlBody) async -> Int {
    while !body.backlog.isPaused { await Task.yield() }
    return body.backlog.bytes
  }

  @Test("a body that nobody reads stops at about 1 MB, goes on when it is read, and is whole")
  func backPressure() async throws {
    let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let server = try LoopbackServer { _ in .repeating(piece, times: 800) }
    let reply = try await CurlTransport().send(.get(server.url("/")))
    let body = try #require(reply.body as? CurlBody)
    #expect(await paused(body) <= 1_200_000)
    var count = 0
    var largest = 0
    while let bytes = try await body.next() {
      count += bytes.count
      largest = max(largest, bytes.count)
      if count % 10_000_000 < bytes.count, count < 50_000_000 { #expect(await paused(body) <= 1_200_000) }
    }
    #expect(count == 800 * 65_536)
    #expect(largest <= 65_536)
  }

  @Test("a body arrives in order, also when it is paused and resumed")
  func order() async throws {
    // Lines that count up, so that a missing or swapped piece shows.
    let piece = (0..<80_000).map { "\($0 + 100_000)\n" }.joined()
    let server = try LoopbackServer(["/": .repeating([UInt8](piece.utf8), times: 8), "/gzip": .gzipped(piece)])
    let curl = CurlTransport()
    let reply = try await curl.send(.get(server.url("/")))
    _ = await paused(try #require(reply.body as? CurlBody))
    #expect(try await reply.body.text() == String(repeating: piece, count: 8))
    #expect(try await curl.fetch(.get(server.url("/gzip"))).text == piece)
  }

  @Test("a compressed body that nobody reads stops too, and is whole")
  func compressedBackPressure() async throws {
    let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let server = try LoopbackServer { _ in .coded(gzip(bytes)) }
    let reply = try await CurlTransport().send(.get(server.url("/")))
    let body = try #require(reply.body as? DecodedBody)
    let coded = try #require(body.body as? CurlBody)
    #expect(await paused(coded) < 1_500_000)
    #expect(try await body.all() == bytes)
  }

  @Test("a task that is cancelled while it waits for a reply closes the connection")
  func cancelledExchange() async throws {
    let server = try LoopbackServer { _ in .hang }
    let curl = CurlTransport()
    let task = Task { await curl.fault(of: .get(server.url("/"))) }
    await server.requests(atLeast: 1)
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    await server.closedConnections(atLeast: 1)
  }

  @Test("a task that is cancelled while it waits for more of a body closes the connection")
  func cancelledNext() async throws {
    let server = try LoopbackServer { _ in .stall(after: "[1,", of: 100) }
    let curl = CurlTransport()
    let first = Watched(false)
    let task = Task { () -> TransportError? in
      do throws(TransportError) {
        let reply = try await curl.send(.get(server.url("/")))
        while try await reply.body.next() != nil { first.update { $0 = true } }
        return nil
      } catch {
        return error
      }
    }
    await first.when { $0 }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    await server.closedConnections(atLeast: 1)
  }

  @Test("a task that is cancelled already asks nobody")
  func cancelledBefore() async throws {
    let server = try LoopbackServer { _ in .hang }
    let gate = Watched(false)
    let task = Task {
      await gate.when { $0 }
      return await CurlTransport().fault(of: .get(server.url("/")))
    }
    task.cancel()
    gate.update { $0 = true }
    #expect(await task.value?.kind == .unsent)
  }

  @Test("a request that is given up while its connection is made is known to be unsent")
  func cancelledConnecting() async throws {
    let server = try LoopbackServer(silent: ())
    let task = Task { await CurlTransport().fault(of: .get("https://127.0.0.1:\(server.port)/")) }
    await server.connections(atLeast: 1)
    task.cancel()
    #expect(await task.value?.kind == .unsent)
  }

  @Test("a body that is given up, or let go of, closes the connection")
  func givenUp() async throws {
    let server = try LoopbackServer { _ in .stall(after: "[1,", of: 100) }
    let curl = CurlTransport()
    let reply = try await curl.send(.get(server.url("/")))
    reply.body.cancel()
    await server.closedConnections(atLeast: 1)
    await #expect(throws: TransportError.self) { try await reply.body.next() }
    _ = try await curl.send(.get(server.url("/"))).head
    await server.closedConnections(atLeast: 2)
  }

  @Test("giving up a body that was read does nothing")
  func cancelAfterEnd() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    let curl = CurlTransport()
    for _ in 0..<3 {
      let reply = try await curl.send(.get(server.url("/")))
      #expect(try await reply.body.text() == "[]")
      reply.body.cancel()
      #expect(try await reply.body.next() == nil)
    }
    #expect(server.connections == 1)
  }

  @Test("a body can be read after its transport is gone, and then the connections are closed")
  func transportGone() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .drip(["[1,", "2]"], by: gate) }
    var reply: Reply? = try await CurlTransport().send(.get(server.url("/")))
    gate.open()
    #expect(try await reply?.body.text() == "[1,2]")
    reply = nil
    await server.closedConnections(atLeast: 1)
  }

  @Test("many requests at once, some of them cancelled, all come to an end")
  func crowd() async throws {
    let server = try LoopbackServer { request in
      request.path == "/hang" ? .hang : .json(String(repeating: "1", count: 20_000))
    }
    let curl = CurlTransport()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<60 {
        group.addTask {
          guard index % 3 == 0 else {
            #expect((try? await curl.fetch(.get(server.url("/\(index)"))).text.count) == 20_000)
            return
          }
          let task = Task { await curl.fault(of: .get(server.url("/hang"))) }
          if index % 2 == 0 { await Task.yield() } else { await server.requests(atLeast: 1) }
          task.cancel()
          #expect([.cancelled, .unsent].contains(await task.value?.kind))
        }
      }
    }
  }

  @Test("a server that says nothing, or stops saying anything, is a timeout", arguments: [0, 1, 5_000])
  func timeout(bytes: Int) async throws {
    let server = try LoopbackServer { _ in
      bytes == 0 ? .hang : .stall(after: String(repeating: " ", count: bytes), of: 9_999_999)
    }
    var request = Request.get(server.url("/"))
    // Its first bytes have to come within the time, on a busy machine too.
    request.timeout = bytes == 0 ? .milliseconds(150) : .seconds(3)
    let fault = await CurlTransport().fault(of: request)
    #expect(fault?.kind == .timeout)
    let peer = "127.0.0.1:\(server.port)"
    let problem =
      bytes == 0 ? "\(peer) did not answer in 0.2 s" : "\(peer) stopped sending (fewer than 1,024 bytes in 3 s)"
    #expect(fault?.problem == problem + "; give 'timeout' more if it is only slow")
    await server.closedConnections(atLeast: 1)
  }

  @Test("a transfer that waits for its reader does not time out")
  func pausedIsNoStall() async throws {
    let server = try LoopbackServer { _ in .repeating([UInt8](repeating: 1, count: 65_536), times: 100) }
    let curl = CurlTransport()
    var request = Request.get(server.url("/"))
    request.timeout = .seconds(4)
    let body = try #require(try await curl.send(request).body as? CurlBody)
    _ = await paused(body)
    // Another one that does time out, so that more than the time has passed.
    let stalling = try LoopbackServer { _ in .hang }
    request.url = Redactable(stalling.url("/"))
    request.timeout = .seconds(5)
    #expect(await curl.fault(of: request)?.kind == .timeout)
    #expect(try await body.all().count == 6_553_600)
  }
}

@Suite("Progress", .limitedConcurrency)
struct ProgressWatchTests {
  private let start = SuspendingClock.now

  @Test("1,024 bytes start the time anew, fewer don't")
  func progress() {
    var watch = ProgressWatch(stallTimeout: .seconds(10), now: start)
    #expect(!watch.hasStalled(now: start + .seconds(9)))
    #expect(watch.hasStalled(now: start + .seconds(10)))
    watch.update(1_023, isPaused: false, now: start + .seconds(4))
    #expect(watch.deadline == start + .seconds(10))
    watch.update(1_024, isPaused: false, now: start + .seconds(5))
    #expect(watch.deadline == start + .seconds(15))
    watch.update(2_047, isPaused: false, now: start + .seconds(6))
    #expect(watch.deadline == start + .seconds(15))
    watch.update(2_048, isPaused: false, now: start + .seconds(7))
    #expect(watch.deadline == start + .seconds(17))
  }

  @Test("a pause of ours does not count")
  func pause() {
    var watch = ProgressWatch(stallTimeout: .seconds(10), now: start)
    watch.update(0, isPaused: true, now: start + .seconds(9))
    #expect(!watch.hasStalled(now: start + .seconds(18)))
    #expect(watch.hasStalled(now: start + .seconds(19)))
  }

  @Test(
    "waits are rounded up to milliseconds",
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(7), 7), (.seconds(-1), 0), (.seconds(2), 2_000),
      (.seconds(Int64.max / 2), 1_000_000_000),
    ] as [(Duration, Int32)])
  func milliseconds(duration: Duration, expected: Int32) {
    #expect(duration.wholeMilliseconds == expected)
  }
}
