// A run: the chained stages of its jobs, and their outcome.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Files
import Diagnostics
import FetchPlan
import Fetching
package import JSONText
package import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
package import Wire

/// A running pipeline.
package final class Run: Sendable {
  package let report: Report
  private let stages: Locked<any Stage>
  private var lastStage: any Stage { stages.withLock { $0 } }
  /// Creates the stages once more, for a run that begins anew.
  private let makeStages: @Sendable () throws -> any Stage
  private let recorder: RecordingTransport?
  /// True if the recording is that of several runs, which closes it after the last.
  private let isRecordingShared: Bool
  private let recordLimit: Int?
  /// The input of a finished run, which must be the same as in that run.
  private let finishedInput: InputStage?
  /// True if a job of the run makes requests.
  let makesRequests: Bool
  /// The file for the records, if there is one.
  var checkpointedOutput: CheckpointedOutput? { files.checkpointedOutput }
  let files: RunFiles
  /// Start of the run in Unix seconds, or of the one that it resumes.
  let start: Int
  package let secrets: SecretStore
  /// The thread of the transfers, if the run's work is light enough for it; otherwise nil.
  package let executor: (any TaskExecutor)?
  private let begun = ContinuousClock.now
  /// The moment at which the process began its part of the run (RFC 3339).
  let started = Timestamp(clamping: Date().timeIntervalSince1970).rfc3339
  /// Name of the specs, for the recording.
  let name: String
  let jobNames: [String]
  private let jobs: [Job]
  /// The requests of the jobs whose marks are saved.
  package let subjects: [MarkSubject]
  /// Doubts about the first job, for the case that no input came and so nothing was requested.
  private let doubtsOfNoInput: [String]
  /// The file for the records, as the user named it.
  let outputPath: String?
  /// The highest marks that were seen, without secrets.
  var marks: [(name: String, value: JSONValue)] {
    let seen = files.finished?.state.marks.map { $0.members.map { (name: $0.name, value: $0.value) } } ?? files.seen.all
    return seen.filter { secrets.redacting($0.value.text) == $0.value.text }
  }
  /// Checks that the next run can start with the marks of this one.
  private let markCheck: MarkCheck
  /// The marks to save: those of this run, or the saved ones if these are higher.
  ///
  /// - Throws: `FileError` if the marks can't be saved, or if the next run could not use them.
  package func nextMarks() throws(FileError) -> [(name: String, value: JSONValue)] {
    try files.marksToSave(of: files.seen, markCheck).marks
  }
  private let isStopped = Atomic(false)

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - destination: the files to write, if any.
  ///   - input: standard input, for a first job that reads records and has no `each`; nil for a run that is known to be
  ///     done with it.
  ///   - recording: the HAR file to write, if any.
  ///   - tell: receives each reject as it happens, and the failure that ends the run (`isFinal`).
  ///   - inform: receives what the run has decided by itself.
  ///   - warn: receives warnings.
  ///   - listener: receives the run's events.
  /// - Throws: `SpecError` or `FileError` if the run can't begin: nothing was requested.
  package init(
    _ specs: [Spec], options: RunOptions, source: Source, destination: Destination = Destination(),
    recording: String? = nil, input: Input?,
    listener: RunListener = RunListener(to: []) { _ in }, inform: @escaping @Sendable (String) -> Void = { _ in },
    warn: @escaping @Sendable (String) -> Void = { _ in },
    tell: @escaping @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void
  ) throws {
    let specs = try options.firstJob.map { try specs.starting(at: $0) } ?? specs
    files = try RunFiles(
      destination, of: specs, isFromStep: options.firstJob != nil, environment: options.environment)
    let replies = try ReplySource(specs, options, source)
    let start = files.start ?? replies.start
    self.start = start
    let plan = try Self.plan(specs, replies.options, files, destination, start: start, warn)
    if let path = destination.repeated(with: recording, among: plan.credentialPaths) {
      throw SpecError(messages: ["'\(path.printable)' is read by the run: each output needs a file of its own"])
    }
    let secrets = plan.secrets
    self.secrets = secrets
    markCheck = MarkCheck(plan)
    subjects = plan.subjects
    name = options.name
    jobNames = plan.jobs.map(\.job.name)
    jobs = plan.jobs.map(\.job)
    doubtsOfNoInput = plan.jobs.first?.job.setDoubts ?? []
    outputPath = destination.path
    makesRequests = plan.jobs.contains { $0.job.endpoint != nil }
    // A finished run requests nothing, and keeps its recording.
    if files.finished != nil, let recording { try Self.checkRecording(recording, destination.calls, warn) }
    var recorder: RecordingTransport?
    if let recording, files.finished == nil {
      let make = { () throws(FileError) in
        try Self.recorder(
          replies.transport, path: recording, secrets, start: start, replies.options.environment, destination.calls)
      }
      recorder = if let series = options.series { try series.recorder(make) } else { try make() }
    }
    let recorded = recording.map { OutputPath($0).all.map(\.path) } ?? []
    let read = specs.map(\.name) + source.paths + ["/dev/stdin"] + plan.credentialPaths + options.inputPaths
    let downloadStore = try Self.downloadStore(
      plan.jobs, destination, others: read + recorded, files)
    let each = try plan.jobs.first.flatMap { try Self.each($0, hiding: plan.secrets) }
    let pace = try Self.pace(destination, warn)
    // Must come after every check that can still fail: `begin` truncates the previous run's partial output.
    let rejects = try files.begin(as: files.header(specs, plan, replies.options, start: start))
    let readsInput = plan.jobs.first.map { $0.job.readsRecords && each == nil } ?? false
    report = Report(
      rejects: rejects, resuming: files.resumed ?? files.finished?.state,
      mayBeginAnew: files.resumed != nil && !readsInput,
      mayForgetMarks: files.checkpointedOutput != nil && !readsInput, inform: inform, warn: warn, tell: tell)
    executor = makesRequests && plan.jobs.allSatisfy(\.isLight) ? replies.networkExecutor : nil
    let stack = TransportStack(
      over: recorder ?? replies.transport,
      rateLimiter: plan.rateLimiter(sharing: pace, in: replies.sharedNetwork),
      clock: replies.clock(startingAt: start),
      fetchesTokens: !replies.isReplay && plan.jobs.contains { $0.job.auth != nil },
      keepingTokensIn: files.tokens, sharing: replies.sharedNetwork?.tokens ?? TokenMemory(),
      observer: RequestLog(report: report, secrets: secrets, listener: listener, isReplay: replies.isReplay),
      hiding: secrets)
    let fetcher = PageFetcher(
      transport: stack.transport, retrier: stack.retrier, report: report, secrets: secrets, spool: files.spool)
    let chain = StageChain(
      plans: plan.jobs, fetcher: fetcher, files: files, downloadStore: downloadStore, executor: executor,
      input: input ?? Input(descriptor: -1), each: each, markCheck: destination.savesMarks ? markCheck : nil,
      digest: files.digest)
    stages = Locked(try chain.last())
    makeStages = { [files] in
      var chain = chain
      chain.downloadStore = try Self.downloadStore(plan.jobs, destination, others: read + recorded, files)
      return try chain.last()
    }
    if files.finished != nil, let input, let first = plan.jobs.first?.job, first.readsInput {
      finishedInput = InputStage(
        input, job: first.name, lineLimit: first.bodyLimit, report: report, secrets: secrets)
    } else {
      finishedInput = nil
    }
    self.recorder = recorder
    isRecordingShared = options.series != nil
    recordLimit = options.recordLimit
  }

  /// Warns if a finished run has no recording: it was killed before that was whole, or did not record.
  private static func checkRecording(_ path: String, _ calls: SystemCalls, _ warn: (String) -> Void) throws {
    guard try OutputPath.metadata(of: path, calls: calls) == nil else { return }
    warn("'\(path.printable)' was not written, since a finished run requests nothing; run without --resume to record")
  }

  /// Returns the plan of the run, after the cleanup of a finished previous run.
  private static func plan(
    _ specs: [Spec], _ options: RunOptions, _ files: RunFiles, _ destination: Destination, start: Int,
    _ warn: (String) -> Void
  ) throws -> RunPlan {
    let plan = try files.plan(specs, options, start: start)
    if destination.state != nil, plan.jobs.allSatisfy({ !$0.job.hasOwnMark }) {
      let suffix = options.firstJob.map { " from '\($0.printable)' on" } ?? ""
      throw SpecError(messages: [
        "--state saves the mark of 'incremental', which no step\(suffix) has: leave --state out"
      ]
      )
    }
    if destination.tokens != nil, plan.jobs.allSatisfy({ !$0.job.refreshesTokens }) {
      throw SpecError(messages: [
        "--tokens saves what replaces 'refreshToken' of 'oauth2' and 'login', which no step has: leave --tokens out"
      ])
    }
    if !options.isReplay { try files.checkLogins(of: plan) }
    for text in try files.match(plan.subjects) { warn(text) }
    for job in plan.jobs {
      for doubt in job.lossyWindows + job.job.renamedDoubts + job.job.laterDoubts {
        warn("\(job.job.name): \(doubt)")
      }
      for name in destination.isAppended ? job.repeatedDays : [] {
        warn(
          "\(job.job.name): '\(name.printable)' of 'each' begins with the whole day of the mark, whose records --append "
            + "adds again; write 'only: new' in 'incremental'")
      }
    }
    let hasNews = try files.cleanUpPreviousRun(
      as: files.header(specs, plan, options, start: start), MarkCheck(plan), warn)
    return hasNews ? try files.plan(specs, options, start: start) : plan
  }

  /// Returns the next final records, or nil at the end of the run, for whatever reason.
  package func next() async -> Batch? {
    if let finished = files.finished {
      if let finishedInput, let line = finished.state.finished, await !finishedInput.hasRecords(of: line) {
        report.refuse(
          "--resume: the records of standard input differ from those of the finished run; give the same records, or run "
            + "without --resume to start over")
      }
      return nil
    }
    let given = report.counters.records
    if let recordLimit, given >= recordLimit {
      report.reachLimit("limit of \(recordLimit.counted("record"))")
      await lastStage.stop()
      return nil
    }
    let next = await lastStage.next()
    if report.beginsAnew { return await beginAnew() ? await self.next() : nil }
    guard var batch = next else {
      raiseAtEnd()
      return nil
    }
    if let recordLimit { _ = batch.cut(to: recordLimit - given) }
    if let job = jobNames.last, let fault = files.fault(in: batch, after: given, of: job, hiding: secrets) {
      report.fail(Failure(error: fault, job: job, record: nil))
      await lastStage.stop()
      return nil
    }
    return batch
  }

  /// Begins the run anew, since its position is of no use; returns false if that failed.
  private func beginAnew() async -> Bool {
    await lastStage.stop()
    guard !isStopped.load(ordering: .relaxed), !report.isInterrupted else { return false }
    do {
      try files.beginAnew()
      report.restart()
      let stage = try makeStages()
      stages.withLock { $0 = stage }
      return true
    } catch {
      report.failOutput((error as? FileError)?.problem ?? "\(error)")
      return false
    }
  }

  /// Raises the evidence that only the end of the output shows.
  private func raiseAtEnd() {
    let counters = report.counters
    // A run that failed has no end that shows anything.
    guard counters.verdict != .failed else { return }
    for (index, job) in jobs.enumerated() {
      let figures = counters.jobs[index] ?? JobCounters()
      if let least = job.least, figures.records < least, !files.isUnchanged(counters) {
        let records = "\(figures.records.counted("record")) came"
        report.raise(Evidence(.least, "\(records), and 'least' asks for \(least)"), job: job.name)
      }
      if let status = figures.emptyStatus, !figures.isAnswered, !job.ignored.contains(.nothing) {
        report.raise(.nothingButEmpty(status), job: job.name)
      }
      if let doubt = figures.undecided, counters.chosenPages[job.name] == nil {
        report.raise(
          Evidence(.full, "no response showed by 'pages: auto' how the pages go on: \(doubt)"), job: job.name)
      }
      if let reason = figures.unfitFilter, !job.ignored.contains(.filter) {
        report.raise(Evidence(.filter, secrets.redacting(reason).printable), job: job.name)
      }
    }
  }

  /// Counts a batch that has been written, or taken by the caller.
  package func count(_ batch: Batch) {
    let time = recorder == nil ? nil : elapsed
    report.count { counters in
      counters.records += batch.count
      if let time { counters.timeline.add(pages: counters.pages, records: counters.records, at: time) }
    }
  }

  /// Releasing a run cancels its current work.
  deinit {
    guard !isStopped.load(ordering: .relaxed) else { return }
    let lastStage = lastStage
    Task { await lastStage.stop() }
  }

  /// Records the reason for an early end; cancelling the task that writes stops the current work.
  package func interrupt(_ reason: Interruption) {
    report.interrupt(reason)
  }

  /// The exit code, as far as the run has come.
  package var exitCode: ExitCode {
    let counters = report.counters
    return counters.exitCode(allowing: files.allowed(with: counters.verdict))
  }

  /// Cancels the current work.
  package func stop() async {
    isStopped.store(true, ordering: .relaxed)
    await lastStage.stop()
  }

  /// Completes the recording, and the file of the records if the verdict allows it.
  ///
  /// It must be called at the end of every run, also a failed one.
  ///
  /// - Returns: the partial file to resume, if the file could not be completed.
  package func close() throws(FileError) -> InterruptedFile? {
    // A run without its recording failed, so that its records and marks must not replace those of another run.
    if isRecordingLost { report.failOutput(Self.lostRecording) }
    let counters = report.counters
    // The recording is completed last, since it says how the run ended.
    let files = Result { () throws(FileError) in try closeFiles(counters) }
    let fault = closeRecording()
    let interrupted = try files.get()
    if let fault {
      report.failOutput(Self.lostRecording)
      throw fault
    }
    return interrupted
  }

  /// Releases the run's files; must come last.
  package func release() throws(FileError) { try releaseLocks()?.remove() }

  /// Releases the run's files, and returns the journal if it must be removed.
  package func releaseLocks() throws(FileError) -> LastJournal? { try files.release() }

  private static let lostRecording = "the recording could not be written"

  private var isRecordingLost: Bool {
    do {
      try recorder?.finish()
      return false
    } catch {
      return true
    }
  }

  private func closeRecording() -> FileError? {
    if isRecordingShared { return nil }
    do {
      try recorder?.close(run: outcome)
      return nil
    } catch .readerGone {
      // It was the reader of the recording that left, not that of the records, so the user gets a message.
      return .failed("cannot write the recording: its reader went away")
    } catch {
      return error
    }
  }

  private func closeFiles(_ counters: RunCounters) throws(FileError) -> InterruptedFile? {
    let (verdict, hasRecords) = (counters.verdict, counters.records > 0)
    let replacesLines = files.replacesLines
    do {
      let interrupted = try files.close(counters, markCheck) { manifestPart($0, counters) }
      if replacesLines, !hasRecords, verdict == .complete, !files.isUnchanged(counters), let path = outputPath,
        jobs.allSatisfy({ $0.least == nil })
      {
        report.advise("'\(path.printable)' had lines and has none now: 'least: 1' in a step keeps a file from that")
      }
      for text in files.advice(verdict, hasRecords: hasRecords) + adviceOnFilters + adviceOnConditions + adviceOnInput
        + adviceOnChanges
      {
        report.advise(text)
      }
      return interrupted
    } catch {
      report.failOutput("a file of the run could not be written")
      files.amendManifest { manifestPart($0, report.counters) }
      throw error
    }
  }

  /// Doubts about each condition on the answer that reads a member which no response had.
  private var adviceOnConditions: [String] {
    let counters = report.counters.jobs
    return jobs.enumerated().flatMap { index, job in
      (counters[index]?.misses ?? [:]).sorted { $0.key < $1.key }.compactMap { key, count in
        guard let count, count > Self.mostMisses else { return nil }
        let paths = (key == "failure" ? job.failure : Condition(anyOf: job.pages?.alternatives(of: key) ?? []))?.paths
        var seen: Set<JSONPath> = []
        let names = (paths ?? []).filter { seen.insert($0).inserted }.map { "'\($0)'" }.joined(separator: ", nor ")
        return "\(job.name): none of \(count) responses had \(names), which '\(key)' reads: see how the API names it"
      }
    }
  }

  private static let mostMisses = 40

  /// Doubts about the first job, if nothing was requested.
  private var adviceOnInput: [String] {
    report.counters.requests == 0 ? doubtsOfNoInput.map { "\(jobNames[0]): no input record came: \($0)" } : []
  }

  /// A warning about records that came again with other bytes.
  private var adviceOnChanges: [String] {
    if let count = files.changes?.replaced {
      guard count > 0 else { return [] }
      return [
        "\(count.counted("record")) came with the 'unique' of a later one and other content, and only the last of each counts: "
          + "the records changed meanwhile, or 'unique' does not identify them"
      ]
    }
    let count = report.counters.changed
    guard count > 0 else { return [] }
    return [
      "\(count.counted("record")) came again with the same 'unique' and other content, and all of them were kept: the records "
        + "changed meanwhile, or 'unique' does not identify them"
    ]
  }

  /// Doubts about each `where` that kept none of the records.
  private var adviceOnFilters: [String] {
    let jobs = report.counters.jobs
    return jobNames.enumerated().compactMap { index, name in
      guard let counters = jobs[index], counters.records == 0, counters.unfitFilter == nil, let doubt = counters.doubt
      else {
        return nil
      }
      let records = "\(counters.leftOut.counted("record"))"
      return "\(name): 'where' kept none of \(records): \(secrets.redacting(doubt).printable)"
    }
  }

  /// The partial file to resume if `close()` failed.
  package var remainingFile: InterruptedFile? { files.remainingFile }

  /// The point at which the run resumes; nil for a new run.
  package var resumption: Resumption? { files.resumption }

  package var elapsed: Duration { ContinuousClock.now - begun }

  private static func downloadStore(
    _ plans: [JobPlan], _ destination: Destination, others: [String], _ files: RunFiles
  ) throws -> DownloadStore? {
    guard plans.contains(where: { $0.job.download != nil }) else { return nil }
    return try FileError.of("--dir") { () throws(FileError) in
      try DownloadStore(destination, others, taken: files.resumed?.paths ?? [])
    }
  }

  /// Returns the records of the first job's own `each`, if it has one.
  private static func each(_ plan: JobPlan, hiding secrets: SecretStore) throws(SpecError) -> EachRecords? {
    do {
      return try plan.eachRecords()
    } catch {
      throw SpecError(messages: ["\(error.position): error: \(error.template): \(secrets.redacting(error.problem))"])
    }
  }
}

extension Run {
  private static func pace(
    _ destination: Destination, _ warn: @escaping @Sendable (String) -> Void
  ) throws(FileError) -> PaceFile? {
    guard let path = destination.pace else { return nil }
    return try FileError.of("--pace") { () throws(FileError) in
      try PaceFile(path: path, calls: destination.calls, warn: warn)
    }
  }

  private static func recorder(
    _ next: any HTTPTransport, path: String, _ secrets: SecretStore, start: Int,
    _ environment: Environment, _ calls: SystemCalls
  ) throws(FileError) -> RecordingTransport {
    try FileError.of("--record") { () throws(FileError) in
      try RecordingTransport(
        next: next, path: path, secrets: secrets, creatorVersion: Product.version, start: start,
        environment: environment, calls: calls)
    }
  }
}

extension JobPlan {
  /// True if handling a page takes less time than a switch to another thread and back.
  ///
  /// That is so for pages that are given unchanged, or one at a time. Eight pages of 37 KB at once took a fifth less
  /// time.
  fileprivate var isLight: Bool {
    job.match.isEmpty && (job.concurrency == 1 || Shape(job) == nil)
  }
}
