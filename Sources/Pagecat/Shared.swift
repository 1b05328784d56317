// A value that several threads change, for the front door, which does not know the rooms that have one.

import Synchronization
import Wire

package final class Shared<Value: Sendable>: Sendable {
  private let value: Guarded<Value>

  package init(_ value: Value) {
    self.value = Guarded(value)
  }

  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { body(&$0) }
  }
}
