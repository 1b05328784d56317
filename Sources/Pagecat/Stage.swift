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
  /// Who waits for the next chunk.
  private var waiting: CheckedContinuation<Result<[UInt8]?, InputFault>?, Never>?

  /// - Parameter job: the job that reads the records, for messages.
  init(_ input: Input, job: String, lineLimit: Int, report: Report, secrets: Secrets) {
    self.secrets = secrets
    self.input = input
    self.report = report
    self.job = job
    scanner = LineScanner(lineLimit: lineLimit)
  }

  func next() async -> Batch? {
    while !isOver {
      await readChunk()
      let lines = scanner.takeRecords()
      if !lines.isEmpty { return Batch(lines: lines) }
    }
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

  init(_ records: EachRecords) {
    self.records = records
  }

  func next() -> Batch? {
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

  init(_ job: RunningJob) {
    self.job = job
    run = RecordRun(job, record: nil)
  }

  func next() async -> Batch? {
    do {
      if let batch = try await run?.next() { return batch }
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
