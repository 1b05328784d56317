import Testing
import Wire

@testable import Fetching

@Suite("Requests that wait for a connection that they may share")
struct ConnectionGateTests {
  /// Stands for a transfer.
  private final class Waiting {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private let start = SuspendingClock.Instant.now
  private let key = ConnectionKey(origin: Origin(scheme: "https", host: "a.test", port: 443), tlsFiles: nil)
  private let other = ConnectionKey(origin: Origin(scheme: "https", host: "b.test", port: 443), tlsFiles: nil)

  @Test(
    "only requests over TLS that may be repeated share a connection",
    arguments: [
      ("https://a.test/1", "GET", true), ("HTTPS://a.test/1", "GET", true), ("http://a.test/1", "GET", false),
      ("https://a.test/1", "POST", false), ("http://s.test/", "GET", false),
    ])
  func keys(url: String, method: String, mayShare: Bool) {
    let request = Request(method: method, url: Redactable(url))
    #expect((ConnectionGate<Waiting>().key(of: request) != nil) == mayShare)
  }

  @Test("a POST that the job lets be repeated shares a connection")
  func repeatable() {
    let request = Request(method: "POST", url: Redactable("https://a.test/"), retry: RetryPolicy())
    #expect(ConnectionGate<Waiting>().key(of: request) == key)
  }

  @Test("requests with other files for TLS have other keys, and origins that the files are not for have not")
  func files() {
    let gate = ConnectionGate<Waiting>()
    var request = Request(method: "GET", url: Redactable("https://a.test/1"))
    request.tlsFiles = TLSFiles(certificate: nil, key: nil, ca: "ca.pem", origins: [key.origin])
    #expect(gate.key(of: request) != key)
    request.url = Redactable("https://b.test/1")
    #expect(gate.key(of: request) == other)
  }

  @Test("an origin whose server speaks HTTP/1.1 is remembered, and no other")
  func remembered() {
    var gate = ConnectionGate<Waiting>()
    gate.cannotShare(key)
    #expect(gate.key(of: Request(method: "GET", url: Redactable("https://a.test/"))) == nil)
    #expect(gate.key(of: Request(method: "GET", url: Redactable("https://b.test/"))) == other)
  }

  @Test("requests are let go in order when the connection of their origin is there")
  func released() {
    var gate = ConnectionGate<Waiting>()
    for (name, key) in [("1", key), ("2", other), ("3", key)] { gate.hold(Waiting(name), for: key, now: start) }
    #expect(gate.keys == [key, other])
    #expect(gate.release(now: start, except: [key, other]).isEmpty)
    #expect(gate.release(now: start, except: [other]).map(\.name) == ["1", "3"])
    #expect(gate.release(now: start, except: []).map(\.name) == ["2"])
    #expect(gate.keys.isEmpty && gate.deadline == nil)
  }

  @Test("a connection that takes longer than a second holds up no request")
  func overdue() {
    var gate = ConnectionGate<Waiting>()
    gate.hold(Waiting("1"), for: key, now: start)
    gate.hold(Waiting("2"), for: key, now: start + .milliseconds(10))
    #expect(gate.deadline == start + .seconds(1))
    #expect(gate.release(now: start + .milliseconds(999), except: [key]).isEmpty)
    #expect(gate.release(now: start + .milliseconds(1_000), except: [key]).map(\.name) == ["1"])
    #expect(gate.deadline == start + .milliseconds(1_010))
  }

  @Test("a request that is cancelled is not let go")
  func dropped() {
    var gate = ConnectionGate<Waiting>()
    let (first, second) = (Waiting("1"), Waiting("2"))
    gate.hold(first, for: key, now: start)
    gate.hold(second, for: key, now: start)
    gate.drop(first)
    #expect(gate.empty().map(\.name) == ["2"])
    #expect(gate.empty().isEmpty)
  }

  @Test("a connection is shared from its second request on")
  func shared() {
    var connections = SharedConnections()
    connections.join(7)
    #expect(!connections.isShared(7))
    connections.join(7)
    #expect(connections.isShared(7) && !connections.isShared(8))
    connections.clear()
    #expect(!connections.isShared(7))
  }

  @Test("a connection has spoken if bytes for any request came since the time")
  func spoken() {
    var connections = SharedConnections()
    connections.received(7, at: start)
    #expect(!connections.hasSpoken(7, since: start - .seconds(1)), "nobody uses it")
    connections.join(7)
    #expect(!connections.hasSpoken(7, since: start - .seconds(1)))
    connections.received(7, at: start)
    #expect(connections.hasSpoken(7, since: start - .seconds(1)))
    #expect(!connections.hasSpoken(7, since: start))
  }
}
