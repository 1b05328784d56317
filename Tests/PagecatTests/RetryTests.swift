import Diagnostics
import Fetching
import Foundation
import Engine
import Pagecat
import PipelineSpec
import TestSupport
import Testing

@Suite("Retries, from the spec to the last line", .limitedConcurrency)
struct RetryTests {
  /// A run to its end, on a clock that does not wait.
  struct Ending {
    var records = ""
    var failure: Failure?
    var counters: RunCounters
    var waits: [Duration]
  }

  private static let start = 1_700_000_000

  private func run(_ spec: String, _ server: LoopbackServer, limit: Int? = nil) async throws -> Ending {
    let clock = VirtualClock(start: Double(Self.start))
    var options = RunOptions()
    options.clock = clock
    options.start = Self.start
    options.recordLimit = limit
    let text = spec.replacingOccurrences(of: "SERVER", with: server.origin)
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    var records: [UInt8] = []
    while let batch = await run.next() { records += batch.lines }
    let counters = run.report.counters
    return Ending(
      records: String(decoding: records, as: UTF8.self), failure: counters.failure, counters: counters,
      waits: clock.waits)
  }

  /// A server that gives its answers one after the other, the last one for ever.
  private func server(_ answers: Answer...) throws -> LoopbackServer {
    let rest = Watched(answers)
    return try LoopbackServer { _ in
      rest.update { answers in answers.count > 1 ? answers.removeFirst() : answers[0] }
    }
  }

  @Test("429 with seconds, a date, or a reset is waited for exactly as long as it says")
  func shown() async throws {
    let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    let server = try server(
      .json("slow", status: 429, fields: ["Retry-After": "7"]),
      .json("slow", status: 429, fields: ["Date": date, "Retry-After": "Tue, 14 Nov 2023 22:13:33 GMT"]),
      .json("slow", status: 429, fields: ["RateLimit": "\"default\";r=0;t=21"]),
      .json("slow", status: 403, fields: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"]),
      .json("[1,2]"))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.records == "1\n2\n")
    #expect(ending.waits == [.seconds(7), .seconds(13), .seconds(21), .seconds(30)])
    #expect(ending.counters.requests == 5 && ending.counters.retries == 4)
    #expect(ending.counters.verdict == .complete)
  }

  @Test("Retry-After decides, whatever the headers beside it say of the limit: for the request, and for others there")
  func retryAfterDecides() async throws {
    let resets: [KeyValuePairs<String, String>] = [
      ["Retry-After": "1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5"],
      ["Retry-After": "2", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5000"],
      ["Retry-After": "3", "RateLimit": "\"a\";r=0;t=5"],
      ["Retry-After": "9", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5"],
    ]
    let slow = resets.map { Answer.json("slow", status: 429, fields: $0) }
    let server = try server(slow[0], slow[1], slow[2], slow[3], .json("[1]"))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.records == "1\n")
    #expect(ending.waits == [.seconds(1), .seconds(2), .seconds(3), .seconds(9)])
    let other = try self.server(slow[1], .json("[2]"))
    let spec = "endpoint: SERVER/${input.n}\neach: { n: [1, 2] }\nonError: skip\nretry: 1"
    let ending2 = try await run(spec, other)
    #expect(ending2.records == "2\n" && ending2.waits == [.seconds(2)])
  }

  @Test("a 500 that carries reset headers is not left alone until then")
  func resetOnServerError() async throws {
    let fields: KeyValuePairs = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "400"]
    let server = try server(.json("oops", status: 500, fields: fields), .json("[1]"))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.records == "1\n")
    #expect(ending.waits.count == 1 && ending.waits[0] <= .milliseconds(500))
  }

  @Test("a 200 that says that nothing remains delays the request after it")
  func nothingRemains() async throws {
    let server = try server(
      .json("[1]", fields: ["RateLimit": "limit=10, remaining=0, reset=9"]),
      .json("[2]", fields: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000059"]), .json("[]"))
    let ending = try await run("endpoint: SERVER/n\npages: { number: page }", server)
    #expect(ending.records == "1\n2\n")
    #expect(ending.waits == [.seconds(9), .seconds(50)])
    #expect(ending.counters.retries == 0)
  }

  @Test("a server that always says 429 comes to an end, and the end says when to come back")
  func forEver() async throws {
    let server = try server(.json("slow", status: 429, fields: ["Retry-After": "0"]))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.counters.verdict == .failed)
    #expect(ending.counters.requests < 30)
    let message = ending.failure?.description ?? ""
    #expect(message.contains("429 from \(server.url("/n")) (page 1), "))
    #expect(message.contains("attempts; come back at 2023-11-14T22:2"))
    #expect(ending.waits.reduce(.zero, +) <= .seconds(600))
  }

  @Test("a body that only the end of the connection ended may have been cut, and is asked for again")
  func unsized() async throws {
    let server = try server(.unsized("[1,2,"), .unsized(#"[1,2,"ab"#), .unsized(""), .unsized("[1,2,3]"))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.records == "1\n2\n3\n")
    #expect(ending.counters.retries == 3)
    let cut = try self.server(.unsized("[1,2,"))
    let failed = try await run("endpoint: SERVER/n\nretry: 2", cut)
    #expect(failed.records == "" && failed.counters.requests == 2)
    let advice =
      "says where this body ends: it may have been cut (2 attempts; try again later, or raise 'attempts' in 'retry')"
    #expect(failed.failure?.description.contains(advice) == true)
  }

  @Test("so may one that ends within its byte order mark")
  func cutMark() async throws {
    func mark(_ count: Int) -> Answer {
      .raw([.send(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + [0xEF, 0xBB, 0xBF].prefix(count))])
    }
    let ending = try await run("endpoint: SERVER/n", server(mark(1), mark(2), mark(3), .unsized("[1]")))
    #expect(ending.records == "1\n")
    #expect(ending.counters.retries == 3)
  }

  @Test("a secondary limit is left alone for a minute at least")
  func secondary() async throws {
    let words = #"{"message":"You have exceeded a secondary rate limit."}"#
    let server = try server(.json(words, status: 403), .json("[1]"))
    let ending = try await run("endpoint: SERVER/n", server)
    #expect(ending.records == "1\n")
    #expect(ending.waits == [.seconds(60)])
  }

  @Test("rates space requests to an origin over all steps, retries and hops too; the strictest holds")
  func rates() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/a": .redirect(to: "/b")
      case "/b": .json("[1,2]")
      default: .json("[3]")
      }
    }
    let spec = """
      base: SERVER/
      rate: 10/s
      steps:
        - endpoint: a
        - endpoint: c/${input}
          rate: 2/m
      """
    let ending = try await run(spec, server)
    #expect(ending.records == "3\n3\n")
    #expect(ending.waits == [.seconds(30), .seconds(30), .seconds(30)])
  }

  @Test("what one request was told holds for the others at that origin")
  func shared() async throws {
    let server = try LoopbackServer { request in
      request.path == "/1" ? .json("slow", status: 429, fields: ["Retry-After": "3600"]) : .json("[7]")
    }
    let spec = "endpoint: SERVER/${input.n}\neach: { n: [1, 2, 3] }\nonError: skip"
    let ending = try await run(spec, server)
    #expect(ending.records == "")
    #expect(ending.counters.requests == 1 && ending.counters.rejected == 3)
  }

  @Test("a run that is given up does not wait, whatever a server has asked for", .timeLimit(.minutes(20)))
  func givenUp() async throws {
    let server = try LoopbackServer { request in
      request.path == "/1" ? .json("[1]") : .json("slow", status: 429, fields: ["Retry-After": "500"])
    }
    let text = "endpoint: \(server.origin)/${input.n}\neach: { n: [1, 2] }\nconcurrency: 2"
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    var options = RunOptions()
    options.recordLimit = 1
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    #expect(await run.next()?.lines == Array("1\n".utf8))
    await server.requests(atLeast: 2)
    await run.stop()
    #expect(run.report.counters.failure == nil)
  }

  @Test("a task that is cancelled while it waits for a server ends at once", .timeLimit(.minutes(20)))
  func cancelled() async throws {
    let server = try LoopbackServer { _ in .json("slow", status: 503, fields: ["Retry-After": "500"]) }
    let folder = try TemporaryFolder()
    let path = try folder.write("endpoint: \(server.origin)/n", to: "spec.yaml")
    let pipeline = try Pipeline(contentsOf: path, environment: [:])
    let task = Task {
      for try await _ in pipeline.records(as: Int.self) {}
    }
    await server.requests(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.count == 1)
  }

  @Test("a token is renewed when nine tenths of its life are over, and not before")
  func renewal() async throws {
    let tokens = Watched(0)
    let server = try LoopbackServer { request in
      if request.path == "/token" {
        let number = tokens.update { number in
          number += 1
          return number
        }
        return .json(#"{"access_token":"token-\#(number)","token_type":"bearer","expires_in":"100"}"#)
      }
      let body = ["1": "[1]", "2": "[2]", "3": "[3]"][String(request.target.suffix(1))] ?? "[]"
      return .json(body, fields: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "45"])
    }
    let spec = """
      endpoint: SERVER/n
      pages: { number: page }
      auth: { oauth2: { tokenUrl: SERVER/token, clientId: me, clientSecret: hidden } }
      """
    let ending = try await run(spec, server)
    #expect(ending.records == "1\n2\n3\n")
    let bearers = server.requests.compactMap { $0["Authorization"] }.filter { $0.hasPrefix("Bearer") }
    #expect(bearers == ["Bearer token-1", "Bearer token-1", "Bearer token-2", "Bearer token-2"])
  }

  @Test("what is given up waits for no token, whoever else does", .timeLimit(.minutes(20)))
  func givenUpWhileWaiting() async throws {
    let gate = Gate()
    let tokens = Watched(0)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/token":
        return tokens.update {
          $0 += 1
          return $0
        } == 1 ? .json(#"{"access_token":"token-1","token_type":"bearer"}"#) : .hang
      case "/list": return request.target.hasSuffix("=1") ? .json("[1,2,3]") : .status(401)
      case "/each/1": return .status(404).held(by: gate)
      default: return .status(401)
      }
    }
    let text = """
      base: \(server.origin)/
      auth: { oauth2: { tokenUrl: "\(server.origin)/token", clientId: me, clientSecret: hidden } }
      timeout: 1h
      steps:
        - endpoint: list
          pages: { number: page }
          concurrency: 3
        - endpoint: each/${input}
          concurrency: 4
      """
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    let run = try Run([spec], options: RunOptions(), source: .network, input: Input(descriptor: 0)) { _, _ in }
    async let first = run.next()
    // A new token, which never comes: pages of the list and records 2 and 3 wait for it.
    await tokens.when { $0 == 2 }
    gate.open()
    #expect(await first == nil)
    await run.stop()
    guard run.report.counters.failure?.error.status == 404 else {
      Issue.record("\(String(describing: run.report.counters.failure))")
      return
    }
  }

  @Test("a request that is sent once more on a fresh connection waits for its turn too, and uses up no attempt")
  func usedConnections() async throws {
    let seen = Watched<Set<Int>>([])
    let server = try LoopbackServer { request in
      seen.update { $0.insert(request.connection).inserted }
        ? .json(#"{"pages":4,"data":[\#(request.target.suffix(1))]}"#) : .empty
    }
    let spec = """
      endpoint: SERVER/n
      contentIdentifier: data
      pages: { number: page, totalPages: body.pages }
      retry: 1
      rate: 1/s
      timeout: 1h
      concurrency: 1
      """
    let ending = try await run(spec, server)
    #expect(ending.records == "1\n2\n3\n4\n")
    let count = server.requests.count
    #expect(ending.counters.requests == count && ending.counters.retries == 0)
    // Seven, but libcurl does not use a connection again that lay idle for two minutes, as it may on a machine that is busy.
    #expect((5...7).contains(count))
    #expect(ending.waits.reduce(.zero, +) >= .seconds(count - 1))
  }

  @Test("one token fetch serves all that wait for it, and is given up when none does", .timeLimit(.minutes(20)))
  func oneFlight() async throws {
    let gate = Gate()
    let hangs = Watched(true)
    let server = try LoopbackServer { request in
      guard request.path == "/token" else { return .json("[\(request.path.dropFirst())]") }
      let token = Answer.json(#"{"access_token":"token-1","token_type":"bearer"}"#)
      return hangs.value ? .hang : token.held(by: gate)
    }
    let text = """
      endpoint: \(server.origin)/${input.n}
      each: { n: [1, 2, 3, 4] }
      concurrency: 4
      auth: { oauth2: { tokenUrl: "\(server.origin)/token", clientId: me, clientSecret: hidden } }
      timeout: 1h
      """
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    func begin() throws -> Run {
      try Run([spec], options: RunOptions(), source: .network, input: Input(descriptor: 0)) { _, _ in }
    }
    let abandoned = try begin()
    let waiting = Task { await abandoned.next() }
    await server.requests(atLeast: 1)
    await abandoned.stop()
    _ = await waiting.value
    await server.closedConnections(atLeast: 1)

    hangs.update { $0 = false }
    let run = try begin()
    let records = Task {
      var records: [UInt8] = []
      while let batch = await run.next() { records += batch.lines }
      return String(decoding: records, as: UTF8.self)
    }
    await server.requests(atLeast: 2)
    gate.open()
    #expect(await records.value == "1\n2\n3\n4\n")
    #expect(server.requests.count { $0.path == "/token" } == 2)
  }
}
