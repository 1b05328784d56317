import Foundation
import Pagecat
import Synchronization
import TestSupport
import Testing

@Suite("Runs that share a client, as those of a server", .limitedConcurrency)
struct PipelineClientTests {
  private func options(_ client: PipelineClient) -> PipelineOptions {
    var options = PipelineOptions()
    options.client = client
    return options
  }

  private func count(_ run: PipelineRun) async throws -> Int {
    var count = 0
    for try await _ in run.records() { count += 1 }
    return count
  }

  /// Runs a pipeline several times at once; returns the numbers of records.
  private func together(_ times: Int, _ pipeline: Pipeline, _ client: PipelineClient) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<times { group.addTask { try await count(pipeline.run(options(client))) } }
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      return counts
    }
  }

  @Test("20 pipelines at once keep one rate, and use few connections")
  func rate() async throws {
    let server = try LoopbackServer { .json($0.target.hasSuffix("page=3") ? "[]" : "[1,2]") }
    let spec = "endpoint: \(server.origin)/n\npages: { number: page }\nrate: 50/s\nignore: repeats"
    let begun = ContinuousClock.now
    let counts = try await together(20, Pipeline(spec: spec, environment: [:]), PipelineClient())
    // 60 requests with 20 ms between each two take at least 1.18 s; 20 runs by themselves would take 0.04 s.
    #expect(ContinuousClock.now - begun >= .milliseconds(1_150))
    #expect(counts == Array(repeating: 4, count: 20))
    #expect(server.requests.count == 60)
    #expect(server.connections < 20)
  }

  @Test("runs one after the other use the connection of the one before")
  func connections() async throws {
    let server = try LoopbackServer { _ in .json("[1]") }
    let pipeline = try Pipeline(spec: "endpoint: \(server.origin)/n", environment: [:])
    let client = PipelineClient()
    for _ in 0..<5 { #expect(try await count(pipeline.run(options(client))) == 1) }
    // A run may begin before libcurl has the connection of the last one back.
    let shared = server.connections
    #expect(shared <= 2)
    for _ in 0..<2 { #expect(try await count(pipeline.run()) == 1) }
    #expect(server.connections == shared + 2)
  }

  @Test("runs log in once for an account, also those that begin at the same time, and each masks the token")
  func tokens() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/token": .json(#"{"access_token":"the-token"}"#)
      case "/n": .json("[1]")
      default: .json(#"{"problem":"not with the-token"}"#, status: 400)
      }
    }
    let auth = "auth: { oauth2: { tokenUrl: \(server.origin)/token, clientId: me, clientSecret: \"${env.KEY}\" } }"
    func pipeline(_ path: String) throws -> Pipeline {
      try Pipeline(spec: "endpoint: \(server.origin)/\(path)\n\(auth)", environment: ["KEY": "open-sesame"])
    }
    let client = PipelineClient()
    #expect(try await together(10, pipeline("n"), client) == Array(repeating: 1, count: 10))
    await #expect {
      try await count(pipeline("refused").run(options(client)))
    } throws: {
      "\($0)".contains("not with ***") && !"\($0)".contains("the-token")
    }
    #expect(server.requests.count { $0.path == "/token" } == 1)
  }

  @Test("a refresh token that each answer replaces is never used twice")
  func refreshTokens() async throws {
    let uses = Atomic(0)
    let server = try LoopbackServer { request in
      guard request.path == "/token" else { return .json("[1]") }
      let number = uses.load(ordering: .relaxed)
      guard request.text.contains("refresh_token=r\(number)") else {
        return .json(#"{"error":"invalid_grant"}"#, status: 400)
      }
      uses.add(1, ordering: .relaxed)
      // The token is due at once, so that each run needs another one.
      return .json(#"{"access_token":"a\#(number)","expires_in":0,"refresh_token":"r\#(number + 1)"}"#)
    }
    let spec = """
      endpoint: \(server.origin)/n
      auth: { oauth2: { tokenUrl: \(server.origin)/token, clientId: me, refreshToken: "${env.KEY}" } }
      """
    let counts = try await together(8, Pipeline(spec: spec, environment: ["KEY": "r0"]), PipelineClient())
    #expect(counts == Array(repeating: 1, count: 8))
    #expect(uses.load(ordering: .relaxed) == 8)
  }

  @Test("a client's runs have one file for rates, which is the client's")
  func paceFile() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .json("[1]") }
    let pipeline = try Pipeline(spec: "endpoint: \(server.origin)/n", environment: [:])
    #expect(try await count(pipeline.run(options(PipelineClient(paceFile: folder.path + "/pace")))) == 1)
    #expect(folder.names == ["pace"])
    var both = options(PipelineClient())
    both.paceFile = folder.path + "/pace"
    await #expect {
      try await count(pipeline.run(both))
    } throws: {
      "\($0)" == "'paceFile' is given with a 'client', whose runs share one: give it to PipelineClient(paceFile:)"
    }
  }
}
