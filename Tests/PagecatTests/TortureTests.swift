import CCurl
import Diagnostics
import Foundation
import PipelineSpec
import TestSupport
import Testing
import Wire

@testable import Fetching
@testable import Engine

/// In a process of its own, because the fault that it plants would hit whoever comes first.
@Suite("Every call of the fetching room fails once, and the run says so", .limitedConcurrency, .timeLimit(.minutes(20)))
struct TortureTests {
  @Test("what came out is all of it, or the run has failed and what came out is its beginning")
  func verdict() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { request in
        switch request.target.split(separator: "=").last {
        case "1": .json("[1,2]")
        case "2": .gzipped("[3,4]")
        case "3": .redirect(to: "/elsewhere?page=4")
        case "4": .json("[5]")
        default: .json("[]")
        }
      }
      let library = CurlLibrary(failing: try CurlLibrary.system.get())
      var verdicts: [Verdict: Int] = [:]
      for concurrency in [1, 3] {
        let text = "endpoint: \(server.origin)/n\npages: { number: page }\nmaxPages: 3\nconcurrency: \(concurrency)\n"
        let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
        var (number, hasFailed) = (0, true)
        while hasFailed {
          number += 1
          ccurl_faults_arm(number)
          let (lines, counters) = try await Self.run(spec, library)
          hasFailed = ccurl_faults_disarm()
          verdicts[counters.verdict, default: 0] += 1
          switch counters.verdict {
          case .capped: try #require(lines == "1\n2\n3\n4\n5\n" && counters.failure == nil)
          case .failed:
            let failure = try #require(counters.failure).error.description
            let failed = try #require(failure.firstMatch(of: /page ([1-3])/)).output.1
            // All of the pages before the one that failed.
            try #require(lines == ["1": "", "2": "1\n2\n", "3": "1\n2\n3\n4\n"][failed], "\(failure)")
            try #require(failure.contains(server.origin) && failure.contains("page "), "\(failure)")
          default: Issue.record("\(counters.verdict)")
          }
          // Nothing is left of the run.
          while ccurl_faults_live() > 0 { await Task.yield() }
        }
      }
      // A fault that can pass is tried again; one that can't ends the run.
      try #require(verdicts[.failed, default: 0] > 40 && verdicts[.capped, default: 0] > 2, "\(verdicts)")
    }
  }

  private static func run(_ spec: Spec, _ library: CurlLibrary) async throws -> (String, RunCounters) {
    var options = RunOptions()
    options.clock = VirtualClock(start: 0)
    options.transport = CurlTransport(library)
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    var records: [UInt8] = []
    while let batch = await run.next() { records += batch.lines }
    await run.stop()
    return (String(decoding: records, as: UTF8.self), run.report.counters)
  }
}
