// One fetch for each input record or batch of input records, several at once, with output in the order of the input.

import Files
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage of a job that reads records.
///
/// With `concurrency` 1 the stage reads a record, gives its output, and reads the next. Otherwise it processes as many
/// records at once as the job's concurrency limit allows, and reads ahead as soon as there is room. The output always
/// belongs to the oldest record.
actor FetchStage: Stage {
  /// An input record in progress: its first batch is fetched at once, the rest when it is the oldest record.
  ///
  /// With `batch`, these are the input records of one request.
  private final class Item {
    /// Number of the first record.
    let number: Int
    let records: [JSONValue]
    let fetch: RecordFetch
    typealias Output = Result<(Batch, StreamPosition?)?, NetworkingError>
    var first: Output?
    /// Hash of this and all preceding records, once a bookmark needs it; it is the same for all pages of the record.
    var hashInProgress: Int?
    var task: Task<Void, Never>?
    var hasBegun = false
    /// Number of its output records so far, in this process or before it.
    var recordCount: Int
    /// Number of records that its stream left out so far, since they came before on another page of it.
    var repeatCount: Int
    /// Keys of its records since the last progress.
    var keys: [UInt64] = []
    /// Its permit, which is lent if nothing of it is left to fetch.
    var permit: ConcurrencyLimit.Permit

    /// True if the first page has arrived, and is not the last one.
    var hasMore: Bool {
      if case .success((_, let position)?) = first { position?.isOver != true } else { false }
    }

    /// True if all of the output has arrived, and is small together with the input.
    var isSmall: Bool {
      let outputSize: Int
      switch first {
      case nil: return false
      case .success((let batch, let position)?):
        guard position?.isOver == true else { return false }
        outputSize = batch.lines.count
      case .success(nil), .failure: outputSize = 0
      }
      return records.reduce(outputSize) { $0 + $1.bytes.count } <= ConcurrencyLimit.smallPage
    }

    init(
      number: Int, records: [JSONValue], fetch: RecordFetch, permit: ConcurrencyLimit.Permit, recordCount: Int,
      repeatCount: Int
    ) {
      (self.number, self.records, self.fetch, self.permit) = (number, records, fetch, permit)
      (self.recordCount, self.repeatCount) = (recordCount, repeatCount)
    }
  }

  private let job: JobContext
  private let upstream: any Stage
  /// True if a resumed run can read the input again; otherwise input records are kept until they are finished.
  private let isInputReplayable: Bool
  /// Input records that were read and not started.
  private var waiting: RecordQueue
  /// Input records of an incomplete batch.
  private var unfilled: [JSONValue] = []
  /// Input record that `each` could not expand, after the unfilled batch.
  private var unexpanded: JSONValue?
  /// Input records of a page whose end has not been read.
  private var gathered: [Spool] = []
  /// Number of input records read so far.
  private var readCount: Int
  /// The finished input records.
  private var passed: RecordsSoFar
  /// Counters without the pages of the current record.
  private var tally: StageCounters
  /// Position at which another process stopped in the first record, until that begins.
  private var resumed: StageCheckpoint?
  /// Compares the windows of `each`, and the keys of their records since the last progress.
  private var (windows, windowKeys): (UniqueRecords?, [UInt64]) = (nil, [])
  /// Records of windows that another process has written, until they are read.
  private var written: WrittenRecords?
  private let comparesRecords: Bool
  private var isUpstreamOver = false
  private var pull: Task<Void, Never>?
  /// Records in progress, oldest first.
  private var items: [Item] = []
  private var started: Int
  /// Number of pages of the last finished record, and of the oldest one so far.
  ///
  /// From these numbers the stage estimates how many requests precede the first request of a record. Room goes to the
  /// earliest requests.
  private var (lastPages, pagesSoFar) = (1, 0)
  private var gatheredCount = 0
  /// Number of kept records that are finished.
  private var skipped: Int
  /// What batches with `match` found; nil in a resumed run.
  private var finding: MatchFinding? = MatchFinding()
  private var isOver = false
  private var wake: CheckedContinuation<Void, Never>?

  /// Creates the stage.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, upstream: any Stage, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    self.upstream = upstream
    self.isInputReplayable = isInputReplayable
    if checkpoint != nil { finding = nil }
    let checkpoint = checkpoint ?? StageCheckpoint()
    let page = checkpoint.pagerBookmarks?.last?.page
    resumed = page.map { _ in checkpoint }
    windows = UniqueRecords.ofWindows(job)
    windows?.remember(checkpoint.windowKeys)
    written = job.keepsWindowKeys ? nil : job.written
    comparesRecords = job.comparesRecords
    passed = RecordsSoFar(count: checkpoint.done, hash: checkpoint.inputHash ?? 0)
    tally = checkpoint.tally
    tally.pages -= page ?? 0
    started = checkpoint.done
    readCount = checkpoint.kept.last?.end ?? checkpoint.done
    waiting = RecordQueue(checkpoint.kept.map(\.lines))
    skipped = checkpoint.kept.first.map { checkpoint.done - $0.start } ?? 0
    // Not `job`, which has the limit.
    job.concurrencyLimit.whenWaiting { [weak self, executor = job.executor] in
      Task(executorPreference: executor) { await self?.makeRoom() }
    }
  }

  func next() async -> Batch? {
    while !isOver {
      fill()
      await lookAhead()
      if isOver { break }
      guard let oldest = items.first else {
        if isUpstreamOver {
          finding?.warn(job)
          break
        }
        await waitForResult()
        continue
      }
      guard let first = oldest.first else {
        await waitForResult()
        continue
      }
      if let batch = await output(of: oldest, first) { return batch }
    }
    return nil
  }

  func stop() async {
    isOver = true
    for item in items { item.task?.cancel() }
    // Stop the previous stages before cancelling `pull`, so that they do not report the cancelled work as a failure.
    await upstream.stop()
    pull?.cancel()
    signal()
    for item in items {
      await item.fetch.stop()
      await item.task?.value
    }
    await pull?.value
    for item in items { item.permit.release() }
    items = []
  }

  /// Starts as many records as there is room for, and reads more input if none is waiting.
  private func fill() {
    do {
      try waiting.skip(skipped)
      skipped = 0
      while hasRoom {
        guard let records = try nextRecords() else { return pullMore() }
        guard matchesInterruptedRun(records) else { return refuse() }
        start(records)
      }
    } catch {
      fail(error.problem)
    }
  }

  /// Returns the input of the next fetch: a record, or a batch of them; nil if more must be read first.
  private func nextRecords() throws(FileError) -> [JSONValue]? {
    guard let size = job.plan.job.batch else { return try waiting.next().map { [$0] } }
    while unfilled.count < size, unexpanded == nil, let record = try waiting.next() {
      if isUnexpanded(record) { unexpanded = record } else { unfilled.append(record) }
    }
    if unfilled.isEmpty, let record = unexpanded {
      unexpanded = nil
      return [record]
    }
    guard unfilled.count == size || unexpanded != nil || isInputWhole, !unfilled.isEmpty else { return nil }
    defer { unfilled = [] }
    return unfilled
  }

  /// True if no input record follows.
  ///
  /// After a failure the input is not complete: a resumed run reads further records, and must make the same batches.
  private var isInputWhole: Bool {
    guard isUpstreamOver else { return false }
    let counters = job.report.counters
    return job.progressLog == nil || counters.failure == nil && counters.refusal == nil
  }

  /// Reports that `when` holds for an input record.
  private func isWanted(_ record: JSONValue) -> Bool { job.plan.job.when?.holds(for: record) ?? true }

  private func isUnexpanded(_ record: JSONValue) -> Bool {
    !isInputReplayable && job.plan.job.each != nil && record.unexpandedRecord != nil
  }

  /// Reports that the records are those at which the interrupted run stopped; true without such a run.
  private func matchesInterruptedRun(_ records: [JSONValue]) -> Bool {
    guard let hashInProgress = resumed?.hashInProgress else { return true }
    return passed.hash(with: records) == hashInProgress
  }

  private func refuse() {
    job.report.refuse(
      "--resume: input record \(started + 1) differs from the interrupted run; give the same input, or run without --resume"
    )
    end()
  }

  /// Reads more input; must be called only if none is waiting, since the new input replaces it.
  private func pullMore() {
    guard !isUpstreamOver, pull == nil else { return }
    pull = Task(executorPreference: job.executor) {
      let batch = await self.upstream.next()
      await self.pulled(batch)
    }
  }

  /// True if the next record's first page is probably among the next pages, and a permit is free.
  private var hasRoom: Bool {
    if items.isEmpty { return true }
    guard job.concurrencyLimit.hasRoom else { return false }
    let lentCount = job.concurrencyLimit.lends ? items.count { $0.permit.isLent } : 0
    let before = max(1, lastPages - pagesSoFar) + (items.count - 1 - lentCount) * lastPages
    return before < job.concurrency
  }

  private func start(_ input: [JSONValue]) {
    let permit = job.concurrencyLimit.acquireAnyway()
    let number = started + 1
    started += input.count
    let isExpanded = !input.contains(where: isUnexpanded)
    let records = isExpanded ? input : input.compactMap(\.unexpandedRecord)
    var (numbers, fetched) = (InputNumbers(first: number), records.first)
    if job.plan.job.batch != nil {
      let wanted = zip(number..., records).filter { isWanted($0.1) }
      (numbers.batch, fetched) = (wanted.map(\.0), JSONValue(elements: wanted.map(\.1)))
    }
    let item = Item(
      number: number, records: records,
      fetch: RecordFetch(job, record: fetched, numbers, resuming: resumed, isExpanded: isExpanded),
      permit: permit, recordCount: resumed?.streamRecords ?? 0, repeatCount: resumed?.streamRepeats ?? 0)
    resumed = nil
    items.append(item)
    let fetch = item.fetch
    item.task = Task(executorPreference: job.executor) {
      let result: Item.Output
      do throws(NetworkingError) {
        result = .success(try await fetch.next())
      } catch {
        result = .failure(error)
      }
      await self.finished(number, result)
    }
  }

  private func pulled(_ batch: Batch?) {
    pull = nil
    if let batch { take(batch) } else { isUpstreamOver = true }
    signal()
  }

  /// Takes a batch of input.
  ///
  /// In a resumable run no record is started before its whole page is in the journal. The journal then says from where
  /// the previous stage resumes.
  private func take(_ batch: Batch) {
    guard let progressLog = job.progressLog, !isInputReplayable else {
      waiting = RecordQueue(batch)
      return
    }
    do throws(FileError) {
      if gathered.isEmpty { gathered.append(job.fetcher.spool()) }
      try gathered[0].append(batch.lines, count: batch.count, batch.tokenIndex)
    } catch {
      return fail(error.problem)
    }
    gatheredCount += batch.count
    var isKept = progressLog.keep(batch.lines, for: job.stage)
    guard !batch.progress.isEmpty else { return isKept ? () : end() }
    isKept =
      isKept
      && progressLog.endPage(from: readCount, count: gatheredCount, for: job.stage, batch.progress, job.report.counters)
    readCount += gatheredCount
    waiting = RecordQueue(gathered)
    (gathered, gatheredCount) = ([], 0)
    if !isKept { end() }
  }

  /// Ends the input if it could not be kept, since it could not be resumed; the checkpointed output throws the error.
  private func end() {
    isUpstreamOver = true
    waiting = RecordQueue()
    (unfilled, unexpanded) = ([], nil)
  }

  private func fail(_ problem: String) {
    job.report.fail(Failure(error: .outputFailure(reason: problem), job: job.name, record: nil))
    end()
  }

  private func finished(_ number: Int, _ result: Item.Output) {
    if let item = items.first(where: { $0.number == number }) {
      item.first = result
      if !job.joinsBatches, item.isSmall { item.permit.lend() }
    }
    signal()
  }

  /// Returns the oldest item's next batch; nil if the item is finished, so that the next one is the oldest.
  private func output(of item: Item, _ first: Item.Output) async -> Batch? {
    do throws(NetworkingError) {
      let output = item.hasBegun ? try await item.fetch.next() : try first.get()
      guard !isOver else { return nil }
      item.hasBegun = true
      guard let (records, position) = output else {
        removeOldest()
        return nil
      }
      var batch = try compared(records, item)
      job.report.countOutput(batch, of: job)
      tally.add(batch)
      item.recordCount += batch.count
      item.repeatCount += records.repeats
      item.keys += records.keys
      windowKeys += batch.keys.dropFirst(records.keys.count)
      if let table = await item.fetch.table {
        batch = await joined(item, with: table)
        guard !isOver else { return batch }
      }
      if let position { batch.progress = progress(item, position) }
      return batch
    } catch {
      guard !isOver else { return nil }
      removeOldest()
      return await handle(error, item)
    }
  }

  /// Returns a batch without the records that an earlier window has given.
  private func compared(_ batch: Batch, _ item: Item) throws(NetworkingError) -> Batch {
    guard windows != nil, let input = item.records.first else { return batch }
    let group = job.windowGroup(of: input)
    do throws(FileError) {
      // Without other members, all windows are of one group, and so is what was written.
      if let written = written.take(), job.windowGroup(of: nil) == group {
        try written.readLast(written.count) { windows?.remember($0, group: group) }
      }
    } catch {
      throw .outputFailure(reason: error.problem)
    }
    return windows?.distinct(batch, page: item.number, group: group) ?? batch
  }

  /// Returns the progress of the stage after a page, or after the record.
  private func progress(_ item: Item, _ position: StreamPosition) -> [StageProgress] {
    // A record with `attach` is committed as a whole, however many pages it has.
    if job.plan.job.attach == nil { pagesSoFar = position.pages }
    if position.isOver {
      lastPages = max(1, pagesSoFar)
      removeOldest()
      return progress(finishing: item, position)
    }
    guard job.progressLog != nil, let bookmark = position.bookmark else { return [] }
    var stageProgress = StageProgress(
      stage: job.stage, done: passed.count, inputHash: inputHash, bookmark: bookmark,
      streamRecords: comparesRecords ? item.recordCount : nil, streamRepeats: item.repeatCount, keys: item.keys,
      windowKeys: windowKeys, tally: tally)
    (item.keys, windowKeys) = ([], [])
    if isInputReplayable {
      item.hashInProgress = item.hashInProgress ?? passed.hash(with: item.records)
      stageProgress.hashInProgress = item.hashInProgress
    }
    stageProgress.tally.pages += position.pages
    stageProgress.tally.nested += position.nested
    return [stageProgress]
  }

  /// Fetches pages of the following records ahead, if the oldest one has none left to fetch.
  private func lookAhead() async {
    for item in items.dropFirst() where item.hasMore {
      guard job.concurrencyLimit.hasRoom, !isOver else { return }
      await item.fetch.lookAhead()
    }
  }

  /// Starts further work while a request waits.
  private func makeRoom() async {
    signal()
    await items.first?.fetch.lookAhead()
  }

  private func removeOldest() {
    let item = items.removeFirst()
    pagesSoFar = 0
    item.permit.release()
  }

  /// Finishes an input record, and returns the progress of the stage after it.
  ///
  /// - Parameter position: position after the record's last page; nil for a record whose pages don't count.
  private func progress(finishing item: Item, _ position: StreamPosition?) -> [StageProgress] {
    guard job.progressLog != nil else { return [] }
    for record in item.records { passed.add(record) }
    tally.pages += position?.pages ?? 0
    tally.nested += position?.nested ?? 0
    defer { windowKeys = [] }
    return [
      StageProgress(
        stage: job.stage, done: passed.count, inputHash: inputHash, windowKeys: windowKeys, tally: tally)
    ]
  }

  private var inputHash: Int? { isInputReplayable ? passed.hash : nil }

  /// Returns the input records of a batch with what was fetched for them, including those before a failure.
  private func joined(_ item: Item, with table: MatchTable) async -> Batch {
    var lines: [UInt8] = []
    for (number, record) in zip(item.number..., item.records) {
      do {
        let matches = isWanted(record) ? table.matches(for: record) : []
        finding?.add(record, matches.count, in: table)
        lines += try job.joined(record, matches, number)
      } catch {
        guard job.rejects(Failure(error: error, job: job.name, record: number), [record], counting: &tally) else {
          await stop()
          break
        }
        if job.plan.job.onError == .empty { lines += job.withNothingJoined(record) }
      }
    }
    return Batch(lines: lines)
  }

  /// Handles a failed record, or a failed batch, as `onError` says.
  private func handle(_ error: NetworkingError, _ item: Item) async -> Batch? {
    let failure = Failure(
      error: error, job: job.name, record: item.number, last: item.number + item.records.count - 1)
    await item.fetch.stop()
    guard !isOver else { return nil }
    guard job.rejects(failure, item.records, counting: &tally) else {
      await stop()
      return nil
    }
    var batch = Batch(lines: [])
    if job.plan.job.onError == .empty {
      batch =
        job.joinsBatches
        ? Batch(lines: item.records.flatMap(job.withNothingJoined)) : await item.fetch.withNothingAttached() ?? batch
    }
    batch.progress = progress(finishing: item, nil)
    return batch
  }

  /// Waits until an item or the previous stage has a result.
  private func waitForResult() async {
    await withCheckedContinuation { wake = $0 }
  }

  private func signal() {
    wake?.resume()
    wake = nil
  }
}
