import Files
import FetchPlan
import JSONText

/// Input records of a stage that the journal keeps: a page of the previous stage, or its output for one input record.
struct HeldRecords: Sendable {
  /// Number of the stage's input records before the first of these.
  var start = 0
  var count = 0
  let lines: Spool
  /// Number of chunks in the spool.
  var chunks = 0

  var end: Int { start + count }
}
