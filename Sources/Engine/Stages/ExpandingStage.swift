import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage before a job with `each` that follows another job: it combines each input record with the values of
/// `each`.
///
/// The job keeps these records in the journal, so that the stage itself has nothing to resume.
actor ExpandingStage: Stage {
  /// Highest number of records in one batch, and of bytes, after which no record is added.
  private static let (most, mostBytes) = (256, 1 << 20)

  private let job: JobContext
  private let upstream: any Stage
  /// Input records of the current batch, and the progress after it.
  private var records = Batch(lines: []).records
  private var progress: [StageProgress] = []
  private var hasBatch = false
  /// The records made from the current input record.
  private var made: EachRecords?
  private var number = 0
  private var isOver = false
  private var hasWarned = false

  init(_ job: JobContext, upstream: any Stage) {
    self.job = job
    self.upstream = upstream
  }

  func next() async -> Batch? {
    if isOver { return nil }
    if !hasBatch {
      guard let batch = await upstream.next(), !isOver else { return nil }
      (records, progress, hasBatch) = (batch.records, batch.progress, true)
    }
    var lines: [UInt8] = []
    var count = 0
    while count < Self.most, lines.count < Self.mostBytes, let record = await following() {
      lines += record.line
      count += 1
    }
    var batch = Batch(lines: lines)
    // A run can be resumed after this batch only if it ends with the last record of the input batch.
    if count < Self.most, lines.count < Self.mostBytes, !isOver { (batch.progress, hasBatch) = (progress, false) }
    return batch
  }

  /// Returns the next record of the current batch; nil after the last.
  private func following() async -> JSONValue? {
    while !isOver {
      if let record = made?.next() { return record }
      made = nil
      guard let record = records.next() else { return nil }
      number += 1
      do {
        made = try job.plan.eachRecords(for: record)
        warn()
      } catch {
        // The job's own stage reports the failure, in order and as `onError` says.
        if job.plan.handlesEach { return record.asUnexpanded }
        let error = NetworkingError(error, hiding: job.fetcher.secrets)
        job.report.fail(Failure(error: error, job: job.name, record: number))
        isOver = true
        await upstream.stop()
      }
    }
    return nil
  }

  private func warn() {
    guard !hasWarned, let window = made?.lossyWindows(of: job.plan.job.inclusiveWindows).first else { return }
    hasWarned = true
    job.report.advise("\(job.name): \(window)")
  }

  func stop() async {
    isOver = true
    await upstream.stop()
  }
}

extension JobPlan {
  /// True if the job's stage handles each input record by itself.
  fileprivate var handlesEach: Bool { job.match.isEmpty || job.batch != nil }
}

extension JSONValue {
  /// The input record in an array, as a sign that `each` could not expand it: expanded records are never arrays.
  fileprivate var asUnexpanded: JSONValue { JSONValue(elements: [self]) }
}
