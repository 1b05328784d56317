import Foundation
import Pagecat
import TestSupport
import Testing

@Suite("The options of a run", .limitedConcurrency)
struct PipelineOptionsTests {
  private static let address = "https://api.example.com/n"

  private func options(_ json: String...) -> PipelineOptions {
    var options = PipelineOptions()
    options.transport = ScriptedTransport([Self.address: json.map { PipelineResponse(json: $0) }])
    options.skipsWaits = true
    return options
  }

  private func pipeline(_ keys: String = "") throws -> Pipeline {
    try Pipeline(spec: "endpoint: \(Self.address)\n\(keys)", environment: [:])
  }

  @Test("a spec is read from the URL of a file, and from no other")
  func url() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(Self.address)\n", to: "my spec.yaml")
    let url = URL(fileURLWithPath: folder.path).appendingPathComponent("my spec.yaml")
    for try await value in try Pipeline(contentsOf: url, environment: [:]).run(options("[7]")).records(as: Int.self) {
      #expect(value == 7)
    }
    #expect {
      _ = try Pipeline(contentsOf: #require(URL(string: "https://example.com/a.yaml")))
    } throws: {
      "\($0)".hasPrefix("'https://example.com/a.yaml' is not the URL of a file")
    }
  }

  @Test("input is an array of values, or of records with their own bytes")
  func arrays() async throws {
    let wishes = try Pipeline(spec: "set: { text: \"a ${input.name}\" }", environment: [:])
    var texts: [String] = []
    for try await wish in wishes.run(input: [["name": "b"], ["name": "c"]]).records(as: [String: String].self) {
      texts.append(wish["text"] ?? "")
    }
    #expect(texts == ["a b", "a c"])
    var records: [RawRecord] = []
    for try await record in wishes.run(input: [["name": "b", "n": "1"]]).records() { records.append(record) }
    for try await record in wishes.run(input: records).records() {
      #expect(record.description.contains(#""text":"a b""#))
    }
  }

  @Test("a rate spaces the requests, and one that can't be read is refused")
  func rate() async throws {
    let server = try LoopbackServer { .json($0.target.hasSuffix("=5") ? "[]" : "[1]") }
    let pipeline = try Pipeline(
      spec: "endpoint: \(server.origin)/n\npages: { number: page }\nignore: repeats", environment: [:])
    var options = PipelineOptions()
    options.rate = "20/s"
    let begun = ContinuousClock.now
    for try await _ in pipeline.run(options).records() {}
    #expect(ContinuousClock.now - begun >= .milliseconds(190))
    options.rate = "fast"
    await #expect {
      for try await _ in pipeline.run(options).records() {}
    } throws: {
      "\($0)" == "'rate' is 'fast': give a rate such as 5/s, 12.5/s, 100/m or 1000/h"
    }
  }

  @Test("a run from a later step reads that step's input")
  func firstStep() async throws {
    let spec = "steps:\n  - name: a\n    endpoint: \(Self.address)\n  - name: b\n    set: { text: \"b ${input.x}\" }\n"
    var options = PipelineOptions()
    options.firstStep = "b"
    let run = try Pipeline(spec: spec, environment: [:]).run(options, input: [["x": 1]])
    var records: [String] = []
    for try await record in run.records() { records.append(record.description) }
    #expect(records == [#"{"x":1,"text":"b 1"}"#])
  }

  @Test("an allowed verdict is no error, and the file is written")
  func allowed() async throws {
    let folder = try TemporaryFolder()
    let spec = "contentIdentifier: n\npages: { number: page, totalRecords: body.all }"
    let transport = ScriptedTransport([
      "\(Self.address)?page=1": [PipelineResponse(json: #"{"all":2,"n":[1]}"#)],
      "\(Self.address)?page=2": [PipelineResponse(json: #"{"all":2,"n":[]}"#)],
    ])
    var options = PipelineOptions()
    (options.transport, options.skipsWaits) = (transport, true)
    await #expect(throws: IncompleteError.self) {
      try await pipeline(spec).run(options).export(to: folder.path + "/n")
    }
    options.allowed = [.short]
    let summary = try await pipeline(spec).run(options).export(to: folder.path + "/n")
    #expect(summary.verdict == .short)
    #expect(try folder.read("n") == "1\n")
    for try await value in try pipeline(spec).run(options).records(as: Int.self) { #expect(value == 1) }
    options.allowed = [.failed]
    await #expect {
      try await pipeline(spec).run(options).export(to: folder.path + "/n")
    } throws: {
      "\($0)" == "'allowed' has 'failed': give 'partial', 'short', or both"
    }
  }

  @Test("an export that is done once requests nothing again")
  func once() async throws {
    let folder = try TemporaryFolder()
    let transport = ScriptedTransport([Self.address: [PipelineResponse(json: "[1]")]])
    var options = PipelineOptions()
    options.transport = transport
    for _ in 0..<2 {
      let summary = try await pipeline().run(options).export(to: folder.path + "/n", resuming: true, once: true)
      #expect(summary.verdict == .complete)
    }
    #expect(transport.requests.count == 1)
    await #expect {
      try await pipeline().run(options).export(to: folder.path + "/n", once: true)
    } throws: {
      "\($0)" == "'once' needs 'resuming': give both of them each time"
    }
  }

  @Test("a summary is encoded with the members of '--summary json', and has the run's label")
  func summary() async throws {
    var options = options(#"[1,2]"#)
    options.label = "nightly"
    let run = try pipeline().run(options)
    for try await _ in run.records() {}
    struct Figures: Decodable, Equatable {
      let label: String
      let records: Int
      let statuses: [String: Int]
      let verdict: String
      let exit: Int
    }
    let summary = try #require(run.summary)
    let figures = try JSONDecoder().decode(Figures.self, from: JSONEncoder().encode(summary))
    #expect(
      figures == Figures(label: "nightly", records: 2, statuses: ["200": 1], verdict: "complete", exit: 0))
    #expect(summary.description.hasPrefix("spec [nightly]: 2 records"))
  }

  @Test("a file that another run writes is an error of its own")
  func busy() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .hang }
    let file = folder.path + "/n"
    let first = Task {
      try await Pipeline(spec: "endpoint: \(server.origin)/n\ntimeout: 1h", environment: [:]).run().export(to: file)
    }
    await server.requests(atLeast: 1)
    let error = await #expect(throws: NetworkingError.self) {
      try await pipeline().run(options("[1]")).export(to: file)
    }
    if case .busy(let context)? = error {
      #expect(context.hint.contains("is held by another run"))
    } else {
      Issue.record("\(String(describing: error))")
    }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
  }

  @Test("an error has one context: URL, page, status, the pause that the server asks for, and a hint")
  func context() async throws {
    var options = PipelineOptions()
    options.transport = ScriptedTransport([
      "\(Self.address)?page=1": [
        PipelineResponse(status: 503, headers: [(name: "Retry-After", value: "7200")], json: "{}")
      ]
    ])
    options.skipsWaits = true
    let error = await #expect(throws: NetworkingError.self) {
      for try await _ in try pipeline("pages: { number: page }").run(options).records() {}
    }
    guard case .invalidResponseStatus(let body, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(body == "{}")
    #expect(context.url == "\(Self.address)?page=1")
    #expect(context.page == 1)
    #expect(context.status == 503)
    #expect(context.retryAfter == .seconds(7_200))
    #expect(context.hint.contains("2 h"))
  }

  @Test("a merged export keeps what did not come, and tells the changes")
  func merge() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/n"
    var first = options(#"[{"id":1,"v":"a"},{"id":2,"v":"a"}]"#)
    first.writesManifest = true
    try await pipeline("unique: id").run(first).export(to: file)
    #expect(folder.names.sorted() == ["n", "n.manifest.json"])
    #expect(try folder.read("n.manifest.json").contains(#""records":2"#))
    var second = options(#"[{"id":2,"v":"b"},{"id":3,"v":"a"}]"#)
    second.changesFile = folder.path + "/changes"
    let summary = try await pipeline("unique: id").run(second).export(to: file, merging: true)
    #expect(
      try folder.read("n") == #"{"id":1,"v":"a"}"# + "\n" + #"{"id":2,"v":"b"}"# + "\n" + #"{"id":3,"v":"a"}"# + "\n")
    let changes = try #require(summary.changes)
    #expect((changes.added, changes.changed, changes.removed, changes.knowsRemovals) == (1, 1, 0, true))
    #expect(
      try folder.read("changes")
        == #"{"change":"changed","record":{"id":2,"v":"b"},"before":{"id":2,"v":"a"}}"# + "\n"
        + #"{"change":"added","record":{"id":3,"v":"a"}}"# + "\n")
    await #expect {
      try await pipeline("unique: id").run(second).export(to: file, appending: true)
    } throws: {
      "\($0)".hasPrefix("'appending' adds all records")
    }
  }
}
