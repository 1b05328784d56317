/// The counters of a stage.
struct StageCounters: Sendable, Hashable {
  var pages = 0
  /// Records that were fetched and given by the stage.
  var records = 0
  var rejected = 0
  /// Number of records in which a list was cut.
  var nested = 0
}
