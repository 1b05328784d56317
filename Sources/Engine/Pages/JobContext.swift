import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// A job with everything that it needs to run: its plan, its fetcher, and its concurrency limit.
struct JobContext: Sendable {
  var plan: JobPlan
  /// Chooses the pager for `pages: auto`; nil for another value.
  let autoPager: AutoPager?
  let filter: RecordFilter?
  let reshaper: Reshaper?
  let fetcher: PageFetcher
  let concurrencyLimit: ConcurrencyLimit
  let concurrency: Int
  /// Folder for the job's downloads, if it has any.
  let downloadStore: DownloadStore?
  /// Executor of the job's work; nil for the concurrency pool.
  let executor: (any TaskExecutor)?
  /// Index of the job's stage in the run, from 0.
  let stage: Int
  /// The records that an interrupted run has written, if this job gave them.
  let written: WrittenRecords?
  /// True if the run has jobs after this one, which take its records.
  let isBeforeOthers: Bool
  /// Takes the progress of the run's stages; nil if the run can't be resumed.
  let progressLog: (any ProgressLog)?
  /// The highest marks so far, for `incremental`.
  let highWaterMarks: HighWaterMarks
  /// Checks marks before they are saved; nil if none will be.
  let markCheck: MarkCheck?
  /// True if the run has no other job.
  let isAlone: Bool
  /// True if only the last one of the records with one key counts (`--merge`, `--changes`).
  let wantsLast: Bool
  /// Depth to which the following stage reads the records.
  let depthOfNextStage: Int

  /// Depth to which this stage or the following one reads fetched records.
  var tokenIndexDepth: Int {
    if !plan.job.match.isEmpty { return max(1, plan.job.match.map(\.fetched.steps.count).max() ?? 1) }
    return max(plan.job.setsInFetched ? 1 : 0, plan.job.attach == nil ? depthOfNextStage : 0)
  }

  /// True if the records of a page come with what they were before they were rewritten, which `set` reads.
  var carriesSource: Bool { reshaper != nil && plan.setsFromFetched }

  var name: String { plan.job.name }

  /// True if the journal keeps the keys of the job's records, since no file has the records.
  var keepsKeys: Bool { isBeforeOthers && progressLog?.keepsEachBookmark == true }

  var report: Report { fetcher.report }

  /// Warns once a job about a doubt that may quote text of the server.
  func advise(_ doubt: String, about subject: String) {
    report.adviseOnce("\(name): \(fetcher.secrets.redacting(doubt).printable)", about: "\(subject) \(name)")
  }

  /// Reports evidence that the set is not whole, unless the job says that it is meant.
  ///
  /// The evidence may quote text of the server.
  ///
  /// - Parameter input: the input record whose pages show it, and the URL of its first request.
  func raise(_ evidence: Evidence, of input: (record: JSONValue, url: String)? = nil) {
    guard !plan.job.ignored.contains(evidence.sign) else { return }
    let secrets = fetcher.secrets
    report.raise(
      Evidence(
        evidence.sign, secrets.redacting(evidence.reason).printable,
        advice: evidence.advice.map { secrets.redacting($0).printable }, finding: evidence.finding), job: name,
      of: input.map { ReportedInput(record: $0.record, url: secrets.redacting($0.url), stage: stage) })
  }
}

extension NetworkingError {
  init(_ fault: ParameterError, hiding secrets: SecretStore) {
    self = .invalidParameter(
      template: fault.template, position: fault.position, reason: secrets.redactingCutNames(fault.problem).printable)
  }
}

extension Pager {
  var announcedTotal: RunActivity.Total? {
    announced.pages.map { .pages($0) } ?? announced.records.map { .records($0) }
  }
}
