// A value that tests wait for, instead of sleeping.

import Synchronization

/// A value that changes, and tasks that wait until it is as they want it.
package final class Watched<Value: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let isContent: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Value, Never>
  }

  private struct State: Sendable {
    var value: Value
    var waiters: [Waiter] = []
  }

  private let state: Mutex<State>

  package init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  package var value: Value { state.withLock { $0.value } }

  /// Changes the value and wakes whoever waited for what it is now.
  @discardableResult
  package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, value, content) = state.withLock { state in
      let result = change(&state.value)
      let value = state.value
      let content = state.waiters.filter { $0.isContent(value) }
      state.waiters.removeAll { $0.isContent(value) }
      return (result, value, content)
    }
    for waiter in content { waiter.continuation.resume(returning: value) }
    return result
  }

  /// Waits until the value is so, and returns it.
  @discardableResult
  package func when(_ isContent: @escaping @Sendable (Value) -> Bool) async -> Value {
    await withCheckedContinuation { continuation in
      let now: Value? = state.withLock { state in
        if isContent(state.value) { return state.value }
        state.waiters.append(Waiter(isContent: isContent, continuation: continuation))
        return nil
      }
      if let now { continuation.resume(returning: now) }
    }
  }
}
