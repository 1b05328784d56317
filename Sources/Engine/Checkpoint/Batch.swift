// The unit that stages pass on: whole NDJSON lines, a chunk of a page at a time.

package import JSONText
import Unwrapping

/// Some records as NDJSON: whole compact lines, each with its LF.
package struct Batch: Sendable {
  package private(set) var lines: [UInt8]
  /// Number of records, if it is already known.
  private var known: Int?
  /// Index of the lines' tokens, as far as it was found and the consumer of the batch wants it.
  var tokenIndex = TokenIndex()
  /// Number of fetched records, if they are joined to those of the batch; nil if these are the fetched ones.
  var fetchedCount: Int?
  /// Number of pages that begin in this batch, for the stage that gives it.
  var pages = 0
  /// Number of records of those pages in which a list was cut.
  var nested = 0
  /// Number of records that were left out, since they came before on another page.
  private(set) var repeats = 0
  /// Number of records whose key came before on another page, with other bytes.
  var changed = 0
  /// Hashes of the records by `unique`, for a job whose records a resumed run can't read again.
  var keys: [UInt64] = []
  /// Progress of the stages after this batch; empty if the run can't be resumed before the next batch.
  var progress: [StageProgress] = []

  package init(lines: [UInt8]) {
    self.lines = lines
  }

  init(_ lines: [UInt8], _ tokenIndex: TokenIndex) {
    self.lines = lines
    self.tokenIndex = tokenIndex
  }

  init(_ held: HeldLines) {
    lines = held.lines
    known = held.count
    tokenIndex = held.tokenIndex
  }

  /// Number of records.
  package var count: Int { known ?? lineCount(of: lines) }

  /// The records one at a time, sharing the batch's storage.
  package var records: TokenIndexedRecords { TokenIndexedRecords(lines, tokenIndex) }

  /// Leaves out some of the lines, and counts them.
  mutating func leaveOut(_ repeated: [Range<Int>]) {
    guard !repeated.isEmpty else { return }
    known = count - repeated.count
    repeats += repeated.count
    var kept: [UInt8] = []
    kept.reserveCapacity(lines.count)
    var start = 0
    for line in repeated {
      kept += lines[start..<line.lowerBound]
      start = line.upperBound
    }
    lines = kept + lines[start...]
    tokenIndex = TokenIndex()
  }

  /// Adds the counts of records that came again, from batches that this one has in itself.
  mutating func addRepeats(of other: Batch) {
    repeats += other.repeats
    changed += other.changed
  }

  /// Keeps the first `limit` records, and returns their number.
  package mutating func cut(to limit: Int) -> Int {
    var records = records
    var kept = 0
    var end = 0
    while kept < limit, let record = records.next() {
      kept += 1
      end = record.bytes.endIndex + 1
    }
    if end < lines.count { lines.removeLast(lines.count - end) }
    known = kept
    return kept
  }
}
