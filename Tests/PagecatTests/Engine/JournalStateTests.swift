import Primitives
import Files
import JSONText
import TestSupport
import Testing
import Wire

@testable import Engine

@Suite("A journal is folded into one state")
struct JournalStateTests {
  private func state(_ lines: String, in folder: borrowing TemporaryFolder) throws -> JournalState {
    _ = try folder.write(
      Journal.summed(Array((lines.hasSuffix("\n") ? lines : lines + "\n").utf8)), to: "out.pagecat-journal")
    var state = JournalState { Spool(environment: [:]) }
    try state.read(OutputPath(folder.path + "/out"), upTo: nil, .system)
    return state
  }

  private static let lines = """
    {"pagecat":"0"}
    {"keep":1,"records":[{"id":1},{"id":2}]}
    {"kept":1,"from":0,"count":2,"stages":[{"stage":0,"done":0,"at":{"page":1},"pages":1}]}
    {"keep":1,"records":[{"id":3}]}
    {"kept":1,"from":2,"count":1,"stages":[{"stage":0,"done":0,"at":{"page":2},"pages":2}],"marks":{"a":1}}
    {"reject":{"step":"b"},"stage":1,"record":1}
    {"saved":11,"stage":1,"record":2}
    {"commit":10,"hash":5,"records":2,"stages":[{"stage":1,"done":2,"pages":2,"rejected":1}],"facts":{"requests":4}}
    {"reject":{"step":"c"},"stage":1,"record":3}
    {"saved":12,"stage":1,"record":3}
    {"marks":{"a":3,"b":{"x":1}}}
    {"marks":{"b":{"y":2}}}

    """

  @Test("what is finished is gone, what is to come is kept, and of marks and counters the last count")
  func folded() throws {
    let state = try state(Self.lines, in: TemporaryFolder())
    #expect(state.commit?["commit"]?.integer == 10 && state.finished == nil)
    #expect(state.checkpoints[0]?.tally.pages == 2 && state.checkpoints[0]?.bookmarks.map(\.text) == [#"{"page":2}"#])
    #expect(state.checkpoints[1]?.done == 2 && state.checkpoints[1]?.tally == StageCounters(pages: 2, rejected: 1))
    #expect(state.checkpoints[1]?.kept.map(\.start) == [2] && state.checkpoints[1]?.kept.map(\.count) == [1])
    // Record 3 will be made again, and what happens to it then.
    #expect(state.rejects.count == 1 && state.paths == [11])
    #expect(state.marks?.text == #"{"a":3,"b":{"x":1,"y":2}}"#)
    #expect(state.counters?.text == #"{"requests":4}"#)
  }

  @Test("written as a new journal and read again, it is the same")
  func compacted() throws {
    let folder = try TemporaryFolder()
    let first = try state(Self.lines + "{\"finished\":\"complete\",\"size\":10,\"hash\":5}\n", in: folder)
    #expect(first.finished?["finished"]?.string == "complete")
    let outputPath = OutputPath(folder.path + "/compact")
    _ = try ExportFile(outputPath, resuming: nil) { (journal) throws(FileError) in try first.write(to: &journal) }
    var again = JournalState { Spool(environment: [:]) }
    try again.read(outputPath, upTo: nil, .system)
    for stage in [0, 1] {
      #expect(again.checkpoints[stage]?.json(of: stage) == first.checkpoints[stage]?.json(of: stage))
    }
    #expect(again.checkpoints[1]?.kept.map(\.end) == [3] && again.rejects == first.rejects)
    #expect(again.paths == first.paths && again.marks == first.marks && again.counters == first.counters)
    #expect(again.commit?["records"]?.integer == 2)
    #expect(again.finished == nil)
  }

  @Test("a bookmark replaces the one before it, but for what that one adds to the visited requests")
  func bookmarks() throws {
    let state = try state(
      """
      {"stage":0,"done":1,"at":{"page":1,"visited":[7]}}
      {"commit":1,"stages":[{"stage":0,"done":1,"at":{"page":2,"visited":[]}}]}
      {"commit":2,"stages":[{"stage":0,"done":1,"at":{"page":3,"visited":[8]}}]}
      {"commit":3,"stages":[{"stage":2,"done":1,"at":{"page":9}}]}
      {"commit":4,"stages":[{"stage":2,"done":2}]}

      """, in: TemporaryFolder())
    #expect(state.checkpoints[0]?.bookmarks.compactMap { $0["page"]?.integer } == [1, 3])
    #expect(state.checkpoints[2]?.bookmarks.isEmpty == true)
  }
}
