import Diagnostics
import Files
import JSONText
import PipelineSpec
import Synchronization
import Unwrapping
import Wire

/// The highest marks that the jobs of a run have seen so far; all stages share them.
final class HighWaterMarks: Sendable {
  private let marks: Locked<[String: HighWaterMark]>
  /// Jobs with a page that has records, but no mark.
  private let unmarked = Locked<Set<String>>([])

  /// Starts without marks, or with those of an interrupted run.
  ///
  /// - Parameter json: marks that the interrupted run has seen.
  init(resuming json: JSONValue? = nil) {
    var marks: [String: HighWaterMark] = [:]
    for member in (json ?? .null).members { marks[member.name] = HighWaterMark(member.value) }
    self.marks = Locked(marks)
  }

  /// Adds the highest mark of a page.
  ///
  /// - Parameter recordCount: number of records in the page.
  func see(_ mark: HighWaterMark, of recordCount: Int, in job: String) throws(HighWaterMark.Mixed) {
    guard mark.value != nil else {
      if recordCount > 0 { unmarked.withLock { _ = $0.insert(job) } }
      return
    }
    try marks.withLock { (marks) throws(HighWaterMark.Mixed) in try marks[job, default: HighWaterMark()].see(mark) }
  }

  /// Jobs with records and no mark at all, in order.
  var markless: [String] {
    let marked = Set(all.map(\.name))
    return unmarked.withLock { $0.subtracting(marked).sorted() }
  }

  /// Marks by job, in order.
  var all: [(name: String, value: JSONValue)] {
    marks.withLock { marks in
      marks.isEmpty
        ? [] : marks.sorted { $0.key < $1.key }.compactMap { name, mark in mark.value.map { (name: name, value: $0) } }
    }
  }
}
