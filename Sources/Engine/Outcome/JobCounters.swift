import JSONText

/// The counters of one job of a run.
struct JobCounters: Sendable, Hashable {
  var requests = 0
  var pages = 0
  /// Records that were fetched, even if later jobs drop them.
  var records = 0
  /// Records that `where` left out at the start of pages; without those of an interrupted run.
  var leftOut = 0
  /// A doubt about `where`, found in the first of these records.
  var doubt: String?
}

extension JobCounters {
  /// Returns the figures as an object.
  func json(named name: String) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name)), ("requests", JSONValue(requests)), ("pages", JSONValue(pages)),
      ("records", JSONValue(records)),
    ])
  }
}
