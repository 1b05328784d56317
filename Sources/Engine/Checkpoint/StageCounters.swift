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
