import FetchPlan
import Files
import JSONText
import Primitives
import Testing
import Wire

@testable import Engine

@Suite("Moments at which a run can be resumed without the records between its stages")
struct PositionTrackerTests {
  private static let bookmark = PagerBookmark(
    try! JSONValue(
      parsing: Array(
        #"{"page":1,"records":1,"first":1,"count":1,"hash":1,"firstCount":1,"firstHash":1,"item":2,"itemBefore":1,"visited":[]}"#
          .utf8)
    ))

  private func progress(_ stage: Int, _ done: Int, isInside: Bool = false) -> StageProgress {
    StageProgress(stage: stage, done: done, bookmark: isInside ? Self.bookmark : nil)
  }

  /// Returns the finished records of each stage after a batch of the last one; nil if the run can't be resumed there.
  private func moment(_ tracker: PositionTracker, _ progress: StageProgress...) -> [Int]? {
    var batch = Batch(lines: [])
    batch.progress = progress
    return tracker.progress(after: batch)?.map(\.done)
  }

  private func kept(
    _ tracker: PositionTracker, _ stage: Int, from start: Int, _ count: Int, _ progress: StageProgress...
  ) {
    #expect(tracker.keep([], for: stage))
    #expect(tracker.endPage(from: start, count: count, for: stage, progress, RunCounters()))
  }

  @Test("a stage alone can be resumed after each page and each input record")
  func alone() {
    let tracker = PositionTracker()
    #expect(moment(tracker) == nil)
    #expect(moment(tracker, progress(0, 0, isInside: true)) == [0])
    #expect(moment(tracker, progress(0, 1)) == [1])
  }

  @Test("a stage that reads another one's records can be resumed where it has finished a page of them")
  func pages() {
    let tracker = PositionTracker()
    kept(tracker, 1, from: 0, 2, progress(0, 10))
    #expect(moment(tracker, progress(1, 1)) == nil)
    // The previous stage is read ahead, and its second page has no records.
    kept(tracker, 1, from: 2, 0, progress(0, 11))
    kept(tracker, 1, from: 2, 1, progress(0, 12))
    #expect(moment(tracker, progress(1, 2)) == [11, 2])
    #expect(moment(tracker, progress(1, 2, isInside: true)) == nil)
    #expect(moment(tracker, progress(1, 3)) == [12, 3])
    #expect(moment(tracker, progress(1, 4)) == nil)
  }

  @Test("batches of input records that span two pages have no moment between them")
  func batches() {
    let tracker = PositionTracker()
    for page in 0..<3 { kept(tracker, 1, from: 3 * page, 3, progress(0, page)) }
    #expect([2, 4, 6, 8, 9].map { moment(tracker, progress(1, $0)) } == [nil, nil, [1, 6], nil, [2, 9]])
  }

  @Test("three stages can be resumed where both pages end; a stage that passes records on has both in its progress")
  func three() {
    let tracker = PositionTracker()
    kept(tracker, 1, from: 0, 2, progress(0, 10))
    kept(tracker, 2, from: 0, 5, progress(1, 1))
    kept(tracker, 2, from: 5, 5, progress(1, 2))
    #expect(moment(tracker, progress(2, 5)) == nil)
    #expect(moment(tracker, progress(2, 10), progress(3, 10)) == [10, 2, 10, 10])
  }

  @Test("a position is read as it was written; it has no secret, and a limited size")
  func position() throws {
    let secrets = SecretStore()
    secrets.insert("sesame99")
    func json(_ marks: [(name: String, value: JSONValue)]) -> JSONValue? {
      RunPosition.json(
        start: 5, identity: JSONValue(members: [("specs", JSONValue(1))]), [progress(0, 0, isInside: true)],
        RunCounters(), marks: marks, hiding: secrets)
    }
    let position = try #require(json([("a", JSONValue(7))]).flatMap { RunPosition($0) })
    let state = JournalState(position) { Spool(environment: [:]) }
    #expect(position.start == 5 && state.marks?.text == #"{"a":7}"#)
    #expect(state.checkpoints[0]?.pagerBookmarks == [try #require(Self.bookmark)])
    #expect(position.differences(from: JSONValue(members: [("specs", JSONValue(2))])) == ["the spec"])
    #expect(json([("a", JSONValue("x sesame99"))]) == nil)
    #expect(json([("a", JSONValue(String(repeating: "x", count: 64 << 10)))]) == nil)
  }
}
