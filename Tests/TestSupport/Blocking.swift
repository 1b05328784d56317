// Work that blocks gets a thread of its own: the concurrency pool has only as many as there are cores.

import Foundation

/// Runs work that may block for as long as another part of the test takes.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result { try work() })
    }
  }
}
