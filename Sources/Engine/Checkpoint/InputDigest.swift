// Digest of the input that a run has read, for a later run that finds the run done.

import Primitives
import JSONText
import Synchronization
import Wire

/// Number and hash of the records that a run has read of standard input, and whether they are all.
final class InputDigest: Sendable {
  private struct State {
    var records = RecordsSoFar()
    var isWhole = false
  }

  private let state = Locked(State())

  func add(_ batch: Batch) {
    state.withLock { state in
      for record in batch.records { state.records.add(record) }
    }
  }

  func end() {
    state.withLock { $0.isWhole = true }
  }

  /// Members of the journal's last line.
  var members: [(name: String, value: JSONValue)] {
    state.withLock { state in
      [
        ("inputs", JSONValue(state.records.count)), ("inputHash", JSONValue(state.records.hash)),
        ("isWhole", JSONValue(state.isWhole)),
      ]
    }
  }
}
