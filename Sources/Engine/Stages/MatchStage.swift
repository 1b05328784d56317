// A join: the job fetches its pages once, while the previous step runs, and each input record gets its matches.

import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage of a job with `match`; the fetched side is held in memory, and the input streams through.
actor MatchStage: Stage {
  private let job: JobContext
  private let upstream: any Stage
  private let run: RecordFetch
  private let fetch: Task<Result<MatchTable, NetworkingError>, Never>
  private var isOver = false
  private var inputProgress: InputProgress
  /// Joins records that need no individual handling.
  private var setter: MemberSetter?
  /// What the join found; nil in a resumed run.
  private var finding: MatchFinding? = MatchFinding()

  /// Creates the stage and starts to fetch at once, while the previous step runs.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, upstream: any Stage, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    self.upstream = upstream
    inputProgress = InputProgress(job, isInputReplayable: isInputReplayable, resuming: checkpoint)
    setter = MemberSetter(for: job.plan)
    if checkpoint != nil { finding = nil }
    job.concurrencyLimit.acquireAnyway()
    let run = RecordFetch(job, record: nil)
    self.run = run
    fetch = Task { await Self.fetchAll(run, job) }
  }

  func next() async -> Batch? {
    guard !isOver else { return nil }
    let batch = await upstream.next()
    // Await the fetch even if there is nothing to join: its failure is the run's.
    guard let table = await fetched() else { return nil }
    guard let batch else {
      if !isOver { finding?.warn(job) }
      return nil
    }
    return await joined(batch, with: table)
  }

  private func fetched() async -> MatchTable? {
    switch await fetch.value {
    case .success(let table): return table
    case .failure(let error):
      if !isOver {
        job.report.fail(Failure(error: error, job: job.name, record: nil))
        await stop()
      }
      return nil
    }
  }

  func stop() async {
    isOver = true
    fetch.cancel()
    await run.stop()
    await upstream.stop()
    _ = await fetch.value
  }

  private static func fetchAll(_ run: RecordFetch, _ job: JobContext) async -> Result<MatchTable, NetworkingError> {
    do throws(NetworkingError) {
      let (table, counts) = try await run.fetchTable()
      job.report.countOutput(counts, of: job)
      return .success(table)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the joined records of a batch, including those before a failure.
  private func joined(_ batch: Batch, with table: MatchTable) async -> Batch {
    var editor = BatchEditor(batch)
    var matchCount = 0
    defer { finding?.add(batch.firstRecord, matchCount, in: table) }
    func matches(_ key: JoinedKey) -> [JSONValue] {
      let matches = table.matches(for: key)
      matchCount += matches.count
      return matches
    }
    while !isOver, let record = editor.next(&setter, find: matches) {
      let number = inputProgress.number + editor.count
      do {
        let matches = table.matches(for: record)
        matchCount += matches.count
        editor.put(try job.joined(record, matches, number))
      } catch {
        editor.put(await handle(error, record, number))
      }
    }
    return inputProgress.output(of: editor, over: batch, isWhole: !isOver)
  }

  /// Returns what becomes of an input record that can't be joined.
  private func handle(_ error: NetworkingError, _ record: JSONValue, _ number: Int) async -> [UInt8] {
    guard inputProgress.rejects(Failure(error: error, job: job.name, record: number), record) else {
      await stop()
      return []
    }
    return job.plan.job.onError == .empty ? job.withNothingJoined(record) : []
  }
}

extension Batch {
  /// The first record; nil without one.
  fileprivate var firstRecord: JSONValue? {
    lines.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first.map { JSONValue(validated: Array($0)[...]) }
  }
}

/// The result of a join for a warning: whether any input record had a match, and the first records of both sides.
struct MatchFinding {
  private var input: JSONValue?
  private var fetched: JSONValue?
  private var hasMatch = false

  /// Records an input record and the number of its matches.
  mutating func add(_ record: @autoclosure () -> JSONValue?, _ matchCount: Int, in table: MatchTable) {
    hasMatch = hasMatch || matchCount > 0
    guard !hasMatch else { return }
    input = input ?? record()
    fetched = fetched ?? table.first
  }

  /// Warns if no input record had a match, and the first records show the reason.
  func warn(_ job: JobContext) {
    guard !hasMatch, let input, let fetched, let doubt = job.plan.doubtOfMatch(fetched, input) else { return }
    job.report.adviseOnce(
      "\(job.name): 'match' found nothing for any input record: \(job.fetcher.secrets.redactingCutNames(doubt).printable)",
      about: "match \(job.name)")
  }
}

// Joins fetched records to the input record that they match.

extension JobContext {
  /// Returns the line of an input record with its matches.
  ///
  /// - Parameter number: number of the record in the job's input, from 1; for messages.
  func joined(
    _ record: JSONValue, _ matches: [JSONValue], _ number: Int
  ) throws(NetworkingError) -> [UInt8] {
    var additions: [(name: String, value: JSONValue)] = []
    switch plan.job.attach {
    case .list(let name): additions.append((name, JSONValue(elements: matches)))
    case .one(let name): additions.append((name, try only(of: matches, name, number)))
    case nil: break
    }
    if let name = plan.job.count { additions.append((name, JSONValue(matches.count))) }
    try evaluating { () throws(ParameterError) in try plan.checkMembersOfEach(record) }
    return try adding(additions, to: record, of: "input", number: number).line
  }

  /// Returns the line of an input record without matches, for `onError: empty`; empty if the record is no object.
  func withNothingJoined(_ record: JSONValue) -> [UInt8] {
    (try? joined(record, [], 0)) ?? []
  }

  private func only(of matches: [JSONValue], _ name: String, _ number: Int) throws(NetworkingError) -> JSONValue {
    guard matches.count > 1 else { return matches.first ?? .null }
    throw .decodingError(
      source: "input", page: nil, record: number, keyPath: name, expected: oneAtMost("match", name),
      found: "\(matches.count)")
  }
}

/// Returns the limit of `attach: {one: NAME}`, and the alternative for more records.
func oneAtMost(_ noun: String, _ name: String) -> String {
  "one \(noun) at most ('attach: \(name.printable)' takes a list)"
}
