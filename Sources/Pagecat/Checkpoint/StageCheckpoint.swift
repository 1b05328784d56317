// Where the stages of a run stand: what another process needs to go on as if nothing had happened.

import FetchPlan
import JSONText
import Wire

/// Where a stage stood when its run ended.
struct StageCheckpoint: Sendable {
  private(set) var done = 0
  private(set) var inputHash: Int?
  /// The same with the record that was under way; nil where that is kept, or nothing was.
  private(set) var hashUnderWay: Int?
  /// Of the stream that was under way, as JSON.
  private(set) var bookmarks: [JSONValue] = []
  private(set) var tally = StageCounters()
  /// What the stage before it had given and was not done yet.
  var kept: [HeldRecords] = []

  /// Takes a mark, or a whole standing, as it is written in a journal.
  mutating func apply(_ json: JSONValue) {
    let done = json["done"]?.integer ?? 0
    if done != self.done { bookmarks = [] }
    self.done = done
    inputHash = json["hash"]?.integer
    hashUnderWay = json["underWay"]?.integer
    tally = StageCounters(pages: json["pages"]?.integer ?? 0, rejected: json["rejected"]?.integer ?? 0)
    if let bookmark = json["at"] { add(bookmark) }
    for bookmark in json["bookmarks"]?.elements ?? JSONValue.null.elements { add(bookmark) }
    kept.removeAll { $0.end <= done }
  }

  /// Of bookmarks that add nothing to what was visited, only the last one counts.
  private mutating func add(_ bookmark: JSONValue) {
    if let last = bookmarks.last, last["visited"]?.text ?? "[]" == "[]" { bookmarks.removeLast() }
    bookmarks.append(bookmark)
  }

  /// As one line of a journal, all but what is kept.
  func json(of stage: Int) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = [("stage", JSONValue(stage)), ("done", JSONValue(done))]
    if let inputHash { members.append(("hash", JSONValue(inputHash))) }
    if let hashUnderWay { members.append(("underWay", JSONValue(hashUnderWay))) }
    members.append(("pages", JSONValue(tally.pages)))
    members.append(("rejected", JSONValue(tally.rejected)))
    members.append(("bookmarks", JSONValue(elements: bookmarks)))
    return JSONValue(members: members)
  }

  /// Nil when they are not what this program writes.
  var pagerBookmarks: [PagerBookmark]? {
    let read = bookmarks.compactMap { PagerBookmark($0) }
    return read.count == bookmarks.count ? read : nil
  }
}
