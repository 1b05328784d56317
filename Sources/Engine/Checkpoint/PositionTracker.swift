import Primitives
import FetchPlan
import JSONText
import Synchronization
import Wire

/// Finds the moments at which all stages of a run can be resumed, without the records between the stages.
///
/// Such a moment is the end of a page, or of an input record. For a stage that reads another stage's records, it is the
/// moment at which the stage has finished all records of a page. Then the other stage can be resumed after the page.
final class PositionTracker: ProgressLog, Sendable {
  /// The end of a page of a stage's input, and the progress of the previous stages there.
  private struct Boundary {
    /// Number of the stage's input records so far.
    let end: Int
    /// Nil if the previous stages can't be resumed there.
    let progress: [StageProgress]?
  }

  /// Boundaries that each stage has not reached, oldest first.
  private let boundaries = Locked<[Int: [Boundary]]>([:])
  private let run = Locked<JSONValue?>(nil)

  /// Identity of the run, for its positions; nil before the run begins.
  var identity: JSONValue? { run.withLock { $0 } }

  func begin(as identity: JSONValue) { run.withLock { $0 = identity } }

  /// Forgets what the stages so far have said, for a run that begins anew.
  func forget() { boundaries.withLock { $0 = [:] } }

  let keepsEachBookmark = false
  let wayToStartOver = "run again with the last STATE"

  /// Returns true: the records themselves are not needed.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool { true }

  func endPage(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: RunCounters)
    -> Bool
  {
    boundaries.withLock { boundaries in
      let before = Self.joined(progress, &boundaries)
      boundaries[stage, default: []].append(Boundary(end: start + count, progress: before))
    }
    return true
  }

  /// Does nothing: a run with downloads has no position.
  func appendSavedPath(_ hash: Int, stage: Int, record: Int) {}

  /// Returns the progress of all stages after a batch; nil if they can't be resumed there.
  ///
  /// Must be called once for each batch, in order.
  func progress(after batch: Batch) -> [StageProgress]? {
    guard !batch.progress.isEmpty else { return nil }
    return boundaries.withLock { Self.joined(batch.progress, &$0) }
  }

  /// Returns the progress of some stages with that of the stages before them.
  private static func joined(_ progress: [StageProgress], _ boundaries: inout [Int: [Boundary]]) -> [StageProgress]? {
    var joined: [StageProgress]? = []
    for stage in progress {
      if let waiting = boundaries[stage.stage] {
        let reached = waiting.prefix { $0.end <= stage.done }
        boundaries[stage.stage] = Array(waiting.dropFirst(reached.count))
        // Otherwise the records of the unfinished input page would have to be kept.
        let isAtEnd = stage.bookmark == nil && reached.last?.end == stage.done
        joined = isAtEnd ? joined.flatMap { known in reached.last?.progress.map { known + $0 } } : nil
      }
      joined?.append(stage)
    }
    return joined
  }
}
