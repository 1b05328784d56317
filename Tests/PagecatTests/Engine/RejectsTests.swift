import Diagnostics
import Files
import PipelineSpec
import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Engine

@Suite("Rejected input records", .limitedConcurrency)
struct RejectsTests {
  @Test("a record that fails once the run is interrupted is neither finished nor rejected")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let running = Locked<Run?>(nil)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/list": return .json("[1,2,3]")
      case "/1": return .json("[10]")
      default:
        running.withLock { $0 }?.interrupt(.terminate)
        return .status(404)
      }
    }
    let text = "base: \(server.url("/"))\nsteps:\n  - endpoint: list\n  - { endpoint: '${input}', onError: skip }\n"
    let spec = try Spec(reading: SourceText(name: "s.yaml", bytes: Array(text.utf8)))
    var destination = Destination()
    destination.path = folder.path + "/out"
    let run = try Run(
      [spec], options: RunOptions(), source: .network, destination: destination, input: Input(descriptor: 0),
      warn: { _ in }
    ) { _, _ in }
    running.withLock { $0 = run }
    var output = Output(descriptor: 1)
    try await run.write(to: &output)
    await run.stop()
    _ = try run.close()
    try run.release()
    running.withLock { $0 = nil }
    let left = try #require(try InterruptedRun(OutputPath(destination.path ?? ""), .system) { Spool(environment: [:]) })
    #expect(left.state.checkpoints[1]?.done == 1 && left.state.checkpoints[1]?.tally.rejected == 0)
    #expect(left.state.rejects.isEmpty)
  }
}
