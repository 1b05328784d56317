import Primitives
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("What goes wrong on the way", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CurlFaultTests {
  typealias Case = (answer: Answer, kind: TransportError.Kind, problem: String)

  @Test(
    "every fault of a server has its kind and its sentence",
    arguments: [
      (.empty, .cut, "PEER closed the connection without a reply"),
      (.reset, .cut, "the connection to PEER was lost: "),
      (.cut("[1,2,3", of: 100), .cut, "the connection ended after 6 of 100 bytes"),
      (.cutChunked(["[1,", "2"]), .cut, "the connection ended after 4 bytes, before the body was whole"),
      (.reset(after: "[1,2,3", of: 100), .cut, "the connection to PEER was lost after "),
      (.notHTTP, .other, "PEER answered, but does not speak HTTP"),
      (.raw("HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\n[]"), .other, "PEER answered, but does not speak HTTP"),
      (.raw("HTTP/1.1 1000 x\r\nContent-Length: 2\r\n\r\n[]"), .other, "PEER answered, but does not speak HTTP"),
      (.raw("HTTP/1.1 20 x\r\nContent-Length: 2\r\n\r\n[]"), .other, "PEER answered, but does not speak HTTP"),
      (.raw("HTTP/7.0 200 OK\r\nContent-Length: 2\r\n\r\n[]"), .other, "PEER answered, but does not speak HTTP"),
      (.lying("[]", length: "-1"), .other, "PEER sent a head that is not valid HTTP: "),
      (.lying("[]", length: "100"), .cut, "the connection ended after 2 of 100 bytes"),
      (.twoLengths("[1,2,3]", 4, 7), .other, "PEER sent Content-Length '4' and '7', which can't both be right: "),
      (.raw("HTTP/1.1 200 OK\r\n"), .cut, "PEER ended the connection within the head"),
      (.raw("HTTP/1.1 101 Switching\r\n\r\n[1]"), .cut, "PEER ended the connection within the head"),
      (
        .lying("[]", length: "99999999999999999999"), .other,
        "PEER sent Content-Length '99999999999999999999', which is "
      ),
      (.lying("[]", length: "0x2"), .other, "PEER sent Content-Length '0x2', which is not a length"),
      (.coded([UInt8]("[1,2,3]".utf8)), .other, "the body is not what its Content-Encoding says: "),
      (.hugeHead(90_000), nil, ""),
      (.hugeHead(120_000), .tooLarge, "PEER sent response headers over the limit (300 KB, 100 KB a line)"),
    ] as [(Answer, TransportError.Kind?, String)])
  func serverFaults(answer: Answer, kind: TransportError.Kind?, problem: String) async throws {
    let server = try LoopbackServer { _ in answer }
    let fault = await CurlTransport().fault(of: .get(server.url("/x")))
    #expect(fault?.kind == kind)
    #expect(
      fault?.problem.hasPrefix(problem.replacing("PEER", with: "127.0.0.1:\(server.port)")) ?? true,
      "\(String(describing: fault))")
    #expect(fault?.url.text ?? server.url("/x") == server.url("/x"))
  }

  @Test("a head of many lines is bounded as a whole")
  func manyLines() async throws {
    let server = try LoopbackServer { _ in .manyLines(400_000) }
    #expect(await CurlTransport().fault(of: .get(server.url("/")))?.kind == .tooLarge)
  }

  @Test("a port on which nobody listens refuses the connection")
  func refused() async throws {
    let port = try LoopbackServer.unusedPort()
    let fault = await CurlTransport().fault(of: .get("http://127.0.0.1:\(port)/x?key=1"))
    #expect(fault?.kind == .connect)
    #expect(fault?.problem == "connection refused by 127.0.0.1:\(port)")
  }

  @Test("a host that does not exist is named")
  func noHost() async throws {
    let fault = await CurlTransport().fault(of: .get("http://no-such-host.invalid/"))
    #expect(fault?.kind == .resolve)
    #expect(fault?.problem == "could not resolve host 'no-such-host.invalid': see whether its name is right")
  }

  @Test("a host that is not found spoils nothing for the requests after it")
  func afterNoHost() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    let curl = CurlTransport()
    for _ in 0..<2 {
      #expect(await curl.fault(of: .get("http://no-such-host.invalid/"))?.kind == .resolve)
      #expect(try await curl.fetch(.get(server.url("/"))).text == "[]")
    }
  }

  @Test("a server that closes the connection while TLS is set up may do better the next time")
  func brokenHandshake() async throws {
    // It does not speak TLS, and closes what it can't read.
    let server = try LoopbackServer { _ in .json("[]") }
    let fault = await CurlTransport().fault(of: .get("https://127.0.0.1:\(server.port)/"))
    #expect(fault?.kind == .connect && fault?.mayPass == true)
    #expect(fault?.problem.hasPrefix("127.0.0.1:\(server.port) broke off while TLS was being set up: ") == true)
  }

  @Test("a file of certificates that can't be read is named by where it comes from")
  func badTrust() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .json("[]") }
    let curl = CurlTransport(environment: ["SSL_CERT_FILE": folder.path(of: "none.pem")])
    let fault = await curl.fault(of: .get("https://127.0.0.1:\(server.port)/"))
    #expect(fault?.kind == .tls)
    #expect(fault?.problem.contains("SSL_CERT_FILE") == true)
    #expect(await curl.fault(of: .get(server.url("/"))) == nil)
  }

  @Test(
    "certificates come from where the curl command looks",
    arguments: [
      ([:], nil, nil), (["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"], "a", nil),
      (["SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"], "b", "c"), (["CURL_CA_BUNDLE": "", "SSL_CERT_DIR": "c"], nil, "c"),
    ] as [([String: String], String?, String?)])
  func trust(environment: [String: String], file: String?, folder: String?) {
    let trust = CurlTrust(environment: Environment(environment))
    #expect(trust.file == file && trust.folder == folder)
  }

  /// A change after which a request must not be sent.
  struct Flaw: Sendable {
    let sentence: String
    let spoil: @Sendable (inout Request) -> Void

    init(_ sentence: String, _ spoil: @escaping @Sendable (inout Request) -> Void) {
      (self.sentence, self.spoil) = (sentence, spoil)
    }
  }

  @Test(
    "a request that would break out of its text is never sent",
    arguments: [
      Flaw("the header 'X-A' holds a character that a header can't hold") { $0.fields.append("X-A", "1\r\nX-B: 2") },
      Flaw("the header 'X-A' holds a character that a header can't hold") { $0.fields.append("X-A", "1\u{0}2") },
      Flaw("the header 'X-A\n' holds a character that a header can't hold") { $0.fields.append("X-A\n", "1") },
      Flaw("the header '' holds a character that a header can't hold") { $0.fields.append("", "1") },
      Flaw("the header 'X A' holds a character that a header can't hold") { $0.fields.append("X A", "1") },
      Flaw("the method is no HTTP method") { $0.method = "GET /x HTTP/1.1\r\n" },
      Flaw("the method is no HTTP method") { $0.method = "" },
      Flaw("the URL holds a space or a control character") { $0.url.text += " HTTP/1.1\r\nX-B: 2" },
      Flaw("the URL holds a space or a control character") { $0.url.text += "\u{0}" },
    ])
  func flaws(flaw: Flaw) async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    var request = Request.get(server.url("/"))
    flaw.spoil(&request)
    #expect(await CurlTransport().fault(of: request)?.problem == flaw.sentence)
    #expect(server.requests.isEmpty)
  }

  @Test("only http and https are requested", arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "nonsense", ""])
  func protocols(url: String) async {
    let fault = await CurlTransport().fault(of: .get(url))
    #expect(fault?.kind == .badURL && fault?.problem == "this is not an absolute http or https URL")
  }

  @Test("secrets in the URL stay out of the sentence")
  func secrets() async throws {
    let port = try LoopbackServer.unusedPort()
    let url = Redactable("http://127.0.0.1:\(port)/?key=hunter22", redacted: "http://127.0.0.1:\(port)/?key=***")
    let fault = await CurlTransport().fault(of: Request(method: "GET", url: url))
    #expect(fault?.problem.contains("hunter22") == false)
    #expect(fault?.url == url)
  }

  @Test("bytes that came before a cut can be read")
  func partBeforeCut() async throws {
    let server = try LoopbackServer { _ in .cut("[1,2", of: 10) }
    let reply = try await CurlTransport().send(.get(server.url("/")))
    #expect(try await reply.body.next() == [UInt8]("[1,2".utf8))
    await #expect(throws: TransportError.self) { try await reply.body.next() }
    await #expect(throws: TransportError.self) { try await reply.body.next() }
  }

  @Test("a body is bounded by its decoded bytes", arguments: [(1_000, false), (999, true), (0, true)])
  func bodyLimit(limit: Int, isTooLarge: Bool) async throws {
    let server = try LoopbackServer([
      "/plain": .bytes([UInt8](repeating: 32, count: 1_000)), "/gzip": .coded(gzip(repeating: 32, count: 1_000)),
    ])
    let curl = CurlTransport()
    for path in ["/plain", "/gzip"] {
      var request = Request.get(server.url(path))
      request.bodyLimit = limit
      let fault = await curl.fault(of: request)
      #expect(fault?.kind == (isTooLarge ? .tooLarge : nil))
      if isTooLarge { #expect(fault?.problem.hasPrefix("the body is longer than bodyLimit, \(limit) bytes") == true) }
    }
  }

  @Test("after a fault the next request is served")
  func recovers() async throws {
    let server = try LoopbackServer([
      "/cut": .cut("[", of: 9), "/reset": .reset, "/not": .notHTTP, "/two": .twoLengths("[]", 1, 2), "/ok": .json("[]"),
    ])
    let curl = CurlTransport()
    for path in ["/cut", "/reset", "/not", "/two"] {
      #expect(await curl.fault(of: .get(server.url(path))) != nil)
      // A connection that was used before may end without an answer: the retries then send the request once more.
      let first = await curl.fault(of: .get(server.url("/ok")))
      #expect(first == nil || first?.kind == .stale)
      #expect(try await curl.fetch(.get(server.url("/ok"))).text == "[]")
    }
  }

  @Test("a connection that the server has closed meanwhile is not used again")
  func staleConnection() async throws {
    let server = try LoopbackServer { _ in .json("[]").closing() }
    let curl = CurlTransport()
    for count in 1...5 {
      // Sent before the end has come here, a request is the stale one of `ReconnectingTests`.
      if let fault = await curl.fault(of: .get(server.url("/"))) {
        #expect(fault.kind == .stale)
        #expect(try await curl.fetch(.get(server.url("/"))).text == "[]")
      }
      await server.closedConnections(atLeast: count)
    }
    #expect(server.connections == 5)
  }
}
