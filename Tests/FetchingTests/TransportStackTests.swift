// The order of the layers, by what each does to one request that meets everything.

import Files
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("The layers between a page and the network")
struct TransportStackTests {
  private let clock = VirtualClock(start: 0)
  private let events = Watched<[String]>([])
  /// Statuses of exchanges that are over; nil without a reply.
  private let ended = Watched<[Int?]>([])
  private let secrets = SecretStore(["t0ken-1"])

  private func stack(over ground: any HTTPTransport) throws -> TransportStack {
    let rateLimiter = RateLimiter()
    rateLimiter.limit(try #require(Origin(of: "https://a.test/")), to: Rate(interval: .seconds(10)))
    return TransportStack(
      over: ground, rateLimiter: rateLimiter, clock: clock, fetchesTokens: false,
      observer: Listener(events: events, ended: ended),
      hiding: secrets)
  }

  private func request() throws -> Request {
    var request = Request(method: "GET", url: Redactable("https://a.test/1"))
    let field = HTTPFields.Field(name: "Authorization", value: .secret("Bearer t0ken-1"))
    request.credentials = Credentials(
      origin: try #require(Origin(of: "https://a.test/")), proof: .named(fields: [field], items: []),
      secrets: ["t0ken-1"])
    request.retry = RetryPolicy()
    return request
  }

  private func fetch(_ stack: TransportStack, _ request: Request) async throws(RetryError<Failed>) -> Int {
    try await stack.retrier.fetch(request) { (request) async throws(AttemptError<Failed>) in
      let reply: Reply
      do {
        reply = try await stack.transport.send(request)
      } catch {
        throw AttemptError(Failed(), .lasting)
      }
      guard reply.head.status == 200 else { throw AttemptError(Failed(), .status(reply.head, body: "")) }
      return reply.head.status
    }
  }

  @Test("a closed connection, a redirect and a retry each pass the layers below them again, and no others")
  func order() async throws {
    let ground = Ground([.stale, .redirect("/2"), .status(503), .status(200)])
    let stack = try stack(over: ground)
    #expect(try await fetch(stack, try request()) == 200)
    // The retry starts at the first URL again: redirects are inside of it.
    #expect(ground.seen.value == ["/1 Bearer", "/1 Bearer", "/2 Bearer", "/1 Bearer"])
    #expect(
      events.value.filter { !$0.hasPrefix("waits") } == ["sends /1", "sends /1", "sends /2", "retries /1", "sends /1"])
    // Each of the four requests takes a slot of its own.
    #expect(clock.now >= .seconds(30))
  }

  @Test("each sending is signed anew, when its slot has come, and only at the key's origin")
  func signatures() async throws {
    let ground = Ground([
      .status(503), .stale, .redirect("https://b.test/2"), .redirect("https://a.test/3"), .status(200),
    ])
    var request = try request()
    let key = SigningKey(id: "id", secret: "t0ken-1", token: nil, region: "r", service: "s")
    request.credentials = Credentials(
      origin: try #require(Origin(of: "https://a.test/")), proof: .signature(key), secrets: ["t0ken-1"])
    #expect(try await fetch(try stack(over: ground), request) == 200)
    #expect(ground.seen.value == ["/1 Bearer", "/1 Bearer", "/1 Bearer", "/2 -", "/3 Bearer"])
    let times = ground.times.value
    #expect(times.count == 4 && Set(times).count == 4)
  }

  @Test("credentials stay at their origin, hop by hop, and come back with it")
  func credentials() async throws {
    let ground = Ground([.redirect("https://b.test/2"), .redirect("https://a.test/3"), .status(200)])
    #expect(try await fetch(try stack(over: ground), try request()) == 200)
    #expect(ground.seen.value == ["/1 Bearer", "/2 -", "/3 Bearer"])
  }

  @Test("what is cancelled before it is sent does not count")
  func unsent() async throws {
    let ground = Ground([.unsent])
    await #expect(throws: RetryError<Failed>.self) { try await fetch(try stack(over: ground), try request()) }
    #expect(events.value == ["sends /1", "not sent /1"])
    #expect(ended.value == [])
  }

  @Test("a cookie is a secret before anybody can show it")
  func cookies() async throws {
    let ground = Ground([.cookie("session-123456")])
    _ = try await fetch(try stack(over: ground), try request())
    #expect(secrets.redacting("it was session-123456") == "it was ***")
  }
}

private struct Listener: TransportObserver {
  let events: Watched<[String]>
  let ended: Watched<[Int?]>

  func willSend(_ request: Request) { note("sends", request) }
  func wasNotSent(_ request: Request) { note("not sent", request) }
  func didReceive(_ head: ReplyHead, to request: Request) {}
  func didEnd(_ exchange: OpenExchange.Outcome, of request: Request) { ended.update { $0.append(exchange.status) } }
  func waits(_ request: Request, for time: Duration, because reason: WaitReason) {
    events.update { $0.append("waits: \(reason)") }
  }
  func retries(_ request: Request) { note("retries", request) }
  func warns(_ text: String) { events.update { $0.append("warns") } }

  private func note(_ what: String, _ request: Request) {
    events.update { $0.append("\(what) /\(request.url.text.split(separator: "/").last ?? "")") }
  }
}

/// Answers one request after the other, and writes down which came, and whether with credentials.
private final class Ground: HTTPTransport {
  enum Answer {
    case stale, unsent
    case redirect(String)
    case status(Int)
    case cookie(String)
  }

  let seen = Watched<[String]>([])
  /// Times of the signatures.
  let times = Watched<[String]>([])
  private let answers: Watched<[Answer]>

  init(_ answers: [Answer]) {
    self.answers = Watched(answers)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let proof = request.fields["Authorization"] == nil ? "-" : "Bearer"
    if let time = request.fields["X-Amz-Date"] { times.update { $0.append(time) } }
    seen.update { $0.append("/\(request.url.text.split(separator: "/").last ?? "") \(proof)") }
    switch answers.update({ $0.removeFirst() }) {
    case .stale: throw TransportError(.stale, url: request.url, problem: "closed")
    case .unsent: throw TransportError(.unsent, url: request.url, problem: "cancelled")
    case .redirect(let target): return reply(302, ("Location", target), request)
    case .status(let status): return reply(status, nil, request)
    case .cookie(let value): return reply(200, ("Set-Cookie", "id=\(value); Path=/"), request)
    }
  }

  private func reply(_ status: Int, _ field: (String, String)?, _ request: Request) -> Reply {
    let fields = HTTPFields([field].compactMap { $0 }.map { HTTPFields.Field(name: $0.0, value: Redactable($0.1)) })
    return Reply(head: ReplyHead(status: status, fields: fields, url: request.url), body: NoBody())
  }
}

private final class NoBody: ReplyBody {
  func next() async throws(TransportError) -> [UInt8]? { nil }
  func cancel() {}
}

private struct Failed: Error {}

// MARK: The login of a user on another device (RFC 8628)

/// Answers requests with JSON, one after the other, or with a closed connection.
private final class JSONGround: HTTPTransport {
  let forms = Watched<[String]>([])
  private let answers: Watched<[(status: Int, json: String)?]>

  init(_ answers: [(status: Int, json: String)?]) {
    self.answers = Watched(answers)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    forms.update { $0.append(String(decoding: request.body?.bytes ?? [], as: UTF8.self)) }
    guard let (status, json) = answers.update({ $0.removeFirst() }) else {
      throw TransportError(.cut, url: request.url, problem: "closed")
    }
    let head = ReplyHead(status: status, fields: HTTPFields([]), url: request.url)
    return Reply(head: head, body: OneChunk(json))
  }

  private final class OneChunk: ReplyBody {
    private let bytes: Watched<[UInt8]?>

    init(_ text: String) { bytes = Watched(Array(text.utf8)) }

    func next() async throws(TransportError) -> [UInt8]? {
      bytes.update { bytes in
        defer { bytes = nil }
        return bytes
      }
    }

    func cancel() {}
  }
}

private final class TokenShelf: RefreshTokenStore {
  let kept = Watched<[String]>([])
  func token(for holder: RefreshTokenHolder) -> String? { nil }
  func makeRoom() throws(FileError) {}
  func keep(_ token: String, for holder: RefreshTokenHolder) throws(FileError) { kept.update { $0.append(token) } }
}

@Suite("The login of a user on another device")
struct DeviceLoginTests {
  private let clock = VirtualClock(start: 0)
  private let shelf = TokenShelf()
  private static let code =
    #"{"device_code":"secret-code","user_code":"AB","verification_uri":"https://a.test/d","expires_in":300,"interval":5}"#

  private static func error(_ name: String, status: Int = 400) -> (status: Int, json: String)? {
    (status, #"{"error":"\#(name)"}"#)
  }

  private func grant() -> TokenGrant {
    var oauth2 = OAuth2Grant(id: "me", secret: nil, isInBody: true, scope: "r", refresh: nil, others: [])
    oauth2.deviceURL = Redactable("https://a.test/device")
    return TokenGrant(
      url: Redactable("https://a.test/token"), kind: .oauth2(oauth2), userAgent: nil, retry: RetryPolicy(),
      timeout: .seconds(30))
  }

  /// Logs in, and returns the error, if there is one.
  private func logIn(_ ground: JSONGround) async -> String? {
    let login = DeviceLogin(ground, clock: clock, secrets: SecretStore(), store: shelf)
    do {
      try await login.run(grant()) { _ in }
      return nil
    } catch {
      return error.problem
    }
  }

  @Test("asks at the interval, slower after 'slow_down' and after failures, and keeps the refresh token")
  func waits() async {
    let ground = JSONGround([
      (200, Self.code), Self.error("authorization_pending"), Self.error("slow_down"), nil, (503, "later"),
      Self.error("authorization_pending", status: 200), (200, #"{"access_token":"a","refresh_token":"r1"}"#),
    ])
    #expect(await logIn(ground) == nil)
    #expect(clock.waits == [5, 5, 10, 20, 40, 40].map { .seconds($0) })
    #expect(shelf.kept.value == ["r1"])
    #expect(ground.forms.value.first == "client_id=me&scope=r")
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=secret-code&client_id=me"
    #expect(Set(ground.forms.value.dropFirst()) == [form])
  }

  @Test("ends when the code has expired, by the server's word or by the clock")
  func expires() async {
    let says = JSONGround([(200, Self.code), Self.error("expired_token")])
    #expect(await logIn(says)?.contains("has expired") == true)
    let silent = JSONGround([(200, Self.code)] + Array(repeating: Self.error("authorization_pending"), count: 60))
    #expect(await logIn(silent)?.contains("has expired") == true)
    #expect(silent.forms.value.count == 61)
  }

  @Test("ends when the user refuses, and with any other error of the server", arguments: ["access_denied", "x"])
  func refused(name: String) async {
    let ground = JSONGround([(200, Self.code), Self.error(name)])
    #expect(await logIn(ground)?.contains(name == "x" ? "gave no token: x" : "refused the access") == true)
    #expect(shelf.kept.value.isEmpty)
  }

  @Test("waits for a server that can't answer now, whatever error it names")
  func failsForAWhile() async {
    let ground = JSONGround([
      (200, Self.code), Self.error("temporarily_unavailable", status: 503), Self.error("slow_down", status: 429),
      Self.error("access_denied", status: 503),
    ])
    #expect(await logIn(ground)?.contains("refused the access") == true)
    #expect(clock.waits == [5, 10, 15].map { .seconds($0) })
  }

  @Test(
    "tells a refusal by its error code, and one without a code by its status",
    arguments: [
      (200, #"{"error":"unauthorized_client"}"#, "(unauthorized_client): see 'clientId'"),
      (400, #"{"error":"invalid_scope"}"#, "(invalid_scope): see 'clientId'"),
      (200, "<html>", "(status 200): see whether 'deviceUrl'"), (404, "no", ": see whether 'deviceUrl'"),
    ])
  func refusesCode(status: Int, answer: String, told: String) async {
    #expect(await logIn(JSONGround([(status, answer)]))?.hasPrefix("the server gave no code") == true)
    #expect(await logIn(JSONGround([(status, answer)]))?.contains(told) == true)
  }

  @Test(
    "tells an answer without a token by its status if no error is named",
    arguments: [
      (400, #"{"error":""}"#, "gave no token: see 'clientId'"), (404, "no", "gave no token: see whether 'tokenUrl'"),
      (200, "<html>", "gave no token (status 200): see whether 'tokenUrl'"),
    ])
  func refusesToken(status: Int, answer: String, told: String) async {
    #expect(await logIn(JSONGround([(200, Self.code), (status, answer)]))?.contains(told) == true)
  }

  @Test("says what to add if the server gives an access token only")
  func noRefreshToken() async {
    let ground = JSONGround([(200, Self.code), (200, #"{"access_token":"a"}"#)])
    #expect(await logIn(ground)?.contains("'offline_access'") == true)
  }
}
