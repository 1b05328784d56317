import JSONText
import Unwrapping
import Wire

/// Records that are through, to be known again when they come again.
struct RecordsSoFar: Sendable {
  private(set) var count = 0
  /// Of the records so far: each one's is made with that of those before it.
  private(set) var hash = 0

  init(count: Int = 0, hash: Int = 0) {
    self.count = count
    self.hash = hash
  }

  /// The hash with one more.
  func hash(with record: JSONValue) -> Int {
    var passed = self
    passed.add(record)
    return passed.hash
  }

  mutating func add(_ record: JSONValue) {
    count += 1
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(String(hash).utf8) + record.line)
    hash = fingerprint.finalize()
  }
}
