// The protocol of stages: the consumer asks a stage for its next records, and the stage asks the previous one.

import Diagnostics
import FetchPlan
import Fetching
import Files
import JSONText
package import PipelineSpec
import Unwrapping
import Wire

/// A step of a running pipeline, with one consumer that asks for one batch after the other.
///
/// A stage requests nothing ahead of its consumer, except within a job's `concurrency`. A stage that fails reports the
/// failure to the run's `Report`, and ends. The following stages finish their input.
protocol Stage: Sendable {
  /// Returns the next records, or nil at the end.
  func next() async -> Batch?
  /// Cancels all work in progress, here and upstream, and returns when it has ended.
  ///
  /// `next()` must not be called again.
  func stop() async
}

extension NetworkingError {
  /// Creates the error for invalid JSON, with its location and a quotation.
  init(_ fault: JSONError, source: String, hiding secrets: SecretStore) {
    self = .invalidJSON(
      source: source, page: nil, offset: fault.offset, line: fault.line, column: fault.column,
      reason: fault.rendered(hiding: secrets) + fault.remedy)
  }

  /// Creates the error for a page from which no next one can follow.
  init(_ fault: PagingError, hiding secrets: SecretStore) {
    let (url, reason) = (secrets.redacting(fault.url.redacted), secrets.redacting(fault.problem).printable)
    self =
      fault.isCircle
      ? .paginationLoop(url: url, page: fault.page, reason: reason)
      : .invalidPage(url: url, page: fault.page, reason: reason)
  }
}

// The progress of a stage that passes its input records on.

/// The counters and position of a stage that passes its input records on.
struct InputProgress {
  private let job: JobContext
  /// True if a resumed run can read the input again.
  private let isInputReplayable: Bool
  private var passed: RecordsSoFar
  private var tally: StageCounters
  /// Number of input records so far.
  var number: Int

  /// Starts at the beginning, or at a checkpoint.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint?) {
    self.job = job
    self.isInputReplayable = isInputReplayable
    passed = RecordsSoFar(count: checkpoint?.done ?? 0, hash: checkpoint?.inputHash ?? 0)
    tally = checkpoint?.tally ?? StageCounters()
    number = passed.count
  }

  /// Returns the output for a finished input batch, with the progress of the previous stages and of this stage.
  mutating func withProgress(_ lines: [UInt8], after batch: Batch) -> Batch {
    var output = Batch(lines: lines)
    guard job.progressLog != nil else { return output }
    if isInputReplayable { for record in batch.records { passed.add(record) } }
    guard isInputReplayable || !batch.progress.isEmpty else { return output }
    let stageProgress = StageProgress(
      stage: job.stage, done: number, inputHash: isInputReplayable ? passed.hash : nil, tally: tally)
    output.progress = batch.progress + [stageProgress]
    return output
  }

  /// Returns the output of a pass over a batch; with progress if the pass reached the batch's end.
  mutating func output(of editor: consuming BatchEditor, over batch: Batch, isWhole: Bool) -> Batch {
    number += editor.count
    let lines = editor.finish()
    return isWhole ? withProgress(lines, after: batch) : Batch(lines: lines)
  }

  /// Rejects an input record that failed, and returns true; or reports the failure that ends the run, as `onError` says.
  mutating func rejects(_ failure: Failure, _ record: JSONValue) -> Bool {
    job.rejects(failure, [record], counting: &tally)
  }
}

extension NetworkingError {
  /// True if every other record would fail in the same way: 401, refused credentials, or a disk error.
  var concernsAllRecords: Bool {
    switch self {
    case .invalidResponseStatus(_, let context):
      context.status == 401
        || [400, 403].contains(context.status)
          && [TransportError.tokenEndpoint, TransportError.login].contains(where: context.hint.hasPrefix)
    case .outputFailure, .busy: true
    default: false
    }
  }
}

extension JobContext {
  /// Rejects input records that failed, and returns true; or reports the failure that ends the run, as `onError` says.
  func rejects(_ failure: Failure, _ records: [JSONValue], counting tally: inout StageCounters) -> Bool {
    guard plan.job.onError != .stop, !failure.error.concernsAllRecords, !report.beginsAnew,
      report.reject(failure, records, stage: stage)
    else {
      report.fail(failure)
      return false
    }
    tally.rejected += records.count
    return true
  }
}

// A queue of input records that have not been started.

/// Records that a stage has read and not yet started.
///
/// They are one batch, or a page of any size in spools.
struct RecordQueue {
  private var current = Batch(lines: []).records
  private var spools: [Spool] = []

  init() {}

  init(_ batch: Batch) {
    current = batch.records
  }

  init(_ spools: [Spool]) {
    self.spools = spools
  }

  /// Skips the first records.
  mutating func skip(_ count: Int) throws(FileError) {
    for _ in 0..<count { _ = try next() }
  }

  mutating func next() throws(FileError) -> JSONValue? {
    while true {
      if let record = current.next() { return record }
      guard let spool = spools.first else { return nil }
      guard let held = try spool.nextLines() else {
        spools.removeFirst()
        continue
      }
      current = TokenIndexedRecords(held.lines, held.tokenIndex)
    }
  }
}

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
    comparesRecords = job.comparesRecords
    job.concurrencyLimit.acquireAnyway()
    let run = RecordFetch(job, record: nil, resuming: checkpoint)
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
              streamRepeats: comparesRecords ? tally.repeats : 0, keys: keys, tally: tally)
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

// MARK: Conversion of a job's `model` and `decode` to the types of Unwrapping, which does not import PipelineSpec

extension Shape {
  /// Creates the shape of a job; nil if its records are given unchanged.
  init?(_ job: Job) {
    guard
      !job.drop.isEmpty || !job.keep.isEmpty || !job.rename.isEmpty || job.model != nil || job.decode.keys != nil
        || !job.decode.members.isEmpty || !job.flatten.isEmpty || !job.decode.nulls.isEmpty
    else { return nil }
    self.init(
      drop: job.drop, keep: job.keep, flatten: job.flatten, keys: job.decode.keys.map(Keys.init),
      rename: job.rename.map { ($0.path, $0.name) },
      members: job.decode.members.map { ($0.path, Reading($0.reading)) },
      nulls: job.decode.nulls.map { ($0.path, $0.values) },
      model: job.model.map(Self.members))
  }

  private static func members(_ model: Model) -> [Member] {
    model.members.map { Member(name: $0.name, kind: Kind($0.kind), isOptional: $0.isOptional) }
  }

  fileprivate static func kind(of model: Model) -> Kind { .map(members(model)) }
}

extension Shape.Keys {
  package init(_ keys: Decode.Keys) {
    switch keys {
    case .camelCase: self = .camelCase
    case .snakeCase: self = .snakeCase
    }
  }
}

extension Shape.Reading {
  fileprivate init(_ reading: Decode.Reading) {
    switch reading {
    case .date(let form): self = .date(form)
    case .type(.string): self = .type(.string)
    case .type(.integer): self = .type(.integer)
    case .type(.number): self = .type(.number)
    case .type(.boolean): self = .type(.boolean)
    }
  }
}

extension Shape.Kind {
  fileprivate init(_ kind: Model.Kind) {
    switch kind {
    case .string: self = .string
    case .integer: self = .integer
    case .number: self = .number
    case .boolean: self = .boolean
    case .date: self = .date
    case .url: self = .url
    case .any: self = .any
    case .list(let element): self = .list(Shape.Kind(element))
    case .map(let model): self = Shape.kind(of: model)
    }
  }
}
