// A join: the job fetches once, beside the step before it, and each input record gets what matches.

import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage of a job with `match`. The fetched side is held in memory; the input streams through.
actor MatchStage: Stage {
  private let job: RunningJob
  private let upstream: any Stage
  private let pages: PageStream
  private let fetch: Task<Result<MatchTable, NetworkingError>, Never>
  private var isOver = false
  private var number = 0
  /// Whether input records come again when the run is gone on with.
  private let comesAgain: Bool
  private var passed: PassedRecords
  private var tally: StageTally
  /// Joins records that need no closer look.
  private var setter: MemberSetter?

  /// Begins to fetch at once: at the same time as the step before it.
  ///
  /// - Parameters:
  ///   - comesAgain: whether input records come again, from where the standing says, when the run is gone on with.
  ///   - standing: where another process has left off.
  init(_ job: RunningJob, upstream: any Stage, comesAgain: Bool, resuming standing: Standing? = nil) {
    self.job = job
    self.upstream = upstream
    self.comesAgain = comesAgain
    setter = MemberSetter(joining: job.plan)
    passed = PassedRecords(count: standing?.done ?? 0, hash: standing?.inputHash ?? 0)
    tally = standing?.tally ?? StageTally()
    number = passed.count
    job.window.takeAnyway()
    let pages = PageStream(job, record: nil)
    self.pages = pages
    let table = MatchTable(pairs: job.plan.job.match.map { ($0.fetched, $0.input) })
    fetch = Task { await Self.fetchAll(pages, into: table, job.name) }
  }

  func next() async -> Batch? {
    guard !isOver else { return nil }
    let batch = await upstream.next()
    // The fetch is looked at even if there is nothing to join: its failure is the run's.
    guard let table = await fetched(), let batch else { return nil }
    return await joined(batch, with: table)
  }

  private func fetched() async -> MatchTable? {
    switch await fetch.value {
    case .success(let table): return table
    case .failure(let error):
      if !isOver { await fail(Failure(error: error, job: job.name, record: nil)) }
      return nil
    }
  }

  private func fail(_ failure: Failure) async {
    job.report.fail(failure)
    await stop()
  }

  func stop() async {
    isOver = true
    fetch.cancel()
    await pages.stop()
    await upstream.stop()
    _ = await fetch.value
  }

  private static func fetchAll(
    _ pages: PageStream, into table: MatchTable, _ job: String
  ) async -> Result<MatchTable, NetworkingError> {
    var table = table
    do throws(NetworkingError) {
      while let (page, _) = try await pages.next() {
        try add(page, to: &table, job)
      }
      return .success(table)
    } catch {
      return .failure(error)
    }
  }

  private static func add(_ page: Page, to table: inout MatchTable, _ job: String) throws(NetworkingError) {
    do {
      while let lines = try page.lines.next() { table.add(lines: lines) }
    } catch {
      throw .transportFailure(url: job, page: 1, reason: error.problem)
    }
  }

  /// The batch's records, joined; those before a failure come out too.
  private func joined(_ batch: Batch, with table: MatchTable) async -> Batch {
    var lines = GatheredLines(capacity: batch.lines.count + batch.lines.count / 4)
    var records = batch.records
    while !isOver {
      let plain = setter?.append(
        batch.lines, from: records.rest.startIndex, at: batch.places, to: &lines, find: table.matches)
      if let plain {
        records.rest = batch.lines[plain.end...]
        number += plain.count
      }
      guard let record = records.next() else { break }
      number += 1
      do {
        lines.append(try joined(record, table.matches(for: record)))
      } catch {
        lines.append(await answer(error, record))
      }
    }
    return marked(lines.lines(), behind: batch)
  }

  /// The input batch is through: the stage before stands behind it, and so does this one.
  private func marked(_ lines: [UInt8], behind batch: Batch) -> Batch {
    var joined = Batch(lines: lines)
    guard job.ledger != nil, !isOver else { return joined }
    if comesAgain { for record in batch.records { passed.add(record) } }
    guard comesAgain || !batch.marks.isEmpty else { return joined }
    let mark = StageMark(
      stage: job.stage, done: number, inputHash: comesAgain ? passed.hash : nil, tally: tally)
    joined.marks = batch.marks + [mark]
    return joined
  }

  /// What `onError` says to do about an input record that can't be joined.
  private func answer(_ error: NetworkingError, _ record: JSONValue) async -> [UInt8] {
    let failure = Failure(error: error, job: job.name, record: number)
    if job.plan.job.onError == .stop {
      await fail(failure)
      return []
    }
    job.report.reject(failure, record, stage: job.stage)
    tally.rejected += 1
    guard job.plan.job.onError == .empty, case .one(let name) = job.plan.job.attach else { return [] }
    return record.setting(name, to: .null)?.line ?? []
  }

  private func joined(_ record: JSONValue, _ matches: [JSONValue]) throws(NetworkingError) -> [UInt8] {
    var additions: [(name: String, value: JSONValue)] = []
    switch job.plan.job.attach {
    case .list(let name): additions.append((name, JSONValue(elements: matches)))
    case .one(let name): additions.append((name, try only(of: matches, name)))
    case nil: break
    }
    if let name = job.plan.job.count { additions.append((name, JSONValue(matches.count))) }
    do {
      additions += try job.plan.additions(for: record)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
    return try with(additions, record).line
  }

  private func only(of matches: [JSONValue], _ name: String) throws(NetworkingError) -> JSONValue {
    guard matches.count > 1 else { return matches.first ?? .null }
    throw .decodingError(
      source: "input", page: nil, record: number, keyPath: name, expected: "one match at most",
      found: "\(matches.count)")
  }
}

extension MemberSetter {
  /// Sets what a job with `match` sets; nil where that takes a look at each record.
  init?(joining plan: JobPlan) {
    var additions: [(name: String, source: Source)] = []
    switch plan.job.attach {
    case .list(let name): additions.append((name, .found(.list)))
    case .one(let name): additions.append((name, .found(.only)))
    case nil: break
    }
    if let name = plan.job.count { additions.append((name, .found(.count))) }
    guard let plain = plan.plainAdditions else { return nil }
    additions += plain
    guard Set(additions.map { Array($0.name.utf8) }).count == additions.count else { return nil }
    self.init(additions, keys: plan.job.match.map(\.input))
  }
}
