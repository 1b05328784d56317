// What stages hand each other: whole NDJSON lines, a chunk of a page at a time.

import JSONText
import Unwrapping

/// Some records as NDJSON: whole compact lines, each with its LF.
package struct Batch: Sendable {
  package private(set) var lines: [UInt8]
  /// Records in it, where that is known already.
  private var known: Int?
  /// Where tokens of the lines stand, as far as whoever takes the batch wanted to know, and it was found.
  var tokenIndex = TokenIndex()
  /// Pages whose first records it has, of the stage that gives it.
  var pages = 0
  /// Where stages stand behind it. Without any, the run can't be gone on from there: what follows belongs to it.
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

  /// Records in it.
  package var count: Int { known ?? lineCount(of: lines) }

  /// The records one at a time, sharing the batch's storage.
  var records: TokenIndexedRecords { TokenIndexedRecords(lines, tokenIndex) }

  /// Keeps the first `limit` records; gives how many are there now.
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
