import FetchPlan
import JSONText
import Unwrapping
import Wire

/// The stage that reads records from NDJSON on standard input, ahead of their consumer.
actor InputStage: Stage {
  private let input: Input
  let report: Report
  private let secrets: SecretStore
  private let job: String
  private let source: LineSource
  private var isOver = false
  /// True if the run was stopped, so that the end of the records is not the end of the input.
  private var isStopped = false
  private var skipping: RecordsSoFar?
  private let digest: InputDigest?

  /// Creates the stage.
  ///
  /// - Parameters:
  ///   - job: the job that reads the records, for messages.
  ///   - depth: depth of the token index in records (`Batch.tokenIndex`).
  ///   - done: number and hash of the finished records, which are skipped.
  ///   - digest: receives all records that are read, if a later run needs the digest.
  init(
    _ input: Input, job: String, lineLimit: Int, tokenIndexDepth depth: Int = 0, report: Report, secrets: SecretStore,
    skipping done: RecordsSoFar? = nil, digest: InputDigest? = nil
  ) {
    skipping = done
    self.digest = digest
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
      if chunk.isLast {
        isOver = true
        digest?.end()
      }
      switch chunk.fault {
      case .json(let fault): fail(NetworkingError(fault, source: input.name, hiding: secrets))
      case .input(let fault): refuse(fault)
      case nil: break
      }
      guard !chunk.lines.isEmpty else { continue }
      let batch = Batch(chunk.lines, chunk.tokenIndex)
      report.count { $0.inputs += batch.count }
      digest?.add(batch)
      return batch
    }
    return nil
  }

  /// Returns the records after the finished ones; refuses the run if the finished ones differ.
  private func rest(after done: RecordsSoFar) async -> Batch? {
    let count = done.count
    let (passed, rest) = await read(count)
    if passed.count == count, passed.hash == done.hash { return Batch(lines: Array(rest)) }
    if !report.isInterrupted, !isStopped {
      report.refuse(
        "--resume: the first \(count == 1 ? "record" : "\(count) records") of \(input.name) "
          + "differ\(count == 1 ? "s" : "") from the interrupted run; give the same input, or run without --resume")
    }
    isOver = true
    return nil
  }

  /// Reads so many records, and returns their number and hash, and those that came with the last ones.
  private func read(_ count: Int) async -> (RecordsSoFar, rest: ArraySlice<UInt8>) {
    var passed = RecordsSoFar()
    var rest: ArraySlice<UInt8> = []
    while passed.count < count, let batch = await nextBatch() {
      var records = batch.records
      while passed.count < count, let record = records.next() { passed.add(record) }
      rest = records.rest
    }
    return (passed, rest)
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

// Comparison of an input with that of an earlier run.

extension InputStage {
  /// Returns true if the input has the records of a journal's last line, and no others if these were all.
  func hasRecords(of line: JSONValue) async -> Bool {
    guard let count = line["inputs"]?.integer, let hash = line["inputHash"]?.integer else { return true }
    // The earlier run has counted the records.
    let counted = report.counters.inputs
    defer { report.count { $0.inputs = counted } }
    let (passed, rest) = await read(count)
    guard passed.count == count, passed.hash == hash else { return false }
    guard line["isWhole"]?.boolean == true else { return true }
    return rest.isEmpty ? await nextBatch() == nil : false
  }
}

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
