// The checkpoints from which another process can resume the stages of a run.

import FetchPlan
import JSONText
import Primitives
import Synchronization
import Unwrapping
import Wire

/// The position of a stage at the end of its run: its last progress, with what the progress before that has added.
@dynamicMemberLookup
struct StageCheckpoint: Sendable {
  private var progress = StageProgress(stage: 0)
  /// Bookmarks of the current stream, as JSON.
  private(set) var bookmarks: [JSONValue] = []
  /// Output of the previous stage that this stage had not finished.
  var kept: [HeldRecords] = []

  subscript<Value>(dynamicMember path: KeyPath<StageProgress, Value>) -> Value { progress[keyPath: path] }

  /// Applies a progress entry or a whole checkpoint line of a journal.
  mutating func apply(_ json: JSONValue) {
    var next = StageProgress(json)
    if next.done != progress.done { (bookmarks, progress.keys) = ([], []) }
    // In their places: there may be many.
    progress.keys += next.keys
    progress.windowKeys += next.windowKeys
    (next.keys, next.windowKeys) = (progress.keys, progress.windowKeys)
    progress = next
    if let bookmark = json["at"] { add(bookmark) }
    for bookmark in json["bookmarks"]?.elements ?? JSONValue.null.elements { add(bookmark) }
    kept.removeAll { $0.end <= progress.done }
  }

  /// Adds a bookmark; it replaces the last one if that one adds neither visited requests nor columns.
  private mutating func add(_ bookmark: JSONValue) {
    if let last = bookmarks.last, last["visited"]?.text ?? "[]" == "[]", last["columns"] == nil {
      bookmarks.removeLast()
    }
    bookmarks.append(bookmark)
  }

  /// Returns the checkpoint as one line of a journal, without the kept records.
  func json(of stage: Int) -> JSONValue {
    var progress = progress
    progress.stage = stage
    return MemberWriter.object { members in
      progress.write(to: &members)
      members.add("bookmarks", JSONValue(elements: bookmarks))
    }
  }

  /// The decoded bookmarks; nil if one of them is invalid.
  var pagerBookmarks: [PagerBookmark]? {
    let read = bookmarks.compactMap { PagerBookmark($0) }
    return read.count == bookmarks.count ? read : nil
  }
}

/// The hashes of records in a journal.
enum RecordKeysText {
  static func json(_ keys: [UInt64]) -> JSONValue {
    JSONValue(elements: keys.map { JSONValue(Int(bitPattern: UInt(truncatingIfNeeded: $0))) })
  }

  static func keys(_ json: JSONValue) -> [UInt64] {
    json.elements.compactMap { $0.integer.map { UInt64(bitPattern: Int64($0)) } }
  }
}

/// The counters of a stage.
struct StageCounters: Sendable, Hashable {
  var pages = 0
  /// Records that were fetched and given by the stage.
  var records = 0
  var rejected = 0
  /// Number of records in which a list was cut.
  var nested = 0
  /// Records that were left out, since they came before on another page.
  var repeats = 0
  /// Records whose key came before on another page, with other bytes.
  var changed = 0

  /// Adds a batch that the stage gave.
  mutating func add(_ batch: Batch) {
    records += batch.fetchedCount ?? batch.count
    repeats += batch.repeats
    changed += batch.changed
  }
}

/// The new position of a stage after one of its batches.
struct StageProgress: Sendable {
  /// Index of the stage in the run, from 0.
  var stage: Int
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
  /// Number of records that the current stream left out.
  var streamRepeats = 0
  /// Hashes of the records of the current stream since its progress before, by `unique`.
  var keys: [UInt64] = []
  /// Hashes of the records of the windows of `each` since the stage's progress before.
  var windowKeys: [UInt64] = []
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
    if streamRepeats > 0 { members.add("streamRepeats", streamRepeats) }
    if !keys.isEmpty { members.add("keys", RecordKeysText.json(keys)) }
    if !windowKeys.isEmpty { members.add("windowKeys", RecordKeysText.json(windowKeys)) }
  }
}

extension StageProgress {
  /// Reads what `write` has written, without the bookmark.
  init(_ json: JSONValue) {
    func number(_ name: String) -> Int { json[name]?.integer ?? 0 }
    func keys(_ name: String) -> [UInt64] { json[name].map(RecordKeysText.keys) ?? [] }
    self.init(
      stage: number("stage"), done: number("done"), inputHash: json["hash"]?.integer,
      hashInProgress: json["underWay"]?.integer, streamRecords: json["streamRecords"]?.integer,
      streamRepeats: number("streamRepeats"), keys: keys("keys"), windowKeys: keys("windowKeys"),
      tally: StageCounters(
        pages: number("pages"), records: number("records"), rejected: number("rejected"), nested: number("nested"),
        repeats: number("repeats"), changed: number("changed")))
  }
}

/// The position of a stream after a page.
struct StreamPosition: Sendable {
  /// Number of pages of the stream so far.
  let pages: Int
  /// Number of records of the stream so far, in this process, in which a list was cut.
  var nested = 0
  /// True if the page was the last one.
  let isOver: Bool
  /// Bookmark of the pager; nil without a `ProgressLog`, or if the pager can't be resumed there.
  let bookmark: PagerBookmark?
}

// MARK: The records of an input, by which a later run knows them again

/// Number and hash of the records that a run has read of standard input, and whether they are all.
final class InputDigest: Sendable {
  private struct State {
    var records = RecordsSoFar()
    var isWhole = false
  }

  private let state = Locked(State())

  func add(_ batch: Batch) {
    state.withLock { state in
      for record in batch.records { state.records.add(record) }
    }
  }

  func end() {
    state.withLock { $0.isWhole = true }
  }

  /// Members of the journal's last line.
  var members: [(name: String, value: JSONValue)] {
    state.withLock { state in
      [
        ("inputs", JSONValue(state.records.count)), ("inputHash", JSONValue(state.records.hash)),
        ("isWhole", JSONValue(state.isWhole)),
      ]
    }
  }
}

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
