// Where records come from: a stage is asked for its next records, and asks the stage before it.

import FetchPlan
import JSONText
import Unwrapping
import Wire

/// A step of a running pipeline. It has one consumer, which asks for one batch after the other.
///
/// Nothing is requested ahead of its consumer except within a job's `concurrency`. A stage that fails says so to the run's
/// report and ends: those after it finish what they were given.
protocol Stage: Sendable {
  /// The next records, or nil at the end.
  func next() async -> Batch?
  /// Gives up everything under way, here and upstream, and comes back when nothing is. `next()` is not called again.
  func stop() async
}

/// Records from NDJSON on standard input, which is read ahead of who takes them.
actor InputStage: Stage {
  private let input: Input
  private let report: Report
  private let secrets: SecretStore
  private let job: String
  private let source: LineSource
  private var isOver = false
  /// Whether nobody wants any more: what comes is no end of the input then.
  private var isStopped = false
  private var skipping: RecordsSoFar?

  /// - Parameters:
  ///   - job: the job that reads the records, for messages.
  ///   - depth: how deep in records the places of tokens are wanted (`Batch.tokenIndex`).
  ///   - done: the records that are through already, by number and hash.
  init(
    _ input: Input, job: String, lineLimit: Int, tokenIndexDepth depth: Int = 0, report: Report, secrets: SecretStore,
    skipping done: RecordsSoFar? = nil
  ) {
    skipping = done
    self.secrets = secrets
    self.input = input
    self.report = report
    self.job = job
    source = LineSource(input, lineLimit: lineLimit, tokenIndexDepth: depth)
  }

  func next() async -> Batch? {
    if let skipping, skipping.count > 0 {
      self.skipping = nil
      return await rest(after: skipping)
    }
    return await nextBatch()
  }

  private func nextBatch() async -> Batch? {
    while !isOver, let chunk = await source.next() {
      if chunk.isLast { isOver = true }
      switch chunk.fault {
      case .json(let fault): fail(NetworkingError(fault, source: input.name, hiding: secrets))
      case .input(let fault): refuse(fault)
      case nil: break
      }
      guard !chunk.lines.isEmpty else { continue }
      return Batch(chunk.lines, chunk.tokenIndex)
    }
    return nil
  }

  /// What comes after the records that are through, if they are what they were.
  private func rest(after done: RecordsSoFar) async -> Batch? {
    let count = done.count
    var passed = RecordsSoFar()
    while passed.count < count, let batch = await nextBatch() {
      var records = batch.records
      while passed.count < count, let record = records.next() { passed.add(record) }
      if passed.count == count, passed.hash == done.hash { return Batch(lines: Array(records.rest)) }
    }
    if !report.isInterrupted, !isStopped {
      report.refuse(
        "--resume can't go on with another run: the first \(count == 1 ? "record" : "\(count) records") of \(input.name) "
          + (count == 1 ? "is not what it was" : "are not what they were"))
    }
    isOver = true
    return nil
  }

  private func refuse(_ fault: InputError) {
    isOver = true
    report.refuse("the records that '\(job)' reads come from standard input: \(fault.problem)")
  }

  private func fail(_ error: NetworkingError) {
    isOver = true
    report.fail(Failure(error: error, job: job, record: nil))
  }

  func stop() async {
    (isOver, isStopped) = (true, true)
    await source.stop()
  }
}

extension NetworkingError {
  /// A text that is no JSON, with the place and what stands there.
  init(_ fault: JSONError, source: String, hiding secrets: SecretStore = SecretStore()) {
    self = .invalidJSON(
      source: source, page: nil, offset: fault.offset, line: fault.line, column: fault.column,
      reason: fault.rendered(hiding: secrets) + fault.remedy)
  }
}

/// Records from a job's `each`.
actor EachStage: Stage {
  private var records: EachRecords?
  private let report: Report
  private var skipping: RecordsSoFar?

  /// - Parameter done: the records that are through already, by number and hash.
  init(_ records: EachRecords, report: Report, skipping done: RecordsSoFar? = nil) {
    self.records = records
    self.report = report
    skipping = done
  }

  func next() -> Batch? {
    if let done = skipping { skip(done) }
    guard let record = records?.next() else { return nil }
    return Batch(lines: Array(record.bytes) + [UInt8(ascii: "\n")])
  }

  /// Leaves out the records that are through, if they are what they were: their values may come from the environment.
  private func skip(_ done: RecordsSoFar) {
    skipping = nil
    var passed = RecordsSoFar()
    while passed.count < done.count, let record = records?.next() { passed.add(record) }
    guard passed.count < done.count || passed.hash != done.hash, records != nil else { return }
    let first = done.count == 1 ? "record" : "\(done.count) records"
    report.refuse("--resume can't go on with another run: the first \(first) of 'each' would be others now")
    records = nil
  }

  func stop() {
    records = nil
  }
}

/// The records of a job that reads none: one stream of pages.
actor SourceStage: Stage {
  private var run: RecordFetch?
  private let job: JobContext
  private var isOver = false

  /// - Parameter bookmarks: where another process has left off.
  init(_ job: JobContext, resuming bookmarks: [PagerBookmark] = []) {
    self.job = job
    job.concurrencyLimit.acquireAnyway()
    run = RecordFetch(job, record: nil, resuming: bookmarks)
  }

  func next() async -> Batch? {
    do {
      if let (records, position) = try await run?.next() {
        var batch = records
        job.report.count { $0.pages += batch.pages }
        if job.checkpointedOutput != nil, let position, let bookmark = position.bookmark {
          batch.progress = [
            StageProgress(stage: job.stage, bookmark: bookmark, tally: StageCounters(pages: position.pages))
          ]
        }
        return batch
      }
    } catch  where isOver {
      // Given up: what was cancelled is no failure.
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
