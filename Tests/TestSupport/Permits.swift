import Primitives
import Synchronization
import Wire

/// Lets a fixed number of tasks through at once, in the order in which they came.
package final class Permits: Sendable {
  private let state: Locked<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  package init(_ count: Int) {
    state = Locked((count, []))
  }

  /// Waits for a permit.
  package func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Gives the permit to the task that has waited longest.
  package func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
