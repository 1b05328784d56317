import JSONText

/// The counters of one job of a run.
struct JobCounters: Sendable, Hashable {
  var requests = 0
  var pages = 0
  /// Records that were fetched, whatever later jobs made of them.
  var records = 0
  /// Records of pages that began with some that `where` left out; not those of an interrupted run.
  var leftOut = 0
  /// What `where` may have wrong, by the first of these records.
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
