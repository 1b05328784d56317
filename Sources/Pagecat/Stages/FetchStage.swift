// One fetch an input record, several at once, their output in the order of the input.

import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The stage of a job that reads records.
///
/// With `concurrency` 1 it asks for a record, writes what it becomes, and asks for the next. Above that, it keeps as many
/// records under way as the job's window has room for, and asks for more input as soon as there is room; what comes out
/// is always the oldest one's.
actor FetchStage: Stage {
  /// An input record under way: its first batch is fetched at once, the rest when its turn has come.
  private final class Item {
    let number: Int
    let record: JSONValue
    let run: RecordFetch
    typealias Output = Result<(Batch, StreamPosition?)?, NetworkingError>
    var first: Output?
    /// Its hash with those before it, once a bookmark needs it: of what all its pages have in common.
    var hashUnderWay: Int?
    var task: Task<Void, Never>?
    var hasBegun = false

    /// Whether its first page has come, and is not its last.
    var hasMore: Bool {
      if case .success((_, let position)?) = first { position?.isOver != true } else { false }
    }

    init(number: Int, record: JSONValue, run: RecordFetch) {
      self.number = number
      self.record = record
      self.run = run
    }
  }

  private let job: JobContext
  private let upstream: any Stage
  /// Whether input records come again when the run is gone on with; otherwise they are kept until they are through.
  private let isInputReplayable: Bool
  /// Input records that were given and not started.
  private var waiting: RecordQueue
  /// Input records that were given, of a page that was not given to its end.
  private var gathered: [Spool] = []
  /// Input records that were given so far.
  private var given: Int
  /// Input records that are through.
  private var passed: RecordsSoFar
  /// Without the pages of the record under way.
  private var tally: StageCounters
  /// Where another process has left off in the first record.
  private var bookmarks: [PagerBookmark]
  /// By what that record is known again, with those before it.
  private let hashUnderWay: Int?
  private var isUpstreamOver = false
  private var pull: Task<Void, Never>?
  /// Under way, oldest first.
  private var items: [Item] = []
  private var started: Int
  /// Pages of the last record that was through, and of the oldest one so far: by these is guessed how many requests come
  /// before a record's first one. Room is for those that come first.
  private var (lastPages, pagesSoFar) = (1, 0)
  private var gatheredCount = 0
  /// Of the kept records, those that are through.
  private var skipped: Int
  private var isOver = false
  private var wake: CheckedContinuation<Void, Never>?

  /// - Parameters:
  ///   - isInputReplayable: whether input records come again, from where the standing says, when the run is gone on with.
  ///   - standing: where another process has left off.
  init(_ job: JobContext, upstream: any Stage, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    self.upstream = upstream
    self.isInputReplayable = isInputReplayable
    let checkpoint = checkpoint ?? StageCheckpoint()
    bookmarks = checkpoint.pagerBookmarks ?? []
    hashUnderWay = checkpoint.hashUnderWay
    passed = RecordsSoFar(count: checkpoint.done, hash: checkpoint.inputHash ?? 0)
    tally = checkpoint.tally
    tally.pages -= bookmarks.last?.page ?? 0
    started = checkpoint.done
    given = checkpoint.kept.last?.end ?? checkpoint.done
    waiting = RecordQueue(checkpoint.kept.map(\.lines))
    skipped = checkpoint.kept.first.map { checkpoint.done - $0.start } ?? 0
  }

  func next() async -> Batch? {
    while !isOver {
      fill()
      await lookFurther()
      if isOver { break }
      guard let oldest = items.first else {
        if isUpstreamOver { break }
        await something()
        continue
      }
      guard let first = oldest.first else {
        await something()
        continue
      }
      if let batch = await output(of: oldest, first) { return batch }
    }
    return nil
  }

  func stop() async {
    isOver = true
    for item in items { item.task?.cancel() }
    // Before the pull, so that those before know that what is cancelled is given up.
    await upstream.stop()
    pull?.cancel()
    signal()
    for item in items {
      await item.run.stop()
      await item.task?.value
    }
    await pull?.value
    for _ in items { job.concurrencyLimit.release() }
    items = []
  }

  /// Starts what there is room for, and asks for more input when there is room and none.
  private func fill() {
    do {
      try waiting.skip(skipped)
      skipped = 0
      while hasRoom {
        guard let record = try waiting.next() else { return pullMore() }
        guard isKnownAgain(record) else { return refuse() }
        start(record)
      }
    } catch {
      fail(error.problem)
    }
  }

  /// Whether the record is the one that another process was at, where there was one.
  private func isKnownAgain(_ record: JSONValue) -> Bool {
    guard !bookmarks.isEmpty, let hashUnderWay else { return true }
    return passed.hash(with: record) == hashUnderWay
  }

  private func refuse() {
    job.report.refuse("--resume can't go on with another run: input record \(started + 1) is not what it was")
    end()
  }

  /// Asks for more input. To be called when none is waiting, since what comes takes its place.
  private func pullMore() {
    guard !isUpstreamOver, pull == nil else { return }
    pull = Task(executorPreference: job.executor) {
      let batch = await self.upstream.next()
      await self.pulled(batch)
    }
  }

  /// Whether the next record's first page is among those that come next, as far as can be known, and there is a place.
  private var hasRoom: Bool {
    if items.isEmpty { return true }
    let before = max(1, lastPages - pagesSoFar) + (items.count - 1) * lastPages
    return before < job.concurrency && job.concurrencyLimit.hasRoom
  }

  private func start(_ record: JSONValue) {
    job.concurrencyLimit.acquireAnyway()
    started += 1
    let item = Item(
      number: started, record: record,
      run: RecordFetch(job, record: record, number: started, resuming: bookmarks))
    bookmarks = []
    items.append(item)
    let (number, run) = (item.number, item.run)
    item.task = Task(executorPreference: job.executor) {
      let result: Item.Output
      do throws(NetworkingError) {
        result = .success(try await run.next())
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

  /// Where the run may have to be gone on with, no record is started before all of its page is kept: so it is known from
  /// where the stage before goes on.
  private func take(_ batch: Batch) {
    guard let checkpointedOutput = job.checkpointedOutput, !isInputReplayable else {
      waiting = RecordQueue(batch)
      return
    }
    do throws(SpoolError) {
      if gathered.isEmpty { gathered.append(job.fetcher.spool()) }
      try gathered[0].append(batch.lines, count: batch.count, batch.tokenIndex)
    } catch {
      return fail(error.problem)
    }
    gatheredCount += batch.count
    var isKept = checkpointedOutput.keep(batch.lines, for: job.stage)
    guard !batch.progress.isEmpty else { return isKept ? () : end() }
    isKept =
      isKept
      && checkpointedOutput.kept(from: given, count: gatheredCount, for: job.stage, batch.progress, job.report.counters)
    given += gatheredCount
    waiting = RecordQueue(gathered)
    (gathered, gatheredCount) = ([], 0)
    if !isKept { end() }
  }

  /// What can't be kept can't be gone on with. The fault comes out of the ledger.
  private func end() {
    isUpstreamOver = true
    waiting = RecordQueue()
  }

  private func fail(_ problem: String) {
    job.report.fail(Failure(error: .outputFailure(reason: problem), job: job.name, record: nil))
    end()
  }

  private func finished(_ number: Int, _ result: Item.Output) {
    items.first { $0.number == number }?.first = result
    signal()
  }

  /// The oldest item's next batch; nil when it is through, and the next item's turn has come.
  private func output(of item: Item, _ first: Item.Output) async -> Batch? {
    do throws(NetworkingError) {
      let output = item.hasBegun ? try await item.run.next() : try first.get()
      guard !isOver else { return nil }
      item.hasBegun = true
      guard let (records, position) = output else {
        removeOldest()
        return nil
      }
      var batch = records
      job.report.count { $0.pages += batch.pages }
      if let position { batch.progress = progress(item, position) }
      return batch
    } catch {
      guard !isOver else { return nil }
      removeOldest()
      return await answer(error, item)
    }
  }

  /// Where the stage stands behind a page, or behind the record.
  private func progress(_ item: Item, _ position: StreamPosition) -> [StageProgress] {
    // What is one record is committed as one, however many pages it has.
    if job.plan.job.attach == nil { pagesSoFar = position.pages }
    if position.isOver {
      lastPages = max(1, pagesSoFar)
      removeOldest()
      return through(item, pages: position.pages)
    }
    guard job.checkpointedOutput != nil, let bookmark = position.bookmark else { return [] }
    var mark = StageProgress(
      stage: job.stage, done: passed.count, inputHash: inputHash, bookmark: bookmark, tally: tally)
    if isInputReplayable {
      item.hashUnderWay = item.hashUnderWay ?? passed.hash(with: item.record)
      mark.hashUnderWay = item.hashUnderWay
    }
    mark.tally.pages += position.pages
    return [mark]
  }

  /// Where the oldest record has no more pages to be fetched ahead, those behind it have: they are next.
  private func lookFurther() async {
    for item in items.dropFirst() where item.hasMore {
      guard job.concurrencyLimit.hasRoom, !isOver else { return }
      await item.run.lookAhead()
    }
  }

  private func removeOldest() {
    items.removeFirst()
    pagesSoFar = 0
    job.concurrencyLimit.release()
  }

  private func through(_ item: Item, pages: Int) -> [StageProgress] {
    guard job.checkpointedOutput != nil else { return [] }
    passed.add(item.record)
    tally.pages += pages
    return [StageProgress(stage: job.stage, done: passed.count, inputHash: inputHash, tally: tally)]
  }

  private var inputHash: Int? { isInputReplayable ? passed.hash : nil }

  /// What `onError` says to do about a record that failed.
  private func answer(_ error: NetworkingError, _ item: Item) async -> Batch? {
    let failure = Failure(error: error, job: job.name, record: item.number)
    await item.run.stop()
    guard !isOver else { return nil }
    var empty: Batch?
    switch job.plan.job.onError {
    case _ where error.concernsAllRecords, .stop:
      job.report.fail(failure)
      await stop()
      return nil
    case .skip: break
    case .empty: empty = await item.run.emptyHanded()
    }
    job.report.reject(failure, item.record, stage: job.stage)
    tally.rejected += 1
    var batch = empty ?? Batch(lines: [])
    batch.progress = through(item, pages: 0)
    return batch
  }

  /// Waits until an item or the stage before has something.
  private func something() async {
    await withCheckedContinuation { wake = $0 }
  }

  private func signal() {
    wake?.resume()
    wake = nil
  }
}

extension NetworkingError {
  /// Whether going on would only repeat it: 401, credentials that are good for no token, and what the disk says.
  var concernsAllRecords: Bool {
    switch self {
    case .invalidResponseStatus(let status, _, _, let note, _):
      status == 401 || [400, 403].contains(status) && note.hasPrefix(TransportError.tokenEndpoint)
    case .outputFailure: true
    default: false
    }
  }
}
