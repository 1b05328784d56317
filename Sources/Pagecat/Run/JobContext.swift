import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// A job with what it needs to run: its plan, its way to the network, and the bound on what is under way.
struct JobContext: Sendable {
  let plan: JobPlan
  let shape: Shape?
  let fetcher: PageFetcher
  let concurrencyLimit: ConcurrencyLimit
  let concurrency: Int
  /// Where its files go, if it saves any.
  let downloadStore: DownloadStore?
  /// Where the job's work is done; nil for the concurrency pool.
  let executor: (any TaskExecutor)?
  /// The place of the job's stage in the run, from 0.
  let stage: Int
  /// Where is written down what an interrupted run needs to go on; nil where it will not.
  let checkpointedOutput: CheckpointedOutput?
  /// Which marks have been seen, for `incremental`.
  let highWaterMarks: HighWaterMarks
  /// How deep the stage behind looks into the records.
  let depthBehind: Int

  /// How deep fetched records are looked into, here or behind.
  var tokenIndexDepth: Int {
    if !plan.job.match.isEmpty { return 1 }
    return max(plan.job.setsInFetched ? 1 : 0, plan.job.attach == nil ? depthBehind : 0)
  }

  var name: String { plan.job.name }
  var report: Report { fetcher.report }
}
