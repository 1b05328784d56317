// What a replay answers.

import Foundation
import Testing
import Wire

@testable import Fetching

/// A HAR of entries that are given as JSON.
private func har(_ entries: String...) throws -> ReplayTransport {
  let text = #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#
  return try ReplayTransport(har: Array(text.utf8), name: "x.har")
}

private func entry(
  _ url: String, _ text: String = "", method: String = "GET", status: Int = 200, headers: String = "",
  post: String? = nil,
  at time: String = "2024-01-01T00:00:00.000Z"
) -> String {
  let postData = post.map { #","postData":{"mimeType":"application/json","text":\#(quoted($0))}"# } ?? ""
  return #"{"startedDateTime":"\#(time)","request":{"method":"\#(method)","url":\#(quoted(url))\#(postData)},"#
    + #""response":{"status":\#(status),"headers":[\#(headers)],"content":{"size":1,"text":\#(quoted(text))}}}"#
}

private func quoted(_ text: String) -> String {
  String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
}

@Suite("A replay")
struct HARReplayTests {
  @Test("gives back what was recorded: heads, bodies and failures")
  func roundTrip() async throws {
    let big = (0..<50_000).map { "\($0)" }.joined(separator: ",")
    let cut = TransportError(.cut, url: Redactable("https://x.test/cut"), problem: "the connection ended after 3 bytes")
    let answers = [
      StubAnswer.text(#"{"a":1}"#), .text("", status: 204), StubAnswer(pieces: [[0, 255, 128]]), .text(big),
      StubAnswer(pieces: [Array("[1,".utf8)], fault: cut), .failure(.connect, "connection refused by 127.0.0.1:9"),
      .text("busy", status: 503),
    ]
    let recording = try Recording(answers)
    let names = ["json", "none", "binary", "big", "cut", "refused", "busy"]
    for name in names { _ = await recording.transport.fault(get("https://x.test/\(name)")) }
    let replay = try recording.replay()
    #expect(replay.start == 1_700_000_000)
    let first = try await replay.send(get("https://x.test/json"))
    #expect(first.head.status == 200 && first.head.fields["content-type"] == "application/json")
    #expect(first.head.url == Redactable("https://x.test/json"))
    #expect(try await first.body.next() == Array(#"{"a":1}"#.utf8))
    #expect(try await first.body.next() == nil)
    #expect(try await replay.body(get("https://x.test/none")) == [])
    #expect(try await replay.body(get("https://x.test/binary")) == [0, 255, 128])
    #expect(try await replay.text(get("https://x.test/big")) == big)
    let whole = try await replay.send(get("https://x.test/cut"))
    #expect(try await whole.body.next() == Array("[1,".utf8))
    await #expect(throws: cut) { _ = try await whole.body.next() }
    let refused = await replay.fault(get("https://x.test/refused"))
    #expect(refused?.kind == .connect && refused?.problem == "connection refused by 127.0.0.1:9")
    #expect(try await replay.send(get("https://x.test/busy")).head.status == 503)
  }

  @Test("answers repeated requests in order, and then no more")
  func repeated() async throws {
    let replay = try har(
      entry("https://x.test/", "second", at: "2024-01-01T00:00:02.000Z"),
      entry("https://x.test/", "first", at: "2024-01-01T00:00:01.000Z"))
    #expect(try await replay.text(get("https://x.test/")) == "first")
    #expect(try await replay.text(get("https://x.test/")) == "second")
    let fault = await replay.fault(get("https://x.test/"))
    #expect(fault?.kind == .noAnswer)
    #expect(fault?.problem == "'x.har' has 2 answers to GET https://x.test/, and it was asked once more")
  }

  @Test(
    "passes over each 401 that another answer follows, also of equal requests at once",
    arguments: [
      ([401, 401, 200, 200], [200, 200]), ([401, 200, 401, 503, 200], [200, 503, 200]), ([401, 401], [401]),
      ([200, 401], [200, 401]), ([401], [401]),
    ])
  func refusals(recorded: [Int], replayed: [Int]) async throws {
    let entries = recorded.enumerated().map { number, status in
      entry("https://x.test/", "\(number)", status: status, at: "2024-01-01T00:00:0\(number).000Z")
    }
    let replay = try har(entries.joined(separator: ","))
    for status in replayed { #expect(try await replay.send(get("https://x.test/")).head.status == status) }
    #expect(await replay.fault(get("https://x.test/"))?.kind == .noAnswer)
  }

  @Test("passes over a 401 to a URL with another token, but not over one that only a cancelled request follows")
  func refusalsAndTokens() async throws {
    let replay = try har(
      entry("https://x.test/?token=old", status: 401), entry("https://x.test/?token=new", "new"))
    #expect(try await replay.text(get("https://x.test/?token=***")) == "new")
    let cancelled = entry("https://x.test/", status: 0).dropLast(2) + #","_errorKind":"cancelled"}}"#
    let interrupted = try har(entry("https://x.test/", status: 401), String(cancelled))
    #expect(try await interrupted.send(get("https://x.test/")).head.status == 401)
  }

  /// A request of a job, with a header field.
  private func request(_ job: String, tenant: String? = nil) -> Request {
    var request = get("https://x.test/").with(purpose: .init(job: job), redactedURL: "https://x.test/")
    if let tenant { request.fields.append("X-Tenant", Redactable(tenant)) }
    return request
  }

  @Test("gives each job its own answers, and a job of another name all answers in order")
  func jobs() async throws {
    let entries = ["a", "b", "a"].enumerated().map { number, job in
      let answer = entry("https://x.test/", "\(job)\(number)", at: "2024-01-01T00:00:0\(number).000Z")
      return answer.dropLast() + #","_job":"\#(job)"}"#
    }
    let replay = try har(entries.joined(separator: ","))
    for (job, text) in [("b", "b1"), ("a", "a0"), ("a", "a2")] { #expect(try await replay.text(request(job)) == text) }
    #expect(await replay.fault(request("b"))?.kind == .noAnswer)
    let renamed = try har(entries.joined(separator: ","))
    for text in ["a0", "b1", "a2"] { #expect(try await renamed.text(request("c")) == text) }
  }

  @Test("gives each request the answers to its own header fields, also where one of them was retried")
  func fields() async throws {
    let recorded = [("t0", 503), ("t1", 200), ("t2", 200), ("t0", 200)]
    let entries = recorded.enumerated().map { number, request in
      let time = "2024-01-01T00:00:0\(number).000Z"
      return entry("https://x.test/", request.0, status: request.1, at: time).replacing(
        #""request":{"#, with: #""request":{"headers":[{"name":"x-tenant","value":"\#(request.0)"}],"#)
    }
    let replay = try har(entries.joined(separator: ","))
    for tenant in ["t0", "t0", "t2", "t1"] {
      #expect(try await replay.text(request("a", tenant: tenant)) == tenant)
    }
    let changed = try har(entries.joined(separator: ","))
    for tenant in ["t0", "t1", "t2", "t0"] { #expect(try await changed.text(request("a")) == tenant) }
  }

  @Test("shows the nearest request there is when it has no answer")
  func nearest() async throws {
    let pages = (1...40).map { entry("https://x.test/coins?page=\($0)&per_page=20", "[]") }
    let replay = try har(pages.joined(separator: ","), entry("https://other.test/", "[]", method: "POST"))
    for (asked, near) in [
      ("https://x.test/coins?page=41&per_page=20", "GET https://x.test/coins?page=4&per_page=20"),
      ("https://x.test/coin?page=7&per_page=20", "GET https://x.test/coins?page=7&per_page=20"),
      ("https://other.test/", "POST https://other.test/"),
    ] {
      let fault = await replay.fault(get(asked))
      #expect(fault?.kind == .noAnswer)
      #expect(fault?.problem == "'x.har' has no answer to GET \(asked); the nearest it has is \(near)")
    }
    let longer = try har(
      entry("https://x.test/coins?page=2&fields=name,price", "[]"), entry("https://x.test/coins?page=3", "[]"))
    let fault = await longer.fault(get("https://x.test/coins?page=2"))
    #expect(
      fault?.problem.hasSuffix("the nearest it has is GET https://x.test/coins?page=2&fields=name,price") == true)
    let ordered = try har(
      entry("https://x.test/coins?resume=t15&take=9", "[]"), entry("https://x.test/coins?take=7&resume=t14", "[]"),
      entry("https://x.test/coins?take=7&resume=t15&x=1", "[]"))
    for asked in ["resume=t14&take=7", "resume=t14&take=7&x=2"] {
      let fault = await ordered.fault(get("https://x.test/coins?\(asked)"))
      #expect(fault?.problem.hasSuffix("the nearest it has is GET https://x.test/coins?take=7&resume=t14") == true)
    }
    #expect(await (try har()).fault(get("https://x.test/"))?.problem.hasSuffix("nor any other") == true)
  }

  @Test("tells bodies apart, but not their white space")
  func bodies() async throws {
    let replay = try har(
      entry("https://x.test/", "one", method: "POST", post: #"{ "page": 1 }"#),
      entry("https://x.test/", "two", method: "POST", post: #"{"page":2,"key":"k"}"#))
    #expect(try await replay.text(post("https://x.test/", #"{"page":2,"key":"***"}"#)) == "two")
    #expect(try await replay.text(post("https://x.test/", #"{"page":1}"#)) == "one")
    let fault = await replay.fault(post("https://x.test/", #"{"page":3}"#))
    #expect(fault?.problem == #"'x.har' has POST https://x.test/ with another body: {"page":1}"#)
  }

  @Test("takes *** in a request for whatever was recorded there")
  func masked() async throws {
    let replay = try har(
      entry("https://x.test/DEMO/apod?api_key=DEMO_KEY&date=2024-01-01", "one"),
      entry("https://x.test/DEMO/apod?api_key=DEMO_KEY&date=2024-01-02", "two"))
    let asked = "https://x.test/***/apod?api_key=***&date=2024-01-0"
    #expect(try await replay.text(get("https://x.test/%2A/apod", redacted: asked + "2")) == "two")
    #expect(try await replay.text(get("https://x.test/%2A/apod", redacted: asked + "1")) == "one")
    #expect(await replay.fault(get("https://x.test/%2A/apod", redacted: asked + "3"))?.kind == .noAnswer)
  }

  @Test("gives redirects as they were recorded, one by one")
  func redirects() async throws {
    let recording = try Recording([
      StubAnswer(status: 303, fields: [("Location", "/b?x=1")]), StubAnswer.text("there"),
    ])
    _ = try await recording.transport.body(post("https://x.test/a", "{}"))
    _ = try await recording.transport.body(get("https://x.test/b?x=1"))
    let replay = try recording.replay()
    let reply = try await replay.send(post("https://x.test/a", "{}"))
    #expect(reply.head.status == 303 && reply.head.fields["location"] == "/b?x=1")
    #expect(try await replay.text(get("https://x.test/b?x=1")) == "there")
  }

  @Test("keeps to the request's limit for bodies")
  func limit() async throws {
    var request = get("https://x.test/")
    request.bodyLimit = 4
    #expect(try await har(entry("https://x.test/", "1234")).text(request) == "1234")
    #expect(try await har(entry("https://x.test/", "12345")).fault(request)?.kind == .tooLarge)
  }

  @Test("a request that was given up when it was recorded answers nothing while there is an answer")
  func givenUp() async throws {
    let cancelled = TransportError(.cancelled, url: Redactable("https://x.test/"), problem: "the request was cancelled")
    let recording = try Recording([
      .failure(.cancelled, "the request was cancelled"), StubAnswer(pieces: [Array("[1,".utf8)], fault: cancelled),
      .text("busy", status: 503), .text("[1,2]"),
    ])
    for _ in 1...4 { _ = await recording.transport.fault(get("https://x.test/")) }
    let replay = try recording.replay()
    #expect(try await replay.send(get("https://x.test/")).head.status == 503)
    #expect(try await replay.text(get("https://x.test/")) == "[1,2]")
    #expect(await replay.fault(get("https://x.test/"))?.problem == "the request was cancelled")
  }

  @Test("is not held up by a body that nobody reads to its end")
  func cancelled() async throws {
    let replay = try har(entry("https://x.test/", "text"))
    let reply = try await replay.send(get("https://x.test/"))
    reply.body.cancel()
    #expect(try await reply.body.next() == nil)
  }

  @Test(
    "says what is wrong with a file that is no HAR, and where",
    arguments: [
      ("", "'x.har' is not a HAR file: at line 1, column 1, there is no value, the text is empty\(ReplayError.advice)"),
      (
        "{\"log\":\n{\"entries\":[}}",
        "'x.har' is not a HAR file: at line 2, column 13, this can't stand here\(ReplayError.advice)"
      ),
      ("[]", "'x.har' has no /log/entries, so it is not a HAR file\(ReplayError.advice)"),
      (#"{"log":{"entries":{}}}"#, "'x.har' has no /log/entries, so it is not a HAR file\(ReplayError.advice)"),
      (#"{"log":{"entries":[1]}}"#, "'x.har', /log/entries/0: an entry without a request"),
      (
        #"{"log":{"entries":[{"request":{"method":"GET"}}]}}"#,
        "'x.har', /log/entries/0/request: a request without a URL"
      ),
      (
        #"{"log":{"entries":[{"request":{"url":"http://x.test/","method":7}}]}}"#,
        "'x.har', /log/entries/0/request: a request without a method"
      ),
    ])
  func malformed(text: String, problem: String) {
    #expect(throws: ReplayError(problem: problem)) { try ReplayTransport(har: Array(text.utf8), name: "x.har") }
  }
}
