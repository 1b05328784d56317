// A value that tests wait for, instead of sleeping.

import Foundation

/// A value that changes, and tasks that wait until it is as they want it.
package final class Watched<Value: Sendable>: @unchecked Sendable {
  private struct Waiter {
    let isContent: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Value, Never>
  }

  // Sendable because of this lock. Not a Mutex: ThreadSanitizer knows the locks of pthread, and not Swift's.
  private let lock = NSLock()
  private var current: Value
  private var waiters: [Waiter] = []

  package init(_ value: Value) {
    current = value
  }

  package var value: Value { lock.withLock { current } }

  /// Changes the value and wakes whoever waited for what it is now.
  @discardableResult
  package func update<Result>(_ change: (inout Value) -> Result) -> Result {
    let (result, value, content) = lock.withLock {
      let result = change(&current)
      let content = waiters.filter { $0.isContent(current) }
      waiters.removeAll { $0.isContent(current) }
      return (result, current, content)
    }
    for waiter in content { waiter.continuation.resume(returning: value) }
    return result
  }

  /// Waits until the value is so, and returns it.
  @discardableResult
  package func when(_ isContent: @escaping @Sendable (Value) -> Bool) async -> Value {
    await withCheckedContinuation { continuation in
      let now: Value? = lock.withLock {
        if isContent(current) { return current }
        waiters.append(Waiter(isContent: isContent, continuation: continuation))
        return nil
      }
      if let now { continuation.resume(returning: now) }
    }
  }
}
