import Engine
import Primitives
import Synchronization
import Wire

/// The events of one run, for one observer; they end with the run.
///
/// Events from before the first call of `next()` are kept. A slow observer never holds up the run.
public struct PipelineEvents: AsyncSequence, Sendable {
  /// Type of the elements.
  public typealias Element = PipelineEvent
  /// Events never throw: the error of the run is thrown where its records are requested.
  public typealias Failure = Never

  let queue: EventQueue

  /// Creates the iterator of the one observer.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

  /// Waits for events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let queue: EventQueue

    /// Returns the next event; nil if the run is over, or the task was cancelled.
    public func next() async -> PipelineEvent? { await queue.next() }
  }
}

/// Events between a run and its observer.
final class EventQueue: Sendable {
  fileprivate struct State {
    var isObserved = false
    var waiting: [PipelineEvent] = []
    var missed = 0
    var report: Report?
    /// True if there is progress that the observer has not seen.
    var isNewer = false
    var isOver = false
  }

  /// Highest number of events other than progress that wait for the observer.
  private static let limit = 1_000

  private let state = Locked(State())
  /// Signals that there is something new; several pending signals are merged into one.
  private let (signs, sign) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Records that there is an observer, for whom events are kept.
  func observe() { state.withLock { $0.isObserved = true } }

  var isObserved: Bool { state.withLock { $0.isObserved } }

  /// Takes progress from a run's report.
  func watch(_ report: Report) { state.withLock { $0.report = report } }

  /// Signals that the progress has changed.
  func advance() {
    state.withLock { $0.isNewer = true }
    sign.yield()
  }

  func add(_ event: PipelineEvent) {
    state.withLock { state in
      guard state.isObserved, !state.isOver else { return }
      if state.waiting.count < Self.limit { state.waiting.append(event) } else { state.missed += 1 }
    }
    sign.yield()
  }

  /// Ends the events, after the pending ones.
  func finish() {
    state.withLock { ($0.isNewer, $0.isOver) = (true, true) }
    sign.finish()
  }

  func next() async -> PipelineEvent? {
    var signs = signs.makeAsyncIterator()
    while true {
      let (event, isOver) = state.withLock { ($0.take(), $0.isOver) }
      if event != nil || isOver { return event }
      // No more signals come: the run is over, or the task was cancelled.
      if await signs.next() == nil { return state.withLock { $0.take() } }
    }
  }
}

extension EventQueue.State {
  fileprivate mutating func take() -> PipelineEvent? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    if missed > 0 {
      defer { missed = 0 }
      return .missed(missed)
    }
    guard isNewer, let report else { return nil }
    isNewer = false
    return .progress(PipelineEvent.Progress(report.counters, report.activity))
  }
}

/// An event of a run, for its observer.
///
/// The error that ends a run is no event: it is thrown where the records are requested.
public enum PipelineEvent: Sendable {
  /// The progress of the run; a slow observer gets the newest only.
  case progress(Progress)
  /// A warning that does not change the records.
  case warning(String)
  /// An input record was left out or answered empty, as `onError` says.
  case reject(Reject)
  /// The number of warnings and rejects that were dropped, because more than 1,000 of them waited for the observer.
  case missed(Int)

  /// The progress of a run.
  ///
  /// Counts are those of the run so far.
  public struct Progress: Sendable, Hashable {
    /// Records that were given or written.
    public let records: Int
    /// Pages that were fetched.
    public let pages: Int
    /// Requests that were sent.
    public let requests: Int
    /// Bytes of the response bodies, decoded.
    public let bytes: Int
    /// Requests in progress.
    public let requestsInFlight: Int
    /// Total of pages, if the server has announced it.
    public let totalPages: Int?
    /// Total of records, if the server has announced it.
    public let totalRecords: Int?
    /// Reason of the wait that ends last, such as `429`; nil if nothing waits.
    public let waitReason: String?

    /// Done part of the announced total, 0 to 1; nil if there is none.
    public var fraction: Double? {
      let (done, all) = totalPages.map { (pages, $0) } ?? totalRecords.map { (records, $0) } ?? (0, 0)
      return all > 0 ? min(1, Double(done) / Double(all)) : nil
    }

    init(_ counters: RunCounters, _ activity: RunActivity) {
      records = counters.records
      pages = counters.pages
      requests = counters.requests
      bytes = counters.bytes
      requestsInFlight = activity.requests
      var totals: (pages: Int?, records: Int?)
      switch activity.total {
      case .pages(let count)?: totals.pages = count
      case .records(let count)?: totals.records = count
      case nil: break
      }
      (totalPages, totalRecords) = totals
      waitReason = activity.wait.flatMap { $0.end > .now ? $0.reason : nil }
    }
  }

  /// An input record whose requests failed.
  public struct Reject: Sendable, CustomStringConvertible {
    /// Name of the job.
    public let job: String
    /// Number of the input record in the job's input, from 1.
    public let record: Int?
    /// The reason.
    public let error: NetworkingError
    /// Job, record and reason on one line.
    public let description: String

    init(_ failure: Failure) {
      job = failure.job
      record = failure.record
      error = failure.error
      description = failure.description
    }
  }
}
