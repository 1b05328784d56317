// Where the stages of a run stand: what another process needs to go on as if nothing had happened.

import FetchPlan
import JSONText
import Wire

/// What a stage has counted.
struct StageCounters: Sendable, Hashable {
  var pages = 0
  var rejected = 0
}

/// Behind a page: where its stream stands.
struct StreamPosition: Sendable {
  /// Pages of the stream so far.
  let pages: Int
  /// Whether it was the last one.
  let isOver: Bool
  /// Nil where nobody wants to know.
  let bookmark: PagerBookmark?
}

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

/// Input records of a stage: a page of the stage before it, or what became of one.
struct HeldRecords: Sendable {
  /// Input records of the stage before the first of these.
  var start = 0
  var count = 0
  let lines: Spool
  /// Arrays in the spool.
  var chunks = 0

  var end: Int { start + count }
}
