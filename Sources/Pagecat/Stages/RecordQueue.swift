// Input records on their way: those that wait, and those that are through.

import JSONText
import Unwrapping
import Wire

/// Records that a stage was given and has not started. What it is given at once may be a page of any size, so it waits in
/// a spool where it is more than a batch.
struct RecordQueue {
  private var current = Batch(lines: []).records
  private var spools: [Spool] = []

  init() {}

  init(_ batch: Batch) {
    current = batch.records
  }

  init(_ spools: [Spool]) {
    self.spools = spools
  }

  /// Leaves out the first ones.
  mutating func skip(_ count: Int) throws(SpoolError) {
    for _ in 0..<count { _ = try next() }
  }

  mutating func next() throws(SpoolError) -> JSONValue? {
    while true {
      if let record = current.next() { return record }
      guard let spool = spools.first else { return nil }
      guard let held = try spool.nextLines() else {
        spools.removeFirst()
        continue
      }
      current = TokenIndexedRecords(held.lines, held.tokenIndex)
    }
  }
}
