// Lets at most so many through at once, in the order in which they came.

import Synchronization
import Wire

/// A counting semaphore for tasks: the bound on a job's requests in flight.
final class Gate: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Guarded<State>

  init(_ width: Int) {
    state = Guarded(State(free: width))
  }

  /// Runs the work when there is room.
  func pass<Value: Sendable>(_ work: () async throws(NetworkingError) -> Value) async throws(NetworkingError) -> Value {
    await enter()
    defer { leave() }
    return try await work()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
