// Input records that pass through a stage and come out again: how many, and where the stage stands behind them.

import JSONText
import PipelineSpec

/// What a stage knows of the records that pass through it.
struct InputProgress {
  private let job: JobContext
  /// Whether input records come again when the run is gone on with.
  private let isInputReplayable: Bool
  private var passed: RecordsSoFar
  private var tally: StageCounters
  /// Input records so far.
  var number: Int

  /// - Parameters:
  ///   - isInputReplayable: whether input records come again, from where the standing says, when the run is gone on with.
  ///   - standing: where another process has left off.
  init(_ job: JobContext, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint?) {
    self.job = job
    self.isInputReplayable = isInputReplayable
    passed = RecordsSoFar(count: checkpoint?.done ?? 0, hash: checkpoint?.inputHash ?? 0)
    tally = checkpoint?.tally ?? StageCounters()
    number = passed.count
  }

  /// What became of an input batch that is through: the stage before stands behind it, and so does this one.
  mutating func marked(_ lines: [UInt8], behind batch: Batch) -> Batch {
    var through = Batch(lines: lines)
    guard job.checkpointedOutput != nil else { return through }
    if isInputReplayable { for record in batch.records { passed.add(record) } }
    guard isInputReplayable || !batch.progress.isEmpty else { return through }
    let mark = StageProgress(
      stage: job.stage, done: number, inputHash: isInputReplayable ? passed.hash : nil, tally: tally)
    through.progress = batch.progress + [mark]
    return through
  }

  /// The same of a pass over the batch, which is whole if nothing ended it.
  mutating func through(_ pass: consuming BatchEditor, of batch: Batch, isWhole: Bool) -> Batch {
    number += pass.count
    let lines = pass.finish()
    return isWhole ? marked(lines, behind: batch) : Batch(lines: lines)
  }

  /// A record is left out, or let out without what belongs to it.
  mutating func reject(_ failure: Failure, _ record: JSONValue) {
    job.report.reject(failure, record, stage: job.stage)
    tally.rejected += 1
  }
}
