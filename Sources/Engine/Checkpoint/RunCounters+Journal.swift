// The counters' form in a journal.

import FetchPlan
import JSONText

extension RunCounters {
  /// Writes the counters that neither the stages nor the partial file give.
  func write(to members: inout MemberWriter) {
    for figure in RunFigure.all where figure.isInJournal { members.add(figure.name, self[keyPath: figure.counter]) }
    // A line is written for each page: lists of numbers are the least work.
    members.add("statuses", statuses.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
    members.add("waited", [waitedForRate, waitedForRetry].map(\.milliseconds))
    members.add("jobs", jobs.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.requests] })
    let findings = jobs.sorted { $0.key < $1.key }.compactMap { job in job.value.findings.map { (job.key, $0) } }
    if !findings.isEmpty {
      members.add("findings", JSONValue(elements: findings.flatMap { [JSONValue($0.0), $0.1] }))
    }
    if let pages = ChosenPages.json(of: chosenPages) { members.add("auto", pages) }
    if isUniqueBounded { members.add("bounded", JSONValue(true)) }
    if let cap { members.add("cap", JSONValue(cap)) }
    if let short = shortfalls.json { members.add("short", short) }
    if !warned.isEmpty { members.add("warned", JSONValue(elements: warned.sorted().map { JSONValue($0) })) }
  }

  /// Restores the counters from the journal of an interrupted run.
  init(resuming interrupted: JournalState) {
    let counters = interrupted.counters ?? .null
    for figure in RunFigure.all where figure.isInJournal {
      self[keyPath: figure.counter] = counters["\(figure.name)"]?.integer ?? 0
    }
    records = interrupted.commit?["records"]?.integer ?? 0
    // A resumed run reads its input again, from the first record on.
    if interrupted.finished == nil { inputs = 0 }
    cap = counters["cap"]?.string
    chosenPages = ChosenPages.all(in: counters["auto"])
    shortfalls = Shortfalls(counters["short"])
    warned = Set((counters["warned"] ?? .null).elements.compactMap(\.string))
    func numbers(_ name: String, in line: JSONValue? = counters) -> [Int] {
      (line?[name] ?? .null).elements.compactMap(\.integer)
    }
    let (answers, waits, figures) = (numbers("statuses"), numbers("waited"), numbers("jobs"))
    for index in stride(from: 0, to: answers.count - 1, by: 2) { statuses[answers[index]] = answers[index + 1] }
    if waits.count == 2 { (waitedForRate, waitedForRetry) = (.milliseconds(waits[0]), .milliseconds(waits[1])) }
    for index in stride(from: 0, to: figures.count - 1, by: 2) {
      jobs[figures[index]] = JobCounters(requests: figures[index + 1])
    }
    // Those of the stages themselves: other threads may be ahead of what the line says.
    for (stage, checkpoint) in interrupted.checkpoints {
      jobs[stage, default: JobCounters()].pages = checkpoint.tally.pages
      jobs[stage, default: JobCounters()].records = checkpoint.tally.records
    }
    // A job with `match` has no checkpoint of what it fetched, since a resumed run fetches all of it again.
    let ends = numbers("jobs", in: interrupted.finished)
    for index in stride(from: 0, to: ends.count - 2, by: 3) {
      jobs[ends[index], default: JobCounters()].pages = ends[index + 1]
      jobs[ends[index], default: JobCounters()].records = ends[index + 2]
    }
    let findings = Array((counters["findings"] ?? .null).elements)
    for index in stride(from: 0, to: findings.count - 1, by: 2) {
      if let stage = findings[index].integer { jobs[stage, default: JobCounters()].restore(findings[index + 1]) }
    }
    for (stage, figures) in jobs where figures.emptyStatus == nil { jobs[stage]?.isAnswered = figures.pages > 0 }
    pages = jobs.values.reduce(0) { $0 + $1.pages }
    rejected = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.rejected }
    repeats = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.repeats }
    changed = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.changed }
    isUniqueBounded = counters["bounded"]?.boolean == true
    nested =
      interrupted.finished?["nested"]?.integer
      ?? interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.nested }
  }
}

extension ChosenPages {
  /// The pagers of jobs by their names, as a journal and a state have them; nil for none.
  static func json(of all: [String: ChosenPages]) -> JSONValue? {
    all.isEmpty ? nil : JSONValue(members: all.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
  }

  static func all(in json: JSONValue?) -> [String: ChosenPages] {
    (json ?? .null).members.reduce(into: [:]) { all, member in all[member.name] = ChosenPages(member.value) }
  }
}
