import JSONText

/// The counters of one job of a run.
struct JobCounters: Sendable, Hashable {
  var requests = 0
  var pages = 0
  /// Records that were fetched, whatever later jobs made of them.
  var records = 0
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
