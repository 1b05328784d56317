// A value that several threads change, for PagecatTool, which does not import the room of `Locked`.

import Primitives
import Synchronization
import Wire

package final class SharedValue<Value: Sendable>: Sendable {
  private let value: Locked<Value>

  package init(_ value: Value) {
    self.value = Locked(value)
  }

  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { body(&$0) }
  }
}
