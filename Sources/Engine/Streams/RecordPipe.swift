import Primitives
import Dispatch
import Synchronization
import Wire

/// Bytes that a task writes and a thread reads; it holds a bounded number of them.
package final class RecordPipe: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    /// Number of the first bytes that the reader has taken.
    var taken = 0
    /// True if the writer has written all.
    var isFinished = false
    /// True if the reader wants no more.
    var isClosed = false
    var problem: String?
    var writer: CheckedContinuation<Void, Never>?
  }

  /// Number of bytes after which the writer waits.
  private static let limit = 192 << 10

  private let state = Locked(State())
  private let news = DispatchSemaphore(value: 0)

  package init() {}

  /// Adds bytes, and waits until there is room for more.
  ///
  /// - Returns: false if the reader wants no more.
  package func write(_ bytes: [UInt8]) async -> Bool {
    let wasEmpty = state.withLock { state in
      defer { state.bytes += bytes }
      return state.taken == state.bytes.count
    }
    // The reader waits only after it has found nothing.
    if wasEmpty { news.signal() }
    await withCheckedContinuation { continuation in
      let mayGoOn = state.withLock { state in
        let mayGoOn = state.isClosed || state.bytes.count - state.taken < Self.limit
        if !mayGoOn { state.writer = continuation }
        return mayGoOn
      }
      if mayGoOn { continuation.resume() }
    }
    return !state.withLock { $0.isClosed }
  }

  /// Ends the bytes, with a problem if there are fewer than there should be.
  package func finish(_ problem: String? = nil) {
    state.withLock { ($0.isFinished, $0.problem) = (true, problem) }
    news.signal()
  }

  /// Ends the pipe for writer and reader.
  package func close() {
    take { $0.isClosed = true }
    news.signal()
  }

  /// Reads at least one byte, or none at the end; blocks the thread until then.
  func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
    while true {
      var (count, isOver, problem) = (0, false, String?.none)
      take { state in
        count = min(buffer.count, state.bytes.count - state.taken)
        (isOver, problem) = (state.isFinished || state.isClosed, state.problem)
        guard count > 0 else { return }
        buffer.replaceSubrange(..<count, with: state.bytes[state.taken..<state.taken + count])
        state.taken += count
        // Moving the rest only now keeps the work for a long record linear.
        guard state.taken > state.bytes.count / 2 else { return }
        state.bytes.removeFirst(state.taken)
        state.taken = 0
      }
      if count > 0 { return count }
      if let problem { throw InputError(problem: problem) }
      if isOver { return 0 }
      news.wait()
    }
  }

  /// Changes the state on the reader's behalf, and lets the writer continue.
  private func take(_ change: (inout State) -> Void) {
    let writer = state.withLock { state in
      change(&state)
      defer { state.writer = nil }
      return state.writer
    }
    writer?.resume()
  }
}
