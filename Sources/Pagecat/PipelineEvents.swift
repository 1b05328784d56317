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
