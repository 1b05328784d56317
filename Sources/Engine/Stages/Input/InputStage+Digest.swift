// Comparison of an input with that of an earlier run.

import JSONText

extension InputStage {
  /// Returns true if the input has the records of a journal's last line, and no others if these were all.
  func hasRecords(of line: JSONValue) async -> Bool {
    guard let count = line["inputs"]?.integer, let hash = line["inputHash"]?.integer else { return true }
    let isWhole = line["isWhole"]?.boolean == true
    // The earlier run has counted the records.
    let counted = report.counters.inputs
    defer { report.count { $0.inputs = counted } }
    var passed = RecordsSoFar()
    while passed.count < count, let batch = await next() {
      var records = batch.records
      while passed.count < count, let record = records.next() { passed.add(record) }
      if passed.count == count, isWhole, records.next() != nil { return false }
    }
    guard passed.count == count, passed.hash == hash else { return false }
    return isWhole ? await next() == nil : true
  }
}
