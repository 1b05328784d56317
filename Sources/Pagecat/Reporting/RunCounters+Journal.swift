// The counters' form in a journal.

import JSONText

extension RunCounters {
  /// Writes what of it a journal holds, beside what its stages and its part say themselves.
  func write(to members: inout MemberWriter) {
    members.add("requests", requests)
    members.add("retries", retries)
    members.add("bytes", bytes)
    if inputs > 0 { members.add("inputs", inputs) }
    members.add("statuses", JSONValue(members: statuses.sorted { $0.key < $1.key }.map { ("\($0)", JSONValue($1)) }))
    members.add("waited", JSONValue(elements: [waitedForRate, waitedForRetry].map { JSONValue($0.milliseconds) }))
    let jobs = jobs.sorted { $0.key < $1.key }.map { stage, job in
      JSONValue(elements: [stage, job.requests, job.records].map { JSONValue($0) })
    }
    members.add("jobs", JSONValue(elements: jobs))
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
    // A run that goes on reads its input again, from the first record on.
    if interrupted.finished != nil { inputs = counters["inputs"]?.integer ?? 0 }
    cap = counters["cap"]?.string
    shortfall = counters["short"]?.string
    warned = Set((counters["warned"] ?? .null).elements.compactMap(\.string))
    for member in (counters["statuses"] ?? .null).members {
      if let status = Int(member.name), let count = member.value.integer { statuses[status] = count }
    }
    let waited = (counters["waited"] ?? .null).elements.compactMap(\.integer)
    if waited.count == 2 { (waitedForRate, waitedForRetry) = (.milliseconds(waited[0]), .milliseconds(waited[1])) }
    for element in (counters["jobs"] ?? .null).elements {
      let figures = element.elements.compactMap(\.integer)
      guard figures.count == 3 else { continue }
      jobs[figures[0]] = JobCounters(requests: figures[1], records: figures[2])
    }
    for (stage, checkpoint) in interrupted.checkpoints {
      jobs[stage, default: JobCounters()].pages = checkpoint.tally.pages
    }
    pages = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.pages }
    rejected = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.rejected }
    nested = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.nested }
  }
}
