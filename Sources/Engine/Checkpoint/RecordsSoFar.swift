import JSONText
import Unwrapping
import Wire

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
