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
    if readsExpanded, let unexpanded = record.unexpandedRecord {
      // Throws the reason why `each` could not be combined with the record.
      _ = try job.evaluating { () throws(ParameterError) in try job.plan.eachRecords(for: unexpanded) }
    }
    if let filter = job.plan.job.filter, !filter.holds(for: record) { return nil }
    let additions = try job.evaluating { () throws(ParameterError) in try job.plan.additions(for: record) }
    return try adding(additions, to: reshaped(record, number), of: "input", number: number).line
  }

  /// True if the records are combinations with the values of `each`.
  private var readsExpanded: Bool { job.plan.job.eachReadsRecords }

  private func reshaped(_ record: JSONValue, _ number: Int) throws(NetworkingError) -> JSONValue {
    guard let reshaper = job.reshaper else { return record }
    do {
      return try reshaper.apply(to: record)
    } catch {
      throw job.fetcher.recordError(error, record: number, of: "input", page: nil)
    }
  }

  /// Handles an input record that can't be changed.
  private func handle(_ error: NetworkingError, _ record: JSONValue, number: Int) async {
    if !inputProgress.rejects(Failure(error: error, job: job.name, record: number), record) { await stop() }
  }
}

// Setting members in the records of a batch: in all records at once, except for those that need individual handling.

/// A pass over a batch, from one record that needs individual handling to the next.
struct BatchEditor {
  private let batch: Batch
  private var records: TokenIndexedRecords
  private var lines: LineBuffer
  /// Number of records so far, including the last one given.
  private(set) var count = 0

  init(_ batch: Batch) {
    self.batch = batch
    records = batch.records
    lines = LineBuffer(capacity: batch.lines.count + batch.lines.count / 4)
  }

  /// Sets members up to the next record that needs individual handling, and returns that record; nil at the end.
  ///
  /// - Parameters:
  ///   - setter: nil if each record needs individual handling.
  ///   - find: returns the values that belong to a record with this key.
  mutating func next(
    _ setter: inout MemberSetter?, find: (JoinedKey) -> [JSONValue] = { _ in [] }
  ) -> JSONValue? {
    let plain = setter?.append(
      batch.lines, from: records.rest.startIndex, with: batch.tokenIndex, to: &lines, find: find)
    if let plain {
      records.rest = batch.lines[plain.end...]
      count += plain.count
    }
    guard let record = records.next() else { return nil }
    count += 1
    return record
  }

  /// Appends the edited line of the record that was returned.
  mutating func put(_ line: [UInt8]) {
    lines.append(line)
  }

  /// Returns all records in their edited form.
  consuming func finish() -> [UInt8] { lines.lines() }
}

extension MemberSetter {
  /// Creates a setter for the members that a job adds to its input records; nil if each record needs individual
  /// handling.
  init?(for plan: JobPlan) {
    var additions: [(name: String, source: Source)] = []
    switch plan.job.attach {
    case .list(let name): additions.append((name, .found(.list)))
    case .one(let name): additions.append((name, .found(.only)))
    case nil: break
    }
    if let name = plan.job.count { additions.append((name, .found(.count))) }
    if plan.job.endpoint == nil {
      guard let plain = plan.plainAdditions else { return nil }
      additions += plain
    }
    guard plan.job.membersOfEach.isEmpty, plan.job.match.allSatisfy({ $0.input.steps.count == 1 }) else { return nil }
    self.init(distinct: additions, keys: plan.job.match.map(\.input.steps[0].name))
  }

  /// Creates a setter; nil if a name comes twice.
  init?(distinct additions: [(name: String, source: Source)], keys: [String] = []) {
    guard Set(additions.map { Array($0.name.utf8) }).count == additions.count else { return nil }
    self.init(additions, keys: keys)
  }
}

extension JobContext {
  /// Returns the records of a page with the members of `set`.
  ///
  /// - Parameters:
  ///   - batch: records of the page; with `carriesSource`, each with what it was before it was rewritten.
  ///   - before: number of the page's records before the batch.
  func setting(
    _ additions: PageAdditions?, in batch: Batch, after before: Int
  ) throws(NetworkingError) -> Batch {
    guard let additions else { return batch }
    var setter = carriesSource ? nil : additions.plain.flatMap { MemberSetter(distinct: $0) }
    var editor = BatchEditor(batch)
    while let next = editor.next(&setter) {
      let parts = carriesSource ? Array(next.elements) : [next, next]
      let members = try evaluating { () throws(ParameterError) in try additions.additions(for: parts[1]) }
      editor.put(try adding(members, to: parts[0], number: before + editor.count).line)
    }
    var changed = Batch(lines: editor.finish())
    (changed.pages, changed.nested) = (batch.pages, batch.nested)
    changed.addRepeats(of: batch)
    return changed
  }
}

/// Returns the record with members set.
///
/// - Parameters:
///   - source: name of the record's kind, for messages.
///   - number: number of the record within its kind, from 1.
func adding(
  _ additions: [(name: String, value: JSONValue)], to record: JSONValue, of source: String = "output", number: Int = 1
) throws(NetworkingError) -> JSONValue {
  var record = record
  for (name, value) in additions {
    guard let changed = record.setting(name, to: value) else {
      throw .decodingError(
        source: source, page: nil, record: number, keyPath: "", expected: "an object to set '\(name)' in",
        found: record.kind.withArticle)
    }
    record = changed
  }
  return record
}
