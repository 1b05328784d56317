import Diagnostics
import Engine
import PipelineSpec
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("What a summary counts", .limitedConcurrency)
struct CountTests {
  /// Pages three and four wait until they are given up, and are never sent.
  private struct Impatient: HTTPTransport {
    let next: any HTTPTransport

    func send(_ request: Request) async throws(TransportError) -> Reply {
      guard ["3", "4"].contains(request.url.text.last) else { return try await next.send(request) }
      while !Task.isCancelled { await Task.yield() }
      throw TransportError(.unsent, url: request.url, problem: "the request was cancelled")
    }
  }

  @Test("a request that was given up before it was sent is none")
  func unsent() async throws {
    let server = try LoopbackServer(["/n?page=1": .json("[1]"), "/n?page=2": .json("[]")])
    let text = "endpoint: \(server.origin)/n\npages: {number: page}\nconcurrency: 3\n"
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    var options = RunOptions()
    options.transport = Impatient(next: CurlTransport())
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    while await run.next() != nil {}
    #expect(run.report.counters.requests == 2)
    #expect(run.report.counters.pages == 2)
  }
}
