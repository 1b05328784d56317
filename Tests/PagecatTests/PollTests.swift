// `poll` on a clock that does not wait.

import Diagnostics
import Fetching
import Foundation
import Engine
import PipelineSpec
import TestSupport
import Testing

@Suite("Jobs that take their time", .limitedConcurrency)
struct PollTests {
  private struct Ending {
    var records: String
    var failure: String
    var requests: Int
    var pages: Int
    var waits: [Duration]
  }

  private func run(_ spec: String, _ answers: Answer...) async throws -> Ending {
    let rest = Watched(answers)
    let server = try LoopbackServer { _ in
      rest.update { answers in answers.count > 1 ? answers.removeFirst() : answers[0] }
    }
    let clock = VirtualClock(start: 1_700_000_000)
    var options = RunOptions()
    options.clock = clock
    options.start = 1_700_000_000
    let text = spec.replacingOccurrences(of: "SERVER", with: server.origin)
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    let run = try Run([spec], options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
    var records: [UInt8] = []
    while let batch = await run.next() { records += batch.lines }
    let counters = run.report.counters
    return Ending(
      records: String(decoding: records, as: UTF8.self), failure: counters.failure.map { "\($0.error)" } ?? "",
      requests: counters.requests, pages: counters.pages, waits: clock.waits)
  }

  private static let spec =
    "endpoint: SERVER/job\npoll: { until: { body.status: [DONE, PARTIAL] }, failure: { body.status: FATAL }, every: 10s, within: 1m }\n"

  @Test("The same is asked again until the condition holds; then, and not before, the content comes out")
  func until() async throws {
    let ending = try await run(
      Self.spec + "contentIdentifier: files", .json(#"{"status":"NEW"}"#),
      .json(#"{"status":"RUNNING","files":["no"]}"#),
      .json(#"{"files":["a","b"],"status":"DONE"}"#))
    #expect(ending.records == "\"a\"\n\"b\"\n" && ending.failure.isEmpty)
    #expect(ending.waits == [.seconds(10), .seconds(10)] && ending.requests == 3 && ending.pages == 1)
  }

  @Test("A Retry-After decides the wait, and 202 is not there yet, whatever its body is")
  func accepted() async throws {
    let ending = try await run(
      Self.spec, .json("", status: 202, fields: ["Retry-After": "3"]), .json("soon", status: 202),
      .json(#"{"status":"RUNNING"}"#, fields: ["Retry-After": "0"]), .json(#"{"status":"PARTIAL"}"#))
    #expect(ending.records == "{\"status\":\"PARTIAL\"}\n")
    #expect(ending.waits == [.seconds(3), .seconds(10), .seconds(1)] && ending.requests == 4)
    let plain = try await run("endpoint: SERVER/job\nmethod: POST\npoll: {}", .json("", status: 202), .json("[1]"))
    #expect(plain.records == "1\n" && plain.waits == [.seconds(10)])
  }

  @Test("After 'within' the error says what was found; the last wait ends there")
  func most() async throws {
    let spec = Self.spec.replacing("within: 1m", with: "within: 25s")
    let ending = try await run(spec, .json(#"{"status":"RUNNING"}"#))
    #expect(ending.records.isEmpty && ending.waits == [.seconds(10), .seconds(10), .seconds(5)])
    #expect(ending.failure.hasPrefix("notReady: status 200 from http"))
    #expect(
      ending.failure.hasSuffix(
        "'body.status' is \"RUNNING\", asked for 25 s; give 'poll' a longer 'within' if it may take so long"))
    let missing = try await run(spec, .json(#"{"state":"DONE"}"#))
    #expect(missing.failure.contains("'body.status' is missing"))
    let longer = try await run(spec, .json("", status: 202, fields: ["Retry-After": "26"]))
    #expect(longer.waits.isEmpty && longer.failure.contains("the status is 202, the server asks to wait 26 s"))
  }

  @Test("A condition of 'failure' ends the wait, and the content may be missing then")
  func failure() async throws {
    let ending = try await run(
      Self.spec + "contentIdentifier: files", .json(#"{"status":"NEW"}"#), .json(#"{"status":"FATAL"}"#))
    #expect(ending.failure.hasPrefix("contentFailure:"))
    #expect(
      ending.failure.hasSuffix(
        "says: 'body.status' is \"FATAL\"\n  the response begins: {\"status\":\"FATAL\"}"))
    #expect(ending.waits == [.seconds(10)])
  }

  @Test("Each request is retried as any other, and each page is waited for")
  func retries() async throws {
    let ending = try await run(
      Self.spec + "retry: { wait: 1ms }\npages: { next: body.next }\ncontentIdentifier: n",
      .json(#"{"status":"NEW"}"#), .json("", status: 500), .json(#"{"status":"DONE","n":[1],"next":"/job?p=2"}"#),
      .json(#"{"status":"NEW"}"#), .json(#"{"status":"DONE","n":[2],"next":null}"#))
    #expect(ending.records == "1\n2\n" && ending.requests == 5 && ending.pages == 2)
    #expect(ending.waits.count { $0 == .seconds(10) } == 2)
  }
}
