import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Fetching

/// A transport of plain answers, with the requests that it got: for hosts that don't exist.
private final class Scripted: HTTPTransport {
  private let answers: [String: (status: Int, location: String?)]
  private let seen = Locked<[Request]>([])

  init(_ answers: [String: (status: Int, location: String?)]) {
    self.answers = answers
  }

  var requests: [Request] { seen.withLock { $0 } }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    seen.withLock { $0.append(request) }
    let answer = answers[request.url.text] ?? (200, nil)
    let fields = HTTPFields(answer.location.map { [.init(name: "Location", value: Redactable($0))] } ?? [])
    return Reply(head: ReplyHead(status: answer.status, fields: fields, url: request.url), body: NoBody())
  }
}

private final class NoBody: ReplyBody {
  func next() async throws(TransportError) -> [UInt8]? { nil }
  func cancel() {}
}

@Suite("Redirects", .limitedConcurrency, .timeLimit(.minutes(20)))
struct RedirectTests {
  @Test("a Location keeps its bytes, also where they are not UTF-8")
  func bytes() async throws {
    let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /".utf8) + [0xE9] + Array("x\r\n\r\n".utf8)
    let server = try LoopbackServer { $0.target == "/" ? .raw([.send(head)]) : .json("[]") }
    let reply = try await RedirectingTransport(CurlTransport()).send(.get(server.url("/")))
    #expect(reply.head.url.text == server.url("/%E9x"))
    #expect(server.requests.map(\.target) == ["/", "/%E9x"])
  }

  private let start = "https://a.example/x/start?key=1"

  /// One redirect from the start, and what was requested after it.
  private func follow(
    _ location: String, status: Int = 302, from start: String? = nil, secrets: SecretStore = SecretStore(),
    _ change: (inout Request) -> Void = { _ in }
  ) async throws(TransportError) -> Request? {
    var request = Request.get(start ?? self.start)
    change(&request)
    let scripted = Scripted([request.url.text: (status, location)])
    _ = try await RedirectingTransport(scripted, secrets: secrets).send(request)
    return scripted.requests.count == 2 ? scripted.requests[1] : nil
  }

  private func fault(
    _ location: String, status: Int = 302, from start: String? = nil, secrets: SecretStore = SecretStore(),
    _ change: (inout Request) -> Void = { _ in }
  ) async -> TransportError? {
    do {
      _ = try await follow(location, status: status, from: start, secrets: secrets, change)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a target is resolved against the URL that answered",
    arguments: [
      ("/b", "https://a.example/b"), ("b", "https://a.example/x/b"), ("?p=2", "https://a.example/x/start?p=2"),
      ("../b#part", "https://a.example/b"), ("//c.example/d", "https://c.example/d"),
      ("https://c.example", "https://c.example/"), ("/a b", "https://a.example/a%20b"),
    ])
  func targets(location: String, url: String) async throws {
    #expect(try await follow(location)?.url.text == url)
  }

  @Test(
    "the method follows RFC 9110 §15.4; a 303 gives a GET where a result is expected at another URL",
    arguments: [
      (301, "GET", "GET"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"),
      (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (303, "GET", "GET"), (303, "QUERY", "GET"),
      (307, "POST", "POST"),
      (308, "POST", "POST"), (308, "PUT", "PUT"), (302, "HEAD", "HEAD"),
    ])
  func methods(status: Int, method: String, expected: String) async throws {
    let request = try await follow("/b", status: status) { request in
      request.method = method
      request.allowsSeeOther = true
      guard ["POST", "PUT"].contains(method) else { return }
      request.body = .init(bytes: [0x31], redacted: "1")
      request.fields.append("Content-Type", "application/json")
    }
    let keeps = expected == "POST" || expected == "PUT"
    #expect(request?.method == expected)
    #expect((request?.body != nil) == keeps)
    #expect((request?.fields["content-type"] != nil) == keeps)
  }

  @Test(
    "a redirect that would take method or body from a request is an error that names the URL",
    arguments: [
      (301, "POST", true), (302, "POST", true), (302, "POST", false), (303, "POST", false), (303, "PUT", false),
      (303, "GET", false),
    ])
  func changedRequests(status: Int, method: String, allowsSeeOther: Bool) async {
    let fault = await fault("/b?x=1", status: status) { request in
      request.method = method
      request.allowsSeeOther = allowsSeeOther
      request.body = .init(bytes: [0x31], redacted: "1")
    }
    #expect(fault?.kind == .redirect)
    #expect(
      fault?.problem.hasPrefix("redirected by a \(status) to 'https://a.example/b?x=1', where the \(method) ") == true)
  }

  @Test("what was made by POST may be looked at by GET at the same URL: that is no circle")
  func answeredAtHome() async throws {
    let server = try LoopbackServer { $0.method == "POST" ? .redirect(to: "/a", status: 303) : .json("[1]") }
    var request = Request.get(server.url("/a"))
    request.method = "POST"
    request.allowsSeeOther = true
    let reply = try await RedirectingTransport(CurlTransport()).send(request)
    #expect(reply.head.status == 200)
    #expect(server.requests.map(\.method) == ["POST", "GET"])
  }

  @Test("other statuses of 300, and redirects to nowhere, are replies", arguments: [300, 304, 305, 306, 399, 200])
  func noRedirect(status: Int) async throws {
    #expect(try await follow("/b", status: status) == nil)
    let scripted = Scripted([start: (302, nil)])
    #expect(try await RedirectingTransport(scripted).send(.get(start)).head.status == 302)
  }

  @Test("the same origin keeps everything")
  func sameOrigin() async throws {
    let request = try await follow("https://A.EXAMPLE:443/b") { request in
      request.fields.append("Authorization", .secret("Bearer hunter22"))
      request.fields.append("X-Plain", "1")
    }
    #expect(request?.fields.all.map(\.name) == ["Authorization", "X-Plain"])
  }

  @Test(
    "another origin gets no secret field",
    arguments: [
      "https://b.example/", "https://a.example:8443/", "https://a.example.b.example/", "https://sub.a.example/",
    ])
  func otherOrigin(location: String) async throws {
    let request = try await follow(location) { request in
      request.fields.append("Authorization", "open")
      request.fields.append("cookie", "a=b")
      request.fields.append("Proxy-Authorization", "open")
      request.fields.append("X-Api-Key", .secret("hunter22"))
      request.fields.append("X-Mixed", Redactable("v1 hunter22", redacted: "v1 ***"))
      request.fields.append("Accept", "application/json")
    }
    #expect(request?.fields.all.map(\.name) == ["Accept"])
  }

  @Test("secrets that were dropped don't come back with their origin")
  func thereAndBack() async throws {
    let scripted = Scripted([
      "https://a.example/": (302, "https://b.example/"), "https://b.example/": (302, "https://a.example/2"),
    ])
    var request = Request.get("https://a.example/")
    request.fields.append("Authorization", .secret("Bearer hunter22"))
    let reply = try await RedirectingTransport(scripted).send(request)
    #expect(scripted.requests.map { $0.fields.all.count } == [1, 0, 0])
    #expect(reply.head.url.text == "https://a.example/2")
  }

  @Test("a body with a secret is not given to another origin; a plain one is")
  func bodies() async throws {
    let secret = await fault("https://b.example/", status: 307) { request in
      request.method = "POST"
      request.body = .init(bytes: [UInt8](#"{"key":"hunter22"}"#.utf8), redacted: #"{"key":"***"}"#)
    }
    #expect(secret?.kind == .redirect)
    let plain = try await follow("https://b.example/", status: 307) { request in
      request.method = "POST"
      request.body = .init(bytes: [0x31], redacted: "1")
    }
    #expect(plain?.body?.bytes == [0x31])
  }

  @Test("a secret that the server sends back is masked, and not given to another origin")
  func echoes() async throws {
    let secrets = SecretStore(["hunter22"])
    let same = try await follow("/b?key=hunter22", secrets: secrets)
    #expect(same?.url == Redactable("https://a.example/b?key=hunter22", redacted: "https://a.example/b?key=***"))
    let other = await fault("https://b.example/?key=hunter22", secrets: secrets)
    #expect(other?.kind == .redirect)
    #expect(other.map { "\($0.problem)\($0.url.redacted)".contains("hunter22") } == false)
    let field = await fault("https://b.example/?t=hunter23") { request in
      request.fields.append("Authorization", .secret("Bearer hunter23"))
    }
    #expect(field?.problem.contains("hunter23") == false)
    let path = try await follow("b") {
      $0.url = Redactable("https://a.example/abc/x", redacted: "https://a.example/***/x")
    }
    #expect(path?.url == Redactable("https://a.example/abc/b", redacted: "https://a.example/***/b"))
  }

  @Test(
    "only http and https, never from https to http",
    arguments: [
      "http://a.example/x/start", "file:///etc/hostname", "ftp://a.example/", "javascript:alert(1)", "https://",
      "data:,x", "http:///x", "https://u:p@b.example/",
    ])
  func refused(location: String) async {
    #expect(await fault(location)?.kind == .redirect)
  }

  @Test(
    "a user name in a Location is not followed, and not shown",
    arguments: [
      "https://u:hunter2@b.example/y?q=@", "//u:hunter2@b.example/y?q=@", "https://u:a@hunter2@b.example/y?q=@",
    ])
  func userInfo(location: String) async {
    let fault = await fault(location)
    #expect(fault?.kind == .redirect)
    #expect(fault?.problem.contains("//b.example/y?q=@', with a user name in the URL, which is not followed; ") == true)
    #expect(fault?.problem.contains("hunter2") == false)
  }

  @Test("from http to https is fine")
  func upgrade() async throws {
    #expect(try await follow("https://a.example/", from: "http://a.example/")?.url.text == "https://a.example/")
  }

  @Test(
    "this machine and private networks are only for those who are there already",
    arguments: [
      "http://127.0.0.1/", "http://localhost:8080/", "http://10.1.2.3/", "http://169.254.169.254/latest/meta-data",
      "http://[::1]/", "http://0x7f000001/", "http://192.168.0.1/", "http://[::ffff:10.0.0.1]/",
    ])
  func privateTargets(location: String) async throws {
    #expect(await fault(location, from: "http://a.example/")?.kind == .redirect)
    #expect(try await follow(location, from: "http://127.0.0.2/") != nil)
  }

  @Test("a circle is named with its way round")
  func circle() async throws {
    let scripted = Scripted([
      "https://a.example/1": (302, "/2"), "https://a.example/2": (302, "/3"), "https://a.example/3": (302, "/2"),
    ])
    let fault = await RedirectingTransport(scripted).fault(of: .get("https://a.example/1"))
    #expect(fault?.kind == .redirect)
    let names = ["1", "2", "3", "2"].map { "https://a.example/\($0)" }
    let remedy = "the server may want a login, or a cookie that it set: see 'auth' and 'headers'"
    #expect(fault?.problem == "redirected in a circle (\(names.joined(separator: " → "))); \(remedy)")
    #expect(scripted.requests.count == 3)
  }

  @Test("10 redirects are followed, 11 are not")
  func limit() async throws {
    let server = try LoopbackServer { request in
      let left = Int(request.target.dropFirst()) ?? 0
      return left == 0 ? .json("[1]") : .redirect(to: "/\(left - 1)")
    }
    let curl = RedirectingTransport(CurlTransport())
    let (head, text) = try await curl.fetch(.get(server.url("/10")))
    #expect(text == "[1]" && head.url.text == server.url("/0"))
    #expect(server.connections == 1)
    let fault = await curl.fault(of: .get(server.url("/11")))
    #expect(fault?.problem.hasPrefix("more than 10 redirects (") == true)
  }

  @Test("the body of a redirect is not waited for when it is long")
  func longRedirect() async throws {
    let server = try LoopbackServer { request in
      request.path == "/b"
        ? .json("[1]")
        : .raw([
          .send([UInt8]("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 9999999\r\n\r\n".utf8)), .untilClosed,
        ])
    }
    #expect(try await RedirectingTransport(CurlTransport()).fetch(.get(server.url("/a"))).text == "[1]")
    await server.closedConnections(atLeast: 1)
  }

  @Test("to another port on this machine, secrets stay behind")
  func overTheWire() async throws {
    let other = try LoopbackServer { _ in .json("[2]") }
    let server = try LoopbackServer { [url = other.url("/b")] _ in .redirect(to: url, status: 307) }
    var request = Request.get(server.url("/a"))
    request.fields.append("X-Api-Key", .secret("hunter22"))
    let (head, text) = try await RedirectingTransport(CurlTransport()).fetch(request)
    #expect(text == "[2]" && head.url.text == other.url("/b"))
    #expect(server.requests[0]["x-api-key"] == "hunter22")
    #expect(other.requests[0]["x-api-key"] == nil)
  }
}

@Suite("Hosts by name at private addresses", .limitedConcurrency, .timeLimit(.minutes(20)))
struct PrivatePeerTests {
  /// True if the machine's libcurl says when there is a connection: from 7.80 on.
  private static let announcesConnections =
    (try? CurlLibrary(named: CurlLibrary.names, floor: 0x075000)) != nil

  private static func curl(asBefore7_80 isOld: Bool) throws -> CurlTransport {
    let library = try CurlLibrary.system.get()
    return CurlTransport(isOld ? CurlLibrary(asBefore7_80: library) : library)
  }

  @Test(
    "a name that leads into this machine is refused before anything is sent, on a connection that is there, too",
    arguments: [false, true])
  func refused(isOld: Bool) async throws {
    let server = try LoopbackServer(["/": .json("[1]")])
    let curl = try Self.curl(asBefore7_80: isOld)
    var request = Request.get(server.url("/", host: "localhost"))
    #expect(try await curl.fetch(request).text == "[1]")
    request.refusesPrivatePeers = true
    let fault = await curl.fault(of: request)
    #expect(fault?.kind == .redirect)
    #expect(fault?.problem.contains("localhost:\(server.port), which is at ") == true)
    request.refusesPrivatePeers = false
    #expect(try await curl.fetch(request).text == "[1]")
    #expect(server.requests.count == 2)
  }

  @Test(
    "who answered is known, so that a job whose own host is private may be redirected there", arguments: [false, true])
  func peers(isOld: Bool) async throws {
    let server = try LoopbackServer(["/": .json("[1]")])
    let curl = try Self.curl(asBefore7_80: isOld)
    for _ in 1...2 {
      let head = try await curl.fetch(.get(server.url("/"))).head
      #expect(head.peer == "127.0.0.1")
      #expect((head.connectTime == nil) == (isOld || !Self.announcesConnections))
    }
    let start = Request.get("https://intern.example/")
    var trail = RedirectTrail(start, peer: "10.1.2.3", secrets: SecretStore())
    try trail.follow("https://10.1.2.4/", status: 302)
    #expect(!trail.request.refusesPrivatePeers)
    var other = RedirectTrail(start, peer: "93.184.216.34", secrets: SecretStore())
    #expect(throws: TransportError.self) { try other.follow("https://10.1.2.4/", status: 302) }
    try other.follow("https://other.example/", status: 302)
    #expect(other.request.refusesPrivatePeers)
  }

  @Test(
    "addresses as a connection tells them",
    arguments: [
      ("127.0.0.1", true), ("10.0.0.1", true), ("::1", true), ("fe80::1%eth0", true), ("fd00::1", true),
      ("::ffff:192.168.0.1", true), ("93.184.216.34", false), ("2606:2800:220:1::1", false), ("", false),
    ])
  func addresses(text: String, isPrivate: Bool) {
    #expect(isPrivateAddress(text) == isPrivate)
  }
}
