import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Connections that end when they are used again", .limitedConcurrency, .timeLimit(.minutes(20)))
struct ReconnectingTests {
  /// Answers the first request of a connection and reads the second, to which it says this.
  private func server(then second: Answer = .empty) throws -> LoopbackServer {
    let seen = Watched<Set<Int>>([])
    return try LoopbackServer { request in
      seen.update { $0.insert(request.connection).inserted } ? .json("[]") : second
    }
  }

  private func post(_ url: String, retry: RetryPolicy = .once) -> Request {
    Request(
      method: "POST", url: Redactable(url), body: .init(bytes: [0x31], redacted: "1"), timeout: .seconds(3_600),
      retry: retry)
  }

  @Test("libcurl does not send a request for a second time on its own", arguments: [Answer.empty, .reset, .raw("HT")])
  func noRepeat(second: Answer) async throws {
    let server = try server(then: second)
    let curl = CurlTransport()
    #expect(await curl.fault(of: .get(server.url("/1"))) == nil)
    let fault = await curl.fault(of: .get(server.url("/2")))
    #expect(fault?.kind == .stale)
    let problem = "127.0.0.1:\(server.port) closed a connection that had been used before, without an answer"
    #expect(fault?.problem == problem)
    #expect(await curl.fault(of: .get(server.url("/3"))) == nil)
    #expect(server.requests.map(\.target) == ["/1", "/2", "/3"])
  }

  @Test("the connections of requests that ended are kept while the last one is served")
  func kept() async throws {
    let (soon, late, again) = (Gate(), Gate(), Gate())
    let gates = ["/soon": soon, "/late": late, "/again": again]
    let server = try LoopbackServer { request in
      gates[request.path].map { Answer.json("[]").held(by: $0) } ?? .notHTTP
    }
    let curl = CurlTransport()
    await withTaskGroup(of: TransportError?.self) { group in
      for path in [String](repeating: "/soon", count: 7) + ["/late"] {
        group.addTask { await curl.fault(of: .get(server.url(path))) }
      }
      await soon.reached(7)
      await late.reached(1)
      soon.open()
      for _ in 0..<7 { #expect(await group.next() == .some(nil)) }
      late.open()
      #expect(await group.next() == .some(nil))
      for _ in 0..<8 { group.addTask { await curl.fault(of: .get(server.url("/again"))) } }
      await again.reached(8)
      again.open()
      for await fault in group { #expect(fault == nil) }
    }
    #expect(server.connections == 8)
  }

  @Test("a request that may be repeated is sent once more, on a fresh connection")
  func repeated() async throws {
    let server = try server()
    let transport = ReconnectingTransport(CurlTransport())
    for page in 1...3 { _ = try await transport.fetch(.get(server.url("/\(page)"))) }
    #expect(server.requests.map(\.target) == ["/1", "/2", "/2", "/3", "/3"])
    #expect(server.requests.map(\.connection).last == server.requests.map(\.connection).max())
  }

  @Test("requests at once that meet connections which end are each sent once more")
  func crowd() async throws {
    let gate = Gate()
    let seen = Watched<Set<Int>>([])
    let server = try LoopbackServer { request in
      guard seen.update({ $0.insert(request.connection).inserted }) else { return .empty }
      return request.path == "/first" ? .json("[]").held(by: gate) : .json("[]")
    }
    let transport = ReconnectingTransport(CurlTransport())
    await withTaskGroup(of: TransportError?.self) { group in
      for _ in 0..<3 { group.addTask { await transport.fault(of: .get(server.url("/first"))) } }
      await gate.reached(3)
      gate.open()
      for await fault in group { #expect(fault == nil) }
      for page in 0..<3 { group.addTask { await transport.fault(of: .get(server.url("/\(page)"))) } }
      for await fault in group { #expect(fault == nil) }
    }
    // Six where all three lay idle for so long that libcurl leaves them alone, as on a machine that is busy.
    #expect((6...9).contains(server.requests.count))
  }

  @Test("a request that must not be repeated never meets a connection that was used before, and leaves none")
  func unrepeatable() async throws {
    let server = try server()
    let transport = ReconnectingTransport(CurlTransport())
    #expect(await transport.fault(of: .get(server.url("/"))) == nil)
    for order in 1...3 { #expect(await transport.fault(of: post(server.url("/\(order)"))) == nil) }
    #expect(server.requests.map(\.target) == ["/", "/1", "/2", "/3"])
    await server.closedConnections(atLeast: 3)
    #expect(await transport.fault(of: .get(server.url("/again"))) == nil)
    #expect(server.requests.map(\.connection).prefix(5) == [0, 1, 2, 3, 0])
  }

  @Test("a POST that its author lets repeat shares connections, and is sent once more with its body")
  func repeatablePOST() async throws {
    let server = try server()
    let transport = ReconnectingTransport(CurlTransport())
    for _ in 1...2 { _ = try await transport.fetch(post(server.url("/"), retry: RetryPolicy())) }
    #expect(server.requests.map(\.text) == ["1", "1", "1"])
    #expect(server.requests.map(\.connection).prefix(2) == [0, 0])
  }

  @Test("a server that closes every connection without an answer is asked as often as attempts are made")
  func badServer() async throws {
    let server = try LoopbackServer { _ in .empty }
    let transport = ReconnectingTransport(CurlTransport())
    for _ in 1...2 { #expect(await transport.fault(of: .get(server.url("/")))?.kind == .cut) }
    #expect(server.requests.count == 2)
  }

  @Test("a server that turns bad ends the second request as it would have ended the first")
  func turnsBad() async throws {
    let server = try LoopbackServer { $0.path == "/1" ? .json("[]") : .empty }
    let transport = ReconnectingTransport(CurlTransport())
    #expect(await transport.fault(of: .get(server.url("/1"))) == nil)
    #expect(await transport.fault(of: .get(server.url("/2")))?.kind == .cut)
    #expect(server.requests.map(\.target) == ["/1", "/2", "/2"])
  }
}
