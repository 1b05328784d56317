import Diagnostics
import Files
import Foundation
import PipelineSpec
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("The files of a run", .limitedConcurrency)
struct RunFilesTests {
  @Test("the journal goes last, and keeps other runs away when the locks are free")
  func lastRemovals() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer(["/": .json(#"[{"at":1}]"#)])
    let text = "endpoint: \(server.url("/"))\nincremental: { mark: at, start: 0 }\n"
    let spec = try Spec(reading: SourceText(name: "s.yaml", bytes: Array(text.utf8)))
    let removed = Locked<[String]>([])
    var destination = Destination()
    destination.path = folder.path + "/out"
    destination.state = folder.path + "/state"
    destination.calls.remove = { (path) throws(SystemError) in
      removed.withLock { $0.append(path) }
      try SystemCalls.system.remove(path)
    }
    let run = try Run(
      [spec], options: RunOptions(), source: .network, destination: destination, input: Input(descriptor: 0),
      warn: { _ in }
    ) { _, _ in }
    var output = Output(descriptor: 1)
    try await run.write(to: &output)
    await run.stop()
    _ = try run.close()
    let journal = try run.releaseLocks()
    #expect(folder.names.sorted() == ["out", "out.pagecat-journal", "state"])
    #expect {
      try OutputLocks(destination)
    } throws: {
      ($0 as? FileError)?.isBusy == true
    }
    try journal?.remove()
    let names = removed.withLock { $0.map { URL(filePath: $0).lastPathComponent } }
    #expect(
      names.suffix(6) == [
        "out.pagecat-part", ".state.pagecat-lock", ".out.pagecat-lock", ".out.pagecat-lock", ".state.pagecat-lock",
        "out.pagecat-journal",
      ])
    #expect(folder.names.sorted() == ["out", "state"])
  }
}
