// Records pass through, and are changed on the way; nothing is requested.

import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage of a job without `endpoint`.
actor SetStage: Stage {
  private let job: JobContext
  private let upstream: any Stage
  private var isOver = false
  private var inputProgress: InputProgress
  /// True if setting members is the only change.
  private let onlySets: Bool
  /// Clauses of `where` whose members no record had, while all records were left out.
  private var missed: [Condition.Clause]
  /// Sets members of records that need no individual handling.
  private var setter: MemberSetter?

  /// Creates the stage.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, upstream: any Stage, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    self.upstream = upstream
    inputProgress = InputProgress(job, isInputReplayable: isInputReplayable, resuming: checkpoint)
    onlySets = job.plan.job.filter == nil && job.reshaper == nil
    missed = job.plan.job.filter?.clausesForMembers ?? []
    setter = onlySets ? MemberSetter(for: job.plan) : nil
  }

  func next() async -> Batch? {
    guard !isOver, let batch = await upstream.next() else { return nil }
    if job.plan.job.set.isEmpty, onlySets, job.plan.job.each == nil, job.plan.job.membersOfEach.isEmpty {
      inputProgress.number += batch.count
      return inputProgress.withProgress(batch.lines, after: batch)
    }
    var editor = BatchEditor(batch)
    var leftOutCount = 0
    defer { countFiltered(editor.count, leftOutCount) }
    while !isOver, let record = editor.next(&setter) {
      do {
        if let line = try changed(record, number: inputProgress.number + editor.count) {
          editor.put(line)
          missed = []
        } else {
          leftOutCount += 1
          missed.removeAll { !record.values(at: $0.path).isEmpty }
        }
      } catch {
        let record = readsExpanded ? record.unexpandedRecord ?? record : record
        await handle(error, record, number: inputProgress.number + editor.count)
      }
    }
    return inputProgress.output(of: editor, over: batch, isWhole: !isOver)
  }

  /// Counts the records of a batch that `where` left out.
  private func countFiltered(_ recordCount: Int, _ leftOutCount: Int) {
    guard job.plan.job.filter != nil else { return }
    let misses = recordCount == leftOutCount ? job.plan.job.filter?.culprits(among: missed).map(\.name) ?? [] : []
    job.report.countFiltered(
      PageBody(recordCount: recordCount, leftOutCount: leftOutCount, filterMisses: misses), of: job)
  }

  func stop() async {
    isOver = true
    await upstream.stop()
  }

  /// Returns the record's line; nil if `where` leaves it out.
  ///
  /// Members are set last, from values of the record as it came.
  private func changed(_ record: JSONValue, number: Int) throws(NetworkingError) -> [UInt8]? {
    if readsExpanded, let unexpanded = record.unexpandedRecord { try throwError(of: unexpanded) }
    if let filter = job.plan.job.filter, !filter.holds(for: record) { return nil }
    let additions: [(name: String, value: JSONValue)]
    do {
      additions = try job.plan.additions(for: record)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
    return try adding(additions, to: reshaped(record, number), of: "input", number: number).line
  }

  /// True if the records are combinations with the values of `each`.
  private var readsExpanded: Bool { job.plan.job.eachReadsRecords }

  /// Throws the reason why `each` could not be combined with an input record.
  private func throwError(of record: JSONValue) throws(NetworkingError) {
    do {
      _ = try job.plan.eachRecords(for: record)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
  }

  private func reshaped(_ record: JSONValue, _ number: Int) throws(NetworkingError) -> JSONValue {
    guard let reshaper = job.reshaper else { return record }
    do {
      return try reshaper.apply(to: record)
    } catch {
      throw job.fetcher.recordError(error, record: number, of: "input", page: nil)
    }
  }

  /// Handles an input record that can't be changed, as `onError` says.
  private func handle(_ error: NetworkingError, _ record: JSONValue, number: Int) async {
    let failure = Failure(error: error, job: job.name, record: number)
    guard job.plan.job.onError == .stop else { return inputProgress.reject(failure, record) }
    job.report.fail(failure)
    await stop()
  }
}
