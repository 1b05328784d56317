// One fetch an input record, several at once, their output in the order of the input.

import FetchPlan
import JSONText
import PipelineSpec

/// The stage of a job that reads records.
///
/// With `concurrency` 1 it asks for a record, writes what it becomes, and asks for the next. Above that, it keeps up to so
/// many records under way, and asks for more input as soon as there is room; what comes out is always the oldest one's.
actor FanOut: Stage {
  /// An input record under way: its first batch is fetched at once, the rest when its turn has come.
  private final class Item {
    let number: Int
    let record: JSONValue
    let run: RecordRun
    var first: Result<Batch?, NetworkingError>?
    var task: Task<Void, Never>?
    var hasBegun = false

    init(number: Int, record: JSONValue, run: RecordRun) {
      self.number = number
      self.record = record
      self.run = run
    }
  }

  private let job: RunningJob
  private let upstream: any Stage
  /// Input records that were given and not started.
  private var waiting = Batch(lines: []).records
  private var isUpstreamOver = false
  private var pull: Task<Void, Never>?
  /// Under way, oldest first.
  private var items: [Item] = []
  private var started = 0
  private var isOver = false
  private var wake: CheckedContinuation<Void, Never>?

  init(_ job: RunningJob, upstream: any Stage) {
    self.job = job
    self.upstream = upstream
  }

  func next() async -> Batch? {
    while !isOver {
      fill()
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
    pull?.cancel()
    for item in items {
      item.task?.cancel()
      await item.run.stop()
    }
    items = []
    signal()
    await upstream.stop()
  }

  /// Starts what there is room for, and asks for more input when there is room and none.
  private func fill() {
    while items.count < job.concurrency, let record = waiting.next() {
      start(record)
    }
    guard items.count < job.concurrency, !isUpstreamOver, pull == nil else { return }
    pull = Task(executorPreference: job.executor) {
      let batch = await self.upstream.next()
      await self.pulled(batch)
    }
  }

  private func start(_ record: JSONValue) {
    started += 1
    let item = Item(number: started, record: record, run: RecordRun(job, record: record, number: started))
    items.append(item)
    let (number, run) = (item.number, item.run)
    item.task = Task(executorPreference: job.executor) {
      let result: Result<Batch?, NetworkingError>
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
    if let batch { waiting = batch.records } else { isUpstreamOver = true }
    signal()
  }

  private func finished(_ number: Int, _ result: Result<Batch?, NetworkingError>) {
    items.first { $0.number == number }?.first = result
    signal()
  }

  /// The oldest item's next batch; nil when it is through, and the next item's turn has come.
  private func output(of item: Item, _ first: Result<Batch?, NetworkingError>) async -> Batch? {
    do throws(NetworkingError) {
      let batch = item.hasBegun ? try await item.run.next() : try first.get()
      // Whoever gave the run up meanwhile has taken the items away.
      guard !isOver else { return nil }
      item.hasBegun = true
      if let batch { return batch }
      items.removeFirst()
      return nil
    } catch {
      guard !isOver else { return nil }
      items.removeFirst()
      return await answer(error, item)
    }
  }

  /// What `onError` says to do about a record that failed.
  private func answer(_ error: NetworkingError, _ item: Item) async -> Batch? {
    let failure = Failure(error: error, job: job.name, record: item.number)
    await item.run.stop()
    guard !isOver else { return nil }
    var empty: Batch?
    switch job.plan.job.onError {
    case _ where error.isUnauthorized, .stop:
      job.report.fail(failure)
      await stop()
      return nil
    case .skip: break
    case .empty: empty = await item.run.emptyHanded()
    }
    job.report.reject(failure, item.record)
    return empty
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
  /// 401: the same for every record, so going on would only repeat it.
  var isUnauthorized: Bool {
    if case .invalidResponseStatus(status: 401, _, _, _, _) = self { true } else { false }
  }
}
