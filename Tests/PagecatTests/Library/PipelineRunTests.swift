import Foundation
import Pagecat
import TestSupport
import Testing

@Suite("One run of a pipeline", .limitedConcurrency, .timeLimit(.minutes(20)))
struct PipelineRunTests {
  private static let pages = """
    endpoint: https://api.example.com/n
    headers: { X-Key: "${env.KEY?}" }
    contentIdentifier: n
    pages: { number: page, totalPages: body.pages }
    """

  private func options(_ transport: ScriptedTransport? = nil) -> PipelineOptions {
    var options = PipelineOptions()
    options.transport = transport
    options.skipsWaits = true
    return options
  }

  private func twoPages() -> ScriptedTransport {
    ScriptedTransport([
      "https://api.example.com/n?page=1": [.init(json: #"{"pages":2,"n":[ 1, 20000000000000000000000000000001 ]}"#)],
      "https://api.example.com/n?page=2": [.init(json: #"{"pages":2,"n":[{"a" : "\u00e9"}]}"#)],
    ])
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private static let key = ["KEY": "geheim"]

  @Test("records come with the server's own bytes, and the summary is there at the end and not before")
  func raw() async throws {
    let transport = twoPages()
    let run = try Pipeline(spec: Self.pages, environment: Self.key).run(options(transport))
    var lines: [String] = []
    for try await record in run.records() {
      lines.append(record.description)
      #expect(run.summary == nil)
    }
    #expect(lines == ["1", "20000000000000000000000000000001", #"{"a":"\u00e9"}"#])
    let summary = try #require(run.summary)
    #expect(summary.verdict == .complete && summary.reason.isEmpty && summary.error == nil)
    #expect((summary.records, summary.pages, summary.requests, summary.statuses) == (3, 2, 2, [200: 2]))
    #expect(transport.requests.map(\.url) == (1...2).map { "https://api.example.com/n?page=\($0)" })
    #expect(transport.requests[0].header("x-key") == "geheim")
    var shown = "\(run) \(transport.requests[0])"
    dump((run, transport.requests[0]), to: &shown)
    #expect(!shown.contains("geheim") && shown.contains("GET https://api.example.com/n?page=1"))
  }

  @Test("a run gives its records once, and its limits are those of its options")
  func once() async throws {
    var limited = options(twoPages())
    limited.pageLimit = 1
    let run = try Pipeline(spec: Data(Self.pages.utf8), environment: [:]).run(limited)
    var count = 0
    for try await _ in run.records() { count += 1 }
    #expect(count == 2 && run.summary?.verdict == .capped)
    await #expect {
      for try await _ in run.records() {}
    } throws: {
      ($0 as? SpecError)?.description == "a run gives its records once: make another run"
    }
    await #expect(throws: SpecError.self) { try await run.export(to: "/dev/null") }
  }

  @Test("a run that can't begin leaves standard input to the next one")
  func givesStandardInputBack() async throws {
    var options = options(twoPages())
    options.stateFile = Self.package
    let spec =
      "endpoint: https://api.example.com/n\nquery: { page: \"${input.n}\" }\nincremental: { mark: at, start: 0 }\n"
    for _ in 0..<2 {
      let run = try Pipeline(spec: spec, environment: [:]).run(options)
      await #expect {
        for try await _ in run.records() {}
      } throws: {
        !"\($0)".contains("can be read once") && "\($0)".contains(Self.package)
      }
    }
  }

  @Test("options that can't be are refused before any request")
  func refused() async throws {
    let transport = twoPages()
    var options = options(transport)
    (options.recordLimit, options.concurrency, options.replay) = (0, 257, "x.har")
    let run = try Pipeline(spec: Self.pages, environment: [:]).run(options)
    await #expect {
      for try await _ in run.records() {}
    } throws: { error in
      (error as? SpecError)?.messages == [
        "'recordLimit' is 0: give 1 or more", "'concurrency' is 257: give 1 to 256",
        "'replay' and 'transport' both answer: give one of them",
      ]
    }
    #expect(run.summary == nil && transport.requests.isEmpty)
    for skips in [false, true] {
      var options = PipelineOptions()
      (options.paceFile, options.skipsWaits, options.replay) = ("pace", skips, skips ? nil : "x.har")
      let name = skips ? "skipsWaits" : "replay"
      await #expect {
        for try await _ in try Pipeline(spec: Self.pages, environment: [:]).run(options).records() {}
      } throws: {
        ($0 as? SpecError)?.messages == ["'paceFile' spaces requests, and '\(name)' takes no time: give one"]
      }
    }
    for await event in run.events { Issue.record("\(event)") }
  }

  @Test("a transport that fails is asked again as the spec says, and its error names URL, page and status")
  func failing() async throws {
    let transport = ScriptedTransport([
      "https://api.example.com/a": [nil, .init(json: "[1]")], "https://api.example.com/b": [nil],
      "https://api.example.com/c": [.init(status: 500, json: "{}")],
    ])
    var values: [Int] = []
    let run = try Pipeline(spec: "endpoint: https://api.example.com/a", environment: [:]).run(options(transport))
    for try await value in run.records(as: Int.self) { values.append(value) }
    #expect(values == [1] && run.summary?.retries == 1)
    for (path, code, status) in [("b", "transportFailure", nil), ("c", "invalidResponseStatus", 500)] {
      let run = try Pipeline(
        spec: "endpoint: https://api.example.com/\(path)\npages: { number: p }", environment: [:]
      ).run(
        options(
          ScriptedTransport([
            "https://api.example.com/b?p=1": [nil], "https://api.example.com/c?p=1": [.init(status: 500, json: "{}")],
          ])))
      await #expect {
        for try await _ in run.records() {}
      } throws: { error in
        guard let error = error as? any PipelineError else { return false }
        return error.code == code && error.status == status && error.page == 1
          && error.url == "https://api.example.com/\(path)?p=1"
      }
      #expect(run.summary?.verdict == .failed && run.summary?.error?.code == code)
    }
  }

  @Test("the summary names the pager that 'pages: auto' has chosen")
  func chosenPages() async throws {
    let address = "https://api.example.com/coins"
    let transport = ScriptedTransport([
      address: [.init(json: #"{"items":[{"id":1}],"cursor":"x"}"#)],
      address + "?cursor=x": [.init(json: #"{"items":[{"id":2}],"cursor":null}"#)],
    ])
    let spec = "name: coins\nendpoint: \(address)\ncontentIdentifier: items\npages: auto"
    let run = try Pipeline(spec: spec, environment: [:]).run(options(transport))
    for try await _ in run.records() {}
    #expect(run.summary?.chosenPages == ["coins": "pages: { cursor: cursor, from: body.cursor }"])
  }

  @Test("input records come from a Swift sequence, and from another pipeline with their own bytes")
  func input() async throws {
    struct User: Encodable, Sendable { let id: Int }
    let transport = ScriptedTransport([
      "https://api.example.com/users": [.init(json: #"[{"id":20000000000000000000000000000001},{"id":2}]"#)],
      "https://api.example.com/posts/20000000000000000000000000000001": [.init(json: #"["a"]"#)],
      "https://api.example.com/posts/2": [.init(json: #"["b","c"]"#)],
    ])
    let posts = try Pipeline(spec: "endpoint: https://api.example.com/posts/${input.id}", environment: [:])
    let users = AsyncStream<User> { stream in
      for _ in 0..<3_000 { stream.yield(User(id: 2)) }
      stream.finish()
    }
    var count = 0
    let run = posts.run(options(transport), input: users)
    for try await _ in run.records() { count += 1 }
    #expect(count == 6_000 && run.summary?.inputs == 3_000)

    let all = try Pipeline(spec: "endpoint: https://api.example.com/users", environment: [:])
    var texts: [String] = []
    for try await text in posts.run(options(transport), input: all.run(options(transport)).records())
      .records(as: String.self)
    {
      texts.append(text)
    }
    #expect(texts == ["a", "b", "c"])

    let pretty = JSONEncoder()
    pretty.outputFormatting = .prettyPrinted
    let two = AsyncStream<User> { stream in
      for id in [2, 2] { stream.yield(User(id: id)) }
      stream.finish()
    }
    count = 0
    for try await _ in posts.run(options(transport), input: two, encoder: pretty).records() { count += 1 }
    #expect(count == 4)
    await #expect {
      for try await _ in all.run(options(transport), input: users).records() {}
    } throws: { error in
      (error as? SpecError)?.description == "spec: its first step reads no records, and some were given"
    }
  }

  @Test("a sequence that ends with an error ends the run with it, after the records before it")
  func brokenInput() async throws {
    struct Late: Error {}
    let numbers = AsyncThrowingStream<Int, any Error> { stream in
      stream.yield(1)
      stream.finish(throwing: Late())
    }
    let transport = ScriptedTransport(["https://api.example.com/1": [.init(json: "[7]")]])
    var values: [Int] = []
    let run = try Pipeline(spec: "endpoint: https://api.example.com/${input}", environment: [:])
      .run(options(transport), input: numbers)
    await #expect(throws: Late.self) {
      for try await value in run.records(as: Int.self) { values.append(value) }
    }
    #expect(values == [7] && run.summary?.verdict == .failed)
  }

  @Test("a sequence that never ends is let go of when nobody wants more")
  func endlessInput() async throws {
    let numbers = AsyncStream<Int>(unfolding: { 1 })
    let transport = ScriptedTransport(["https://api.example.com/1": [.init(json: "[7]")]])
    var options = options(transport)
    options.recordLimit = 3
    let run = try Pipeline(spec: "endpoint: https://api.example.com/${input}", environment: [:])
      .run(options, input: numbers)
    var count = 0
    for try await _ in run.records() { count += 1 }
    #expect(count == 3 && run.summary?.verdict == .capped)
  }

  @Test("an observer gets progress, warnings and rejects, and the end")
  func events() async throws {
    let transport = ScriptedTransport([
      "https://api.example.com/1": [.init(json: #"{"items":[1],"links":{"next":"/1?page=2"}}"#)]
    ])
    let spec =
      "each: { i: [1, 2] }\nendpoint: https://api.example.com/${input.i}\ncontentIdentifier: items\nonError: skip"
    let run = try Pipeline(spec: spec, environment: [:]).run(options(transport))
    let events = run.events
    let observer = Task {
      var heard: (warnings: [String], rejects: [PipelineEvent.Reject], last: PipelineEvent.Progress?) = ([], [], nil)
      for await event in events {
        switch event {
        case .warning(let text): heard.warnings.append(text)
        case .reject(let reject): heard.rejects.append(reject)
        case .progress(let progress): heard.last = progress
        case .missed(let count): Issue.record("\(count) were missed")
        }
      }
      return heard
    }
    await #expect {
      for try await _ in run.records() {}
    } throws: {
      ($0 as? IncompleteError)?.verdict == .short
    }
    let heard = await observer.value
    #expect(heard.warnings.count == 1 && heard.warnings[0].contains("'links.next'"))
    #expect(heard.rejects.map(\.record) == [2] && heard.rejects.first?.error.status == 404)
    #expect(heard.last?.records == 1 && heard.last?.requests == 2 && heard.last?.requestsInFlight == 0)
  }

  @Test("an export is written whole, and goes on where a failed one ended")
  func export() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/n.ndjson"
    let first = #"{"pages":2,"n":[1]}"#
    let broken = ScriptedTransport([
      "https://api.example.com/n?page=1": [.init(json: first)],
      "https://api.example.com/n?page=2": [.init(status: 400, json: "{}")],
    ])
    let pipeline = try Pipeline(spec: Self.pages, environment: [:])
    let failed = pipeline.run(options(broken))
    await #expect {
      try await failed.export(to: file)
    } throws: {
      ($0 as? NetworkingError)?.status == 400
    }
    #expect(failed.summary?.verdict == .failed && !folder.names.contains("n.ndjson"))
    let whole = ScriptedTransport([
      "https://api.example.com/n?page=1": [.init(json: first)],
      "https://api.example.com/n?page=2": [.init(json: #"{"pages":2,"n":[2]}"#)],
    ])
    let summary = try await pipeline.run(options(whole)).export(to: file, resuming: true)
    #expect((summary.verdict, summary.records, whole.requests.count) == (.complete, 2, 2))
    #expect(try folder.read("n.ndjson") == "1\n2\n" && folder.names == ["n.ndjson"])
    try await pipeline.run(options(twoPages())).export(to: file, appending: true)
    #expect(try folder.read("n.ndjson").hasPrefix("1\n2\n1\n"))
    await #expect {
      var same = options(whole)
      same.rejectsFile = file
      try await pipeline.run(same).export(to: file)
    } throws: {
      ($0 as? SpecError)?.description.hasSuffix("is given twice: each output needs a file of its own") == true
    }
  }

  @Test("a mark is remembered when all records were taken, and only then")
  func state() async throws {
    let folder = try TemporaryFolder()
    let spec = """
      endpoint: https://api.example.com/n
      query: { since: "${since}" }
      incremental: { mark: t, start: "0" }
      """
    let transport = ScriptedTransport([
      "https://api.example.com/n?since=0": [.init(json: #"[{"t":"1"},{"t":"2"}]"#)],
      "https://api.example.com/n?since=2": [.init(json: "[]")],
    ])
    var options = options(transport)
    options.stateFile = folder.path + "/state.json"
    let pipeline = try Pipeline(spec: spec, environment: [:])
    let given = pipeline.run(options)
    for try await _ in given.records() { break }
    while given.summary == nil { await Task.yield() }
    #expect(given.summary?.verdict == .failed && !folder.names.contains("state.json"))
    for try await _ in pipeline.run(options).records() {}
    for try await _ in pipeline.run(options).records() { Issue.record("nothing is new") }
    #expect(transport.requests.map { String($0.url.suffix(1)) } == ["0", "0", "2"])
  }

  @Test("a cancelled export leaves what it has, and goes on")
  func cancellation() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/n.ndjson"
    let server = try LoopbackServer { request in request.target.hasSuffix("=1") ? .json("[1]") : .hang }
    let spec = "endpoint: \(server.origin)/n\npages: { number: page }\ntimeout: 1h"
    let task = Task {
      try await Pipeline(spec: spec, environment: [:]).run().export(to: file)
    }
    _ = await server.requests(atLeast: 2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.names.sorted() == ["n.ndjson.pagecat-journal", "n.ndjson.pagecat-part"])
  }

  @Test("a recording answers in place of a server")
  func replay() async throws {
    var options = PipelineOptions()
    options.replay = Self.package + "/samples/cocktails.har"
    let pipeline = try Pipeline(contentsOf: Self.package + "/pipelines/cocktails.yaml", environment: [:])
    var bytes: [UInt8] = []
    for try await record in pipeline.run(options).records() { bytes += record.bytes + [0x0A] }
    let expected = try Data(contentsOf: URL(fileURLWithPath: Self.package + "/samples/cocktails.ndjson"))
    #expect(bytes == Array(expected))
  }
}
