import FetchPlan
import JSONText
import Unwrapping
import Wire

/// The stage that gives the records of a job's `each`.
actor EachStage: Stage {
  private var records: EachRecords?
  private let report: Report
  private var skipping: RecordsSoFar?

  /// Creates the stage.
  ///
  /// - Parameter done: number and hash of the finished records, which are skipped.
  init(_ records: EachRecords, report: Report, skipping done: RecordsSoFar? = nil) {
    self.records = records
    self.report = report
    skipping = done
  }

  func next() -> Batch? {
    if let done = skipping { skip(done) }
    guard let record = records?.next() else { return nil }
    report.count { $0.inputs += 1 }
    return Batch(lines: Array(record.bytes) + [UInt8(ascii: "\n")])
  }

  /// Skips the finished records, and refuses the run if they differ: their values may come from the environment.
  private func skip(_ done: RecordsSoFar) {
    skipping = nil
    var passed = RecordsSoFar()
    while passed.count < done.count, let record = records?.next() { passed.add(record) }
    report.count { $0.inputs += passed.count }
    guard passed.count < done.count || passed.hash != done.hash, records != nil else { return }
    let first = done.count == 1 ? "record of 'each' differs" : "\(done.count) records of 'each' differ"
    report.refuse(
      "--resume: the first \(first) from the interrupted run; give the same values, or run without --resume")
    records = nil
  }

  func stop() {
    records = nil
  }
}
