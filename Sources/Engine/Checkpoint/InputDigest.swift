// Digest of the input that a run has read, for a later run that finds the run done.

import JSONText
import Primitives
import Synchronization
import Unwrapping
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

/// Number and hash of finished records, to recognize them when they are read again.
struct RecordsSoFar: Sendable {
  private(set) var count = 0
  /// Running hash: each record's hash is chained with that of all records before it.
  private(set) var hash = 0

  init(count: Int = 0, hash: Int = 0) {
    self.count = count
    self.hash = hash
  }

  /// Returns the hash with more records.
  func hash(with records: [JSONValue]) -> Int {
    var passed = self
    for record in records { passed.add(record) }
    return passed.hash
  }

  mutating func add(_ record: JSONValue) {
    count += 1
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(String(hash).utf8) + record.line)
    hash = fingerprint.finalize()
  }
}
