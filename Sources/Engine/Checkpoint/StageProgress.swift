import FetchPlan
import JSONText

/// The new position of a stage after one of its batches.
struct StageProgress: Sendable {
  /// Index of the stage in the run, from 0.
  let stage: Int
  /// Number of finished input records.
  var done = 0
  /// Hash of the finished input records, if the input is replayable (standard input).
  var inputHash: Int?
  /// Hash of the input including the current record, if there is a bookmark.
  var hashInProgress: Int?
  /// Bookmark in the current stream, after the page that the batch ends.
  var bookmark: PagerBookmark?
  /// Number of records that the current stream has given, if a resumed run must read them again.
  var streamRecords: Int?
  /// Hashes of the records of the current stream since its progress before, by `unique`.
  var keys: [UInt64] = []
  var tally = StageCounters()

  func write(to members: inout MemberWriter) {
    members.add("stage", stage)
    members.add("done", done)
    if let inputHash { members.add("hash", inputHash) }
    if let hashInProgress { members.add("underWay", hashInProgress) }
    if let bookmark { members.add("at") { bookmark.write(to: &$0) } }
    members.add("pages", tally.pages)
    members.add("records", tally.records)
    if tally.rejected > 0 { members.add("rejected", tally.rejected) }
    if tally.nested > 0 { members.add("nested", tally.nested) }
    if tally.repeats > 0 { members.add("repeats", tally.repeats) }
    if tally.changed > 0 { members.add("changed", tally.changed) }
    if let streamRecords { members.add("streamRecords", streamRecords) }
    if !keys.isEmpty { members.add("keys", RecordKeysText.json(keys)) }
  }
}
