// The progress of a stage that passes its input records on.

import JSONText
import PipelineSpec

/// The counters and position of a stage that passes its input records on.
struct InputProgress {
  private let job: JobContext
  /// True if a resumed run can read the input again.
  private let isInputReplayable: Bool
  private var passed: RecordsSoFar
  private var tally: StageCounters
  /// Number of input records so far.
  var number: Int

  /// Starts at the beginning, or at a checkpoint.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint?) {
    self.job = job
    self.isInputReplayable = isInputReplayable
    passed = RecordsSoFar(count: checkpoint?.done ?? 0, hash: checkpoint?.inputHash ?? 0)
    tally = checkpoint?.tally ?? StageCounters()
    number = passed.count
  }

  /// Returns the output for a finished input batch, with the progress of the previous stages and of this stage.
  mutating func withProgress(_ lines: [UInt8], after batch: Batch) -> Batch {
    var output = Batch(lines: lines)
    guard job.progressLog != nil else { return output }
    if isInputReplayable { for record in batch.records { passed.add(record) } }
    guard isInputReplayable || !batch.progress.isEmpty else { return output }
    let stageProgress = StageProgress(
      stage: job.stage, done: number, inputHash: isInputReplayable ? passed.hash : nil, tally: tally)
    output.progress = batch.progress + [stageProgress]
    return output
  }

  /// Returns the output of a pass over a batch; with progress if the pass reached the batch's end.
  mutating func output(of editor: consuming BatchEditor, over batch: Batch, isWhole: Bool) -> Batch {
    number += editor.count
    let lines = editor.finish()
    return isWhole ? withProgress(lines, after: batch) : Batch(lines: lines)
  }

  /// Counts a record that is left out, or passed on without its additions.
  mutating func reject(_ failure: Failure, _ record: JSONValue) {
    job.report.reject(failure, [record], stage: job.stage)
    tally.rejected += 1
  }
}
