import FetchPlan
import JSONText
import Wire

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
