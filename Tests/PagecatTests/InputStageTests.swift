import Foundation
import Testing
import Wire

@testable import Engine

@Suite("Standard input of a run that is gone on with")
struct InputStageTests {
  private let pipe = Pipe()
  private let report = Report(warn: { _ in }, tell: { _, _ in })

  private var input: Input { Input(descriptor: pipe.fileHandleForReading.fileDescriptor) }

  private func stage(_ input: Input) -> InputStage {
    InputStage(
      input, job: "a", lineLimit: 1_000, report: report, secrets: SecretStore(),
      skipping: RecordsSoFar(count: 2, hash: 7))
  }

  @Test("one that is given up before it was read is not taken for another")
  func givenUp() async throws {
    let input = input
    let stage = stage(input)
    try pipe.fileHandleForWriting.write(contentsOf: Data("1\n".utf8))
    let next = Task { await stage.next() }
    await stage.stop()
    #expect(await next.value?.lines == nil)
    #expect(report.counters.refusal == nil)
    // Nobody reads from the pipe any more when it goes.
    try pipe.fileHandleForWriting.close()
    await withCheckedContinuation { done in input.inBackground { done.resume() } }
  }

  @Test("one that is another is refused")
  func another() async throws {
    try pipe.fileHandleForWriting.write(contentsOf: Data("1\n".utf8))
    try pipe.fileHandleForWriting.close()
    #expect(await stage(input).next()?.lines == nil)
    #expect(
      report.counters.refusal?.hasSuffix(
        "the first 2 records of <stdin> differ from the interrupted run; give the same input, or run without --resume")
        == true)
  }
}
