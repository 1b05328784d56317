// The counters' form in a journal.

import JSONText

extension RunCounters {
  /// Writes what of it a journal holds, beside what its stages and its part say themselves.
  func write(to members: inout MemberWriter) {
    members.add("requests", requests)
    members.add("retries", retries)
    members.add("bytes", bytes)
    if let cap { members.add("cap", JSONValue(cap)) }
    if let shortfall { members.add("short", JSONValue(shortfall)) }
    if !warned.isEmpty { members.add("warned", JSONValue(elements: warned.sorted().map { JSONValue($0) })) }
  }

  /// What was so where an interrupted run left off.
  init(resuming interrupted: JournalState) {
    let counters = interrupted.counters ?? .null
    records = interrupted.commit?["records"]?.integer ?? 0
    requests = counters["requests"]?.integer ?? 0
    retries = counters["retries"]?.integer ?? 0
    bytes = counters["bytes"]?.integer ?? 0
    cap = counters["cap"]?.string
    shortfall = counters["short"]?.string
    warned = Set((counters["warned"] ?? .null).elements.compactMap(\.string))
    pages = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.pages }
    rejected = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.rejected }
    nested = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.nested }
  }
}
