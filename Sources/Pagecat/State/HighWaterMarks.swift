import Diagnostics
import Files
import JSONText
import PipelineSpec
import Synchronization
import Unwrapping
import Wire

/// The marks that the jobs of a run have seen so far. Shared by all stages.
final class HighWaterMarks: Sendable {
  private let marks: Locked<[String: HighWaterMark]>
  /// Jobs of which there was a page with records, and none of them had a mark.
  private let unmarked = Locked<Set<String>>([])

  /// - Parameter json: what an interrupted run had seen.
  init(resuming json: JSONValue? = nil) {
    var marks: [String: HighWaterMark] = [:]
    for member in (json ?? .null).members { marks[member.name] = HighWaterMark(member.value) }
    self.marks = Locked(marks)
  }

  /// - Parameter recordCount: of the page whose highest mark it is.
  func see(_ mark: HighWaterMark, of recordCount: Int, in job: String) throws(HighWaterMark.Mixed) {
    guard mark.value != nil else {
      if recordCount > 0 { unmarked.withLock { _ = $0.insert(job) } }
      return
    }
    try marks.withLock { (marks) throws(HighWaterMark.Mixed) in try marks[job, default: HighWaterMark()].see(mark) }
  }

  /// Jobs that brought records and no mark at all, in order.
  var markless: [String] {
    let marked = Set(all.map(\.name))
    return unmarked.withLock { $0.subtracting(marked).sorted() }
  }

  /// By job, in order.
  var all: [(name: String, value: JSONValue)] {
    marks.withLock { marks in
      marks.isEmpty
        ? [] : marks.sorted { $0.key < $1.key }.compactMap { name, mark in mark.value.map { (name: name, value: $0) } }
    }
  }
}
