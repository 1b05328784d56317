// `rate` and `--rate` on a clock that does not wait.

import Diagnostics
import Fetching
import Foundation
import Engine
import PipelineSpec
import TestSupport
import Testing

@Suite("Rates of a run", .limitedConcurrency)
struct RateTests {
  /// Returns the waits of a run of three requests.
  private func waits(spec rate: String?, run: String?) async throws -> [Duration] {
    let server = try LoopbackServer { _ in .json("[1]") }
    let clock = VirtualClock(start: 1_700_000_000)
    var options = RunOptions()
    options.clock = clock
    options.rate = try run.map { try #require(Job.Rate(spelled: $0)) }
    let text =
      "params: { rate: 2/s }\neach: { page: [1, 2, 3] }\nendpoint: \(server.origin)/${input.page}\n"
      + (rate.map { "rate: \($0)\n" } ?? "")
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    while await run.next() != nil {}
    #expect(run.report.counters.requests == 3)
    return clock.waits
  }

  @Test("of the spec's and the command line's the strictest holds")
  func strictest() async throws {
    #expect(try await waits(spec: nil, run: nil).isEmpty)
    for (spec, run) in [("2/s", nil), (nil, "2/s"), ("2/s", "1000/s"), ("100/s", "120/m"), ("${param.rate}", "1000/s")]
      as [(String?, String?)]
    {
      #expect(try await waits(spec: spec, run: run) == [.milliseconds(500), .milliseconds(500)])
    }
  }

  @Test(
    "are whole or have three decimals at most",
    arguments: [
      ("5/s", 200), ("12.5/s", 80), ("0.5/s", 2_000), ("0.001/s", 1_000_000), ("100/m", 600), ("1000/h", 3_600),
      ("1.250/m", 48_000),
    ])
  func spelled(_ text: String, milliseconds: Int) {
    #expect(Job.Rate(spelled: text)?.interval == .milliseconds(milliseconds))
  }

  @Test(
    "are refused otherwise",
    arguments: [
      "", "5", "5/", "/s", "0/s", "0.000/s", "0.0001/s", "-1/s", "+1/s", "1e3/s", "5/d", "5/s/s", "1./s", ".5/s",
      "1.2.3/s", "1 /s", "٣/s", "1000001/s", "99999999999999999999/s",
    ])
  func refused(_ text: String) {
    #expect(Job.Rate(spelled: text) == nil)
  }
}
