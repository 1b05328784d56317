import Fetching
import TestSupport
import Testing
import Wire

@Suite("What curl sends, and what comes back", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CurlExchangeTests {
  @Test("a reply has its status, its fields in order, and its body")
  func reply() async throws {
    let server = try LoopbackServer { _ in
      .json("[1,2]", status: 404, fields: ["X-A": "1", "x-b": " 2 ", "X-A": "é", "X-Empty": ""])
    }
    let (head, text) = try await CurlTransport().fetch(.get(server.url("/a?b=c")))
    #expect(head.status == 404)
    #expect(head.url.text == server.url("/a?b=c"))
    let expected = [
      "Content-Type: application/json", "Content-Length: 5", "X-A: 1", "x-b: 2", "X-A: é", "X-Empty: ",
    ]
    #expect(head.fields.all.map { "\($0.name): \($0.value.text)" } == expected)
    #expect(text == "[1,2]")
  }

  @Test("only the fields of the request are sent, and those that HTTP needs")
  func fields() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    var request = Request.get(server.url("/"))
    request.fields = HTTPFields([
      .init(name: "X-One", value: Redactable("1")), .init(name: "x-one", value: Redactable("2: ;")),
      .init(name: "X-Empty", value: Redactable("")),
    ])
    _ = try await CurlTransport().fetch(request)
    let seen = try #require(server.requests.first).fields
    #expect(seen.map(\.name).sorted() == ["Accept-Encoding", "Host", "X-Empty", "X-One", "x-one"])
    #expect(seen.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["1", "2: ;"])
    #expect(server.requests[0]["accept-encoding"]?.contains("gzip") == true)
  }

  @Test("fields that curl would add are sent as the request has them")
  func overriddenFields() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    var request = Request(method: "POST", url: Redactable(server.url("/")), body: .init(bytes: [0x7b], redacted: "{"))
    for (name, value) in [("Accept", "a/b"), ("User-Agent", "pagecat"), ("Content-Type", "c/d")] {
      request.fields.append(name, value)
    }
    _ = try await CurlTransport().fetch(request)
    let seen = server.requests[0]
    #expect([seen["accept"], seen["user-agent"], seen["content-type"]] == ["a/b", "pagecat", "c/d"])
  }

  @Test(
    "every method is sent as it is, with its body",
    arguments: [
      ("GET", nil, nil), ("GET", "{}", "2"), ("POST", "{\"a\":1}", "7"), ("POST", nil, "0"), ("POST", "", "0"),
      ("PUT", nil, "0"), ("PUT", "x", "1"), ("PATCH", "x", "1"), ("DELETE", nil, nil), ("DELETE", "x", "1"),
      ("QUERY", "x", "1"), ("OPTIONS", nil, nil), ("get", nil, nil),
    ] as [(String, String?, String?)])
  func methods(method: String, body: String?, length: String?) async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    let sent = body.map { Request.Body(bytes: [UInt8]($0.utf8), redacted: $0) }
    _ = try await CurlTransport().fetch(Request(method: method, url: Redactable(server.url("/")), body: sent))
    let seen = server.requests[0]
    #expect(seen.method == method)
    #expect(seen.text == body ?? "")
    #expect(seen["content-length"] == length)
    #expect(seen["content-type"] == nil && seen["expect"] == nil)
  }

  @Test("a body with any bytes, longer than a socket's buffer, arrives whole")
  func longBody() async throws {
    let server = try LoopbackServer { request in .bytes(request.body) }
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let request = Request(method: "POST", url: Redactable(server.url("/")), body: .init(bytes: bytes, redacted: ""))
    let reply = try await CurlTransport().send(request)
    #expect(try await reply.body.all() == bytes)
  }

  @Test("the path goes out as it is written")
  func pathAsIs() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    _ = try await CurlTransport().fetch(.get(server.url("/a/../b/./%2e%2E/c?x=/../y")))
    #expect(server.requests[0].target == "/a/../b/./%2e%2E/c?x=/../y")
  }

  @Test("HEAD, 204 and 304 have no body")
  func noBody() async throws {
    let server = try LoopbackServer(["/": .json("[1]"), "/204": .status(204), "/304": .status(304)])
    let curl = CurlTransport()
    let head = try await curl.fetch(Request(method: "HEAD", url: Redactable(server.url("/"))))
    #expect(head.head.fields["content-length"] == "3" && head.text.isEmpty)
    #expect(try await curl.fetch(.get(server.url("/204"))).text.isEmpty)
    #expect(try await curl.fetch(.get(server.url("/304"))).text.isEmpty)
    #expect(server.connections == 1)
  }

  @Test("chunked, compressed and unsized bodies come out plain")
  func codings() async throws {
    let answers: [String: Answer] = [
      "/chunked": .chunked(["[1", ",2]"]), "/gzip": .gzipped("[1,2]"), "/unsized": .unsized("[1,2]"),
    ]
    let server = try LoopbackServer(answers)
    let curl = CurlTransport()
    for path in answers.keys { #expect(try await curl.fetch(.get(server.url(path))).text == "[1,2]") }
  }

  @Test("interim heads are no reply, and trailers no fields")
  func interim() async throws {
    let server = try LoopbackServer { _ in
      .raw(
        "HTTP/1.1 100 Continue\r\nX-No: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nX-Yes: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nX-Trailer: 1\r\n\r\n")
    }
    let (head, text) = try await CurlTransport().fetch(.get(server.url("/")))
    #expect(head.status == 200 && text == "[]")
    #expect(head.fields.all.map(\.name) == ["X-Yes", "Transfer-Encoding"])
  }

  @Test("Set-Cookie is a secret, and is not sent back")
  func cookies() async throws {
    let server = try LoopbackServer { _ in .json("[]", fields: ["Set-Cookie": "session=abcdef; Path=/"]) }
    let curl = CurlTransport()
    let (head, _) = try await curl.fetch(.get(server.url("/")))
    #expect(head.fields.all.last?.value == .secret("session=abcdef; Path=/"))
    _ = try await curl.fetch(.get(server.url("/")))
    #expect(server.requests[1]["cookie"] == nil)
  }

  @Test("a redirect is a reply")
  func redirect() async throws {
    let server = try LoopbackServer { _ in .redirect(to: "/b", status: 301) }
    let (head, _) = try await CurlTransport().fetch(.get(server.url("/a")))
    #expect(head.status == 301 && head.fields["location"] == "/b")
    #expect(server.requests.count == 1)
  }

  @Test("the reply is there before its body")
  func earlyHead() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .drip(["[1,", "2]"], by: gate) }
    let reply = try await CurlTransport().send(.get(server.url("/")))
    #expect(reply.head.status == 200)
    gate.admit()
    #expect(try await reply.body.next() == [UInt8]("[1,".utf8))
    gate.admit()
    #expect(try await reply.body.next() == [UInt8]("2]".utf8))
    #expect(try await reply.body.next() == nil)
    #expect(try await reply.body.next() == nil)
  }

  @Test("requests after one another use one connection")
  func reuse() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    let curl = CurlTransport()
    for page in 1...20 { _ = try await curl.fetch(.get(server.url("/\(page)"))) }
    #expect(server.connections == 1)
    #expect(server.requests.map(\.target) == (1...20).map { "/\($0)" })
  }

  @Test("requests at once are answered in any order")
  func outOfOrder() async throws {
    let gates = (0..<4).map { _ in Gate() }
    let server = try LoopbackServer { request in
      let index = Int(request.target.dropFirst()) ?? 0
      return .json("[\(index)]").held(by: gates[index])
    }
    let curl = CurlTransport()
    await withTaskGroup(of: String?.self) { group in
      for index in 0..<4 { group.addTask { try? await curl.fetch(.get(server.url("/\(index)"))).text } }
      for gate in gates { await gate.reached(1) }
      for index in [2, 0, 3, 1] {
        gates[index].open()
        #expect(await group.next() == "[\(index)]")
      }
    }
    #expect(server.mostConcurrent == 4)
  }
}
