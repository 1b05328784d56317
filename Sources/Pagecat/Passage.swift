// Input records that pass through a stage and come out again: how many, and where the stage stands behind them.

import JSONText
import PipelineSpec

/// What a stage knows of the records that pass through it.
struct Passage {
  private let job: RunningJob
  /// Whether input records come again when the run is gone on with.
  private let comesAgain: Bool
  private var passed: PassedRecords
  private var tally: StageTally
  /// Input records so far.
  var number: Int

  /// - Parameters:
  ///   - comesAgain: whether input records come again, from where the standing says, when the run is gone on with.
  ///   - standing: where another process has left off.
  init(_ job: RunningJob, comesAgain: Bool, resuming standing: Standing?) {
    self.job = job
    self.comesAgain = comesAgain
    passed = PassedRecords(count: standing?.done ?? 0, hash: standing?.inputHash ?? 0)
    tally = standing?.tally ?? StageTally()
    number = passed.count
  }

  /// What became of an input batch that is through: the stage before stands behind it, and so does this one.
  mutating func marked(_ lines: [UInt8], behind batch: Batch) -> Batch {
    var through = Batch(lines: lines)
    guard job.ledger != nil else { return through }
    if comesAgain { for record in batch.records { passed.add(record) } }
    guard comesAgain || !batch.marks.isEmpty else { return through }
    let mark = StageMark(
      stage: job.stage, done: number, inputHash: comesAgain ? passed.hash : nil, tally: tally)
    through.marks = batch.marks + [mark]
    return through
  }

  /// The same of a pass over the batch, which is whole if nothing ended it.
  mutating func through(_ pass: consuming SettingPass, of batch: Batch, isWhole: Bool) -> Batch {
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
