import FetchPlan
import JSONText
import Unwrapping
import Wire

/// The stage of a job that reads no records: one stream of pages.
actor SourceStage: Stage {
  private var run: RecordFetch?
  private let job: JobContext
  private var isOver = false
  private var tally: StageCounters
  /// Number of records before this process in which a list was cut.
  private let cutBefore: Int
  private let comparesRecords: Bool
  /// Keys of the records since the last progress.
  private var keys: [UInt64] = []

  /// Creates the stage.
  ///
  /// - Parameter checkpoint: position at which another process stopped.
  init(_ job: JobContext, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    tally = checkpoint?.tally ?? StageCounters()
    cutBefore = checkpoint?.tally.nested ?? 0
    comparesRecords = UniqueRecords.ofPages(job) != nil
    job.concurrencyLimit.acquireAnyway()
    let run = RecordFetch(
      job, record: nil, resuming: checkpoint?.pagerBookmarks ?? [], after: checkpoint?.streamRecords ?? 0,
      keys: checkpoint?.keys ?? [])
    self.run = run
    // Not `job`, which has the limit.
    job.concurrencyLimit.whenWaiting { [weak run, executor = job.executor] in
      Task(executorPreference: executor) { await run?.lookAhead() }
    }
  }

  func next() async -> Batch? {
    do {
      if let (records, position) = try await run?.next() {
        var batch = records
        job.report.countOutput(batch, of: job)
        tally.add(batch)
        keys += batch.keys
        if job.progressLog != nil, let position, let bookmark = position.bookmark {
          (tally.pages, tally.nested) = (position.pages, cutBefore + position.nested)
          batch.progress = [
            StageProgress(
              stage: job.stage, bookmark: bookmark, streamRecords: comparesRecords ? tally.records : nil,
              keys: keys, tally: tally)
          ]
          keys = []
        }
        return batch
      }
    } catch  where isOver {
      // A cancelled request is not a failure.
    } catch {
      job.report.fail(Failure(error: error, job: job.name, record: nil))
    }
    await run?.stop()
    run = nil
    return nil
  }

  func stop() async {
    isOver = true
    await run?.stop()
    run = nil
  }
}
