// A queue of input records that have not been started.

import Files
import JSONText
import Unwrapping
import Wire

/// Records that a stage has read and not yet started.
///
/// They are one batch, or a page of any size in spools.
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

  /// Skips the first records.
  mutating func skip(_ count: Int) throws(FileError) {
    for _ in 0..<count { _ = try next() }
  }

  mutating func next() throws(FileError) -> JSONValue? {
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
