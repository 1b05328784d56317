import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// Builds the stages of a run: one for each job, each reading the output of the previous stage.
struct StageChain {
  let plans: [JobPlan]
  let fetcher: PageFetcher
  let files: RunFiles
  var downloadStore: DownloadStore?
  let executor: (any TaskExecutor)?
  /// Standard input, for a first job that reads records and has no `each`.
  let input: Input
  /// Records of the first job's own `each`, if it has one.
  let each: EachRecords?
  /// Checks marks before they are saved; nil if none will be.
  let markCheck: MarkCheck?
  /// Takes what is read of the input, if a later run needs it.
  let digest: InputDigest?

  /// Returns the last stage, which gives the run's records.
  func last() throws -> any Stage {
    var stage: (any Stage)?
    for index in plans.indices { stage = self.stage(index, after: stage) }
    guard let stage else { throw SpecError(messages: ["no spec was given"]) }
    return stage
  }

  private func stage(_ index: Int, after previous: (any Stage)?) -> any Stage {
    let (job, checkpoint) = (context(index), files.resumed?.checkpoints[index])
    guard job.plan.job.readsRecords else {
      return SourceStage(job, resuming: checkpoint)
    }
    let upstream =
      previous.map { job.plan.job.each == nil ? $0 : ExpandingStage(job, upstream: $0) } ?? firstInput(job, checkpoint)
    if job.plan.job.endpoint == nil {
      return SetStage(job, upstream: upstream, isInputReplayable: index == 0, resuming: checkpoint)
    }
    if job.plan.job.match.isEmpty || job.plan.job.batch != nil {
      return FetchStage(job, upstream: upstream, isInputReplayable: index == 0, resuming: checkpoint)
    }
    return MatchStage(job, upstream: upstream, isInputReplayable: index == 0, resuming: checkpoint)
  }

  private func context(_ index: Int) -> JobContext {
    let plan = plans[index]
    var fetcher = fetcher
    fetcher.purpose = Request.Purpose(job: plan.job.name, step: index + 1)
    let concurrencyLimit = ConcurrencyLimit(plan.job.concurrency)
    fetcher.retrier.onOverload = { concurrencyLimit.wait($0) }
    let chosen = fetcher.report.counters.chosenPages[plan.job.name] ?? files.chosenPages[plan.job.name]
    let autoPager = plan.job.pages?.kind == .auto ? AutoPager(plan, chosen: chosen) : nil
    if let choice = autoPager?.choice { fetcher.report.count { $0.chosenPages[plan.job.name] = choice.pages } }
    return JobContext(
      plan: plan, autoPager: autoPager, filter: plan.job.filter.map { RecordFilter($0) },
      reshaper: Shape(plan.job).map { Reshaper($0) },
      fetcher: fetcher,
      concurrencyLimit: concurrencyLimit, concurrency: plan.job.concurrency,
      downloadStore: downloadStore, executor: executor, stage: index,
      written: index == plans.count - 1 ? files.written : nil, isBeforeOthers: index < plans.count - 1,
      progressLog: files.progressLog,
      highWaterMarks: files.seen, markCheck: markCheck, isAlone: plans.count == 1,
      wantsLast: files.isFollowed,
      depthOfNextStage: plans.dropFirst(index + 1).first?.job.recordDepth ?? 0)
  }

  private func firstInput(_ job: JobContext, _ checkpoint: StageCheckpoint?) -> any Stage {
    let done = checkpoint.map { RecordsSoFar(count: $0.done, hash: $0.inputHash ?? 0) }
    if let each { return EachStage(each, report: job.report, skipping: done) }
    return InputStage(
      input, job: job.name, lineLimit: job.plan.job.bodyLimit, tokenIndexDepth: job.plan.job.recordDepth,
      report: job.report, secrets: job.fetcher.secrets, skipping: done, digest: digest)
  }
}
