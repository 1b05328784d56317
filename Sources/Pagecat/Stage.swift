// Where records come from: a stage is asked for its next records, and asks the stage before it.

import FetchPlan
import JSONText
import Unwrapping
import Wire

/// A step of a running pipeline. It has one consumer, which asks for one batch after the other.
///
/// Nothing runs ahead of its consumer except within a job's `concurrency`. A stage that fails says so to the run's
/// report and ends: those after it finish what they were given.
protocol Stage: Sendable {
  /// The next records, or nil at the end.
  func next() async -> Batch?
  /// Gives up everything under way, here and upstream. `next()` is not called again.
  func stop() async
}

/// Records from NDJSON on standard input.
actor InputStage: Stage {
  private let input: Input
  private let report: Report
  private let secrets: Secrets
  private let job: String
  private var scanner: LineScanner
  private var isOver = false
  private var skipping: PassedRecords?
  /// Who waits for the next chunk.
  private var waiting: CheckedContinuation<Result<[UInt8]?, InputFault>?, Never>?

  /// - Parameters:
  ///   - job: the job that reads the records, for messages.
  ///   - done: the records that are through already, by number and hash.
  init(
    _ input: Input, job: String, lineLimit: Int, report: Report, secrets: Secrets, skipping done: PassedRecords? = nil
  ) {
    skipping = done
    self.secrets = secrets
    self.input = input
    self.report = report
    self.job = job
    scanner = LineScanner(lineLimit: lineLimit)
  }

  func next() async -> Batch? {
    if let skipping, skipping.count > 0 {
      self.skipping = nil
      return await rest(after: skipping)
    }
    return await nextLines().map { Batch(lines: $0) }
  }

  private func nextLines() async -> [UInt8]? {
    while !isOver {
      await readChunk()
      let lines = scanner.takeRecords()
      if !lines.isEmpty { return lines }
    }
    return nil
  }

  /// What comes after the records that are through, if they are what they were.
  private func rest(after done: PassedRecords) async -> Batch? {
    let count = done.count
    var passed = PassedRecords()
    while passed.count < count, let lines = await nextLines() {
      var records = Batch(lines: lines).records
      while passed.count < count, let record = records.next() { passed.add(record) }
      if passed.count == count, passed.hash == done.hash { return Batch(lines: Array(records.rest)) }
    }
    if !report.isInterrupted {
      report.refuse(
        "--resume can't go on with another run: the first \(count == 1 ? "record" : "\(count) records") of \(input.name) "
          + (count == 1 ? "is not what it was" : "are not what they were"))
    }
    isOver = true
    return nil
  }

  private func readChunk() async {
    do throws(JSONFault) {
      switch await nextChunk() {
      case .success(let chunk?):
        try scanner.append(chunk)
      case .success(nil):
        isOver = true
        try scanner.finish()
      case .failure(let fault):
        fail(.transportFailure(url: input.name, page: 1, reason: fault.problem))
      case nil: break
      }
    } catch {
      fail(NetworkingError(error, source: input.name, hiding: secrets))
    }
  }

  /// What is read next; nil when nobody waits for it any more. A read can't be cancelled, so it is left behind.
  private func nextChunk() async -> Result<[UInt8]?, InputFault>? {
    await withCheckedContinuation { continuation in
      waiting = continuation
      Task { arrive(await input.nextInBackground()) }
    }
  }

  private func arrive(_ chunk: Result<[UInt8]?, InputFault>?) {
    waiting?.resume(returning: chunk)
    waiting = nil
  }

  private func fail(_ error: NetworkingError) {
    isOver = true
    report.fail(Failure(error: error, job: job, record: nil))
  }

  func stop() {
    isOver = true
    arrive(nil)
  }
}

extension NetworkingError {
  /// A text that is no JSON, with the place and what stands there.
  init(_ fault: JSONFault, source: String, hiding secrets: Secrets = Secrets()) {
    self = .invalidJSON(
      source: source, page: nil, offset: fault.offset, line: fault.line, column: fault.column,
      reason: fault.rendered(hiding: secrets))
  }
}

/// Records from a job's `each`.
actor EachStage: Stage {
  private var records: EachRecords?
  private var skipping: Int

  /// - Parameter done: records that are through already.
  init(_ records: EachRecords, skipping done: Int = 0) {
    self.records = records
    skipping = done
  }

  func next() -> Batch? {
    for _ in 0..<skipping { _ = records?.next() }
    skipping = 0
    guard let record = records?.next() else { return nil }
    return Batch(lines: Array(record.bytes) + [UInt8(ascii: "\n")])
  }

  func stop() {
    records = nil
  }
}

/// The records of a job that reads none: one stream of pages.
actor SourceStage: Stage {
  private var run: RecordRun?
  private let job: RunningJob
  private var isOver = false

  /// - Parameter bookmarks: where another process has left off.
  init(_ job: RunningJob, resuming bookmarks: [PagerBookmark] = []) {
    self.job = job
    job.window.takeAnyway()
    run = RecordRun(job, record: nil, resuming: bookmarks)
  }

  func next() async -> Batch? {
    do {
      if let (records, turn) = try await run?.next() {
        var batch = records
        if job.ledger != nil, let turn, let bookmark = turn.bookmark {
          batch.marks = [StageMark(stage: job.stage, bookmark: bookmark, tally: StageTally(pages: turn.pages))]
        }
        return batch
      }
    } catch  where isOver {
      // Given up: what was cancelled is no failure.
    } catch {
      job.report.fail(Failure(error: error, job: job.name, record: nil))
    }
    run = nil
    return nil
  }

  func stop() async {
    isOver = true
    await run?.stop()
    run = nil
  }
}
