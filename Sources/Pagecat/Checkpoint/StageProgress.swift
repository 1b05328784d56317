import FetchPlan
import JSONText

/// What changes in where a stage stands with a batch that it gives.
struct StageProgress: Sendable {
  /// The stage's place in the run, from 0.
  let stage: Int
  /// Input records that are through.
  var done = 0
  /// What they were, where they are not kept but come again (standard input).
  var inputHash: Int?
  /// The same with the record that is under way, where there is a bookmark.
  var hashUnderWay: Int?
  /// Of the stream that is under way, behind the page that the batch ends with.
  var bookmark: PagerBookmark?
  var tally = StageCounters()

  func write(to members: inout MemberWriter) {
    members.add("stage", stage)
    members.add("done", done)
    if let inputHash { members.add("hash", inputHash) }
    if let hashUnderWay { members.add("underWay", hashUnderWay) }
    if let bookmark { members.add("at") { bookmark.write(to: &$0) } }
    members.add("pages", tally.pages)
    if tally.rejected > 0 { members.add("rejected", tally.rejected) }
  }
}
