// The earlier run that `--resume` continues, seen before this run begins: its input may not be there yet.

import Files
package import JSONText
package import PipelineSpec
import Wire

/// The earlier run of a stream, which a run with the same files continues.
package struct EarlierRun: Sendable {
  /// True if nothing of it is left to do.
  package let isDone: Bool
  /// Number and hash of the input records that it has finished, as in a journal's last line.
  private let line: JSONValue
  private let job: Job

  /// Looks for the run; nil if there is none, or if this run asks for something else.
  ///
  /// - Throws: `SpecError` or `FileError` if this run can't begin.
  package init?(_ specs: [Spec], _ options: RunOptions, _ source: Source, _ destination: Destination) throws {
    guard destination.isResumed, let job = specs.first?.jobs.first else { return nil }
    let files = try RunFiles(destination, of: specs, isFromStep: false, environment: options.environment)
    guard files.previousRun != nil || files.interrupted != nil else { return nil }
    let replies = try ReplySource(specs, options, source)
    let start = files.start ?? replies.start
    let plan = try RunPlan(specs, replies.options, start: start, since: files.since)
    let header = JournalHeader(specs, plan, replies.options, destination, since: files.since, start: start)
    guard let earlier = files.continued(by: header) else { return nil }
    (isDone, self.job) = (earlier.isDone, job)
    line = earlier.state.finished ?? Self.line(earlier.state.checkpoints[0])
  }

  /// The run of a position; nil if the value is none of this version.
  package init?(_ specs: [Spec], at position: JSONValue) {
    guard let job = specs.first?.jobs.first, let position = RunPosition(position) else { return nil }
    (isDone, self.job) = (false, job)
    line = Self.line(JournalState(position) { Spool() }.checkpoints[0])
  }

  private static func line(_ checkpoint: StageCheckpoint?) -> JSONValue {
    JSONValue(members: [
      ("inputs", JSONValue(checkpoint?.done ?? 0)), ("inputHash", JSONValue(checkpoint?.inputHash ?? 0)),
    ])
  }

  /// True if an input begins with the records that the run has finished, and has no others if these were all.
  package func fits(_ input: Input) async -> Bool {
    let report = Report(warn: { _ in }, tell: { _, _ in })
    let stage = InputStage(
      input, job: job.name, lineLimit: job.bodyLimit, report: report, secrets: SecretStore())
    let fits = await stage.hasRecords(of: line)
    await stage.stop()
    return fits
  }
}
