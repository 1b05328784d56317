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
  /// Members that `where` reads and no record has; nil before the first record, empty once a record was kept.
  var missing: [String]?
  /// Number of responses without the members that the condition of a key reads; nil once a response had one.
  var misses: [String: Int?] = [:]
  /// The reason why a first page left open whether there are others (`pages: auto`).
  var undecided: String?
  /// True if a first page had no sign of more (`pages: auto`).
  var hasLonePage = false
  /// The last status that `empty` takes for no records.
  var emptyStatus: Int?
  /// True if a response came with another status.
  var isAnswered = false
}

extension JobCounters {
  /// The reason why `where` can't hold; nil if it may.
  var unfitFilter: String? {
    guard records == 0, let missing, !missing.isEmpty else { return nil }
    let names = missing.map { "'\($0)'" }.joined(separator: ", nor ")
    return "'where' kept no record, and no record has \(names)" + (doubt.map { "; \($0)" } ?? "")
  }

  /// What was found about all responses of the job, as a journal has it; nil if nothing was found.
  var findings: JSONValue? {
    var members: [(name: String, value: JSONValue)] = []
    if let missing { members.append(("missing", JSONValue(elements: missing.map { JSONValue($0) }))) }
    if let doubt { members.append(("doubt", JSONValue(doubt))) }
    if let undecided { members.append(("undecided", JSONValue(undecided))) }
    if hasLonePage { members.append(("lone", JSONValue(true))) }
    if let emptyStatus { members.append(("empty", JSONValue(emptyStatus))) }
    if emptyStatus != nil, isAnswered { members.append(("answered", JSONValue(true))) }
    return members.isEmpty ? nil : JSONValue(members: members)
  }

  /// Restores what a journal has.
  mutating func restore(_ findings: JSONValue) {
    missing = findings["missing"].map { $0.elements.compactMap(\.string) }
    doubt = findings["doubt"]?.string
    undecided = findings["undecided"]?.string
    hasLonePage = findings["lone"]?.boolean == true
    emptyStatus = findings["empty"]?.integer
    isAnswered = findings["answered"]?.boolean ?? (emptyStatus == nil && pages > 0)
  }

  /// Returns the figures as an object.
  func json(named name: String) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name)), ("requests", JSONValue(requests)), ("pages", JSONValue(pages)),
      ("records", JSONValue(records)),
    ])
  }
}
