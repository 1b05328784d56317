// The state at the end of a journal, folded from its lines.

import FetchPlan
import Files
import JSONText
import Wire

/// The state of a run as its journal describes it.
///
/// The lines of a journal are:
///
///     {"pagecat":…}                        the header: the identity of the run
///     {"stage":1,"done":3,…}               the checkpoint of a stage
///     {"keep":1,"records":[…]}             input records of a stage,
///     {"kept":1,"from":3,"count":2,"stages":[…]}   the end of a page of them, and progress of the previous stages
///     {"commit":1234,"hash":…,"stages":[…]}        the position in the partial file, and progress of the stages
///     {"reject":…,"stage":1,"record":3}    an input record that was left out; with "short" in place of "record" one that
///                                          came out, although its pages are not the whole set
///     {"saved":…,"stage":1,"record":3}     the hash of the path of an input record's file
///     {"marks":{…}}                        the highest marks so far, also a member of lines with progress: of a job with
///                                          many, those that have changed
///     {"atMarks":{…},"moreAtMarks":{…}}    the records at the marks, also members of lines with progress: new lists, and
///                                          what is added to older ones
///     {"facts":{…}}                        the counters and warnings so far, also a member of lines with progress
///     {"ended":"short"}                    the run reached its end, and FILE did not get its records
///     {"finished":"complete",…}            the output is complete, and may have been renamed already
struct JournalState: Sendable {
  private(set) var checkpoints: [Int: StageCheckpoint] = [:]
  /// The last commit line.
  private(set) var commit: JSONValue?
  /// Lines about rejected records, with the numbers of stage and record.
  private(set) var rejects: [JSONValue] = []
  /// Lines about saved files, with the numbers of stage and record.
  private var saved: [JSONValue] = []
  /// The highest marks that jobs saw, by name.
  var marks: JSONValue? { markSet.isEmpty ? nil : markSet.json }
  private var markSet = MarkSet()
  /// The records at these marks.
  private(set) var recordsAtMarks = RecordsAtMarks()
  /// Counters and warnings (`RunCounters`) that the partial file does not show.
  ///
  /// A finished stage does not repeat its warnings.
  private(set) var counters: JSONValue?
  /// The verdict of a run that reached its end, if the verdict kept the records from FILE.
  private(set) var ended: Verdict?
  /// The line that says that only the cleanup is missing.
  private(set) var finished: JSONValue?
  private var gathered: [Int: HeldRecords] = [:]
  private let spool: @Sendable () -> Spool

  init(spool: @escaping @Sendable () -> Spool) {
    self.spool = spool
  }

  /// Creates the state that a position describes.
  init(_ position: RunPosition, spool: @escaping @Sendable () -> Spool) {
    self.spool = spool
    apply(position.stages)
    commit = position.json
    counters = position.json["facts"]
    if let marks = position.json["marks"] { markSet.merge(marks) }
  }

  mutating func read(_ outputPath: OutputPath, upTo end: Int?, _ calls: SystemCalls) throws(FileError) {
    _ = try Journal.read(outputPath, upTo: end, calls: calls) { (line, _) throws(FileError) in
      try take(line)
    }
    // Records that will be processed again will be rejected or saved again.
    let isToCome = { [checkpoints] (line: JSONValue) in
      line["record"]?.integer ?? 0 > line["stage"]?.integer.flatMap { checkpoints[$0]?.done } ?? 0
    }
    rejects.removeAll(where: isToCome)
    saved.removeAll(where: isToCome)
  }

  /// Hashes of the paths whose files are saved.
  var paths: Set<Int> { Set(saved.compactMap { $0["saved"]?.integer }) }

  private mutating func take(_ line: JSONValue) throws(FileError) {
    let kind = line.members.first { _ in true }
    let stage = kind?.value.integer ?? 0
    if let marks = line["marks"] { markSet.merge(marks) }
    if let records = line["atMarks"] { recordsAtMarks.merge(records) }
    if let records = line["moreAtMarks"] { recordsAtMarks.merge(records, isAdded: true) }
    counters = line["facts"] ?? counters
    ended = kind?.name == "ended" ? kind?.value.string.flatMap { Verdict(rawValue: $0) } : nil
    switch kind?.name {
    case "stage": apply([line])
    case "keep": try gather(line, for: stage)
    case "kept":
      var records = gathered.removeValue(forKey: stage) ?? HeldRecords(lines: spool())
      (records.start, records.count) = (line["from"]?.integer ?? 0, line["count"]?.integer ?? 0)
      if records.end > checkpoints[stage]?.done ?? 0 {
        checkpoints[stage, default: StageCheckpoint()].kept.append(records)
      }
      apply(line["stages"])
    case "commit":
      commit = line
      apply(line["stages"])
    case "reject": rejects.append(line)
    case "saved": saved.append(line)
    case "finished": finished = line
    default: break
    }
  }

  private mutating func apply(_ marks: JSONValue?) {
    if let marks { apply(Array(marks.elements)) }
  }

  private mutating func apply(_ marks: [JSONValue]) {
    for mark in marks { checkpoints[mark["stage"]?.integer ?? 0, default: StageCheckpoint()].apply(mark) }
  }

  private mutating func gather(_ line: JSONValue, for stage: Int) throws(FileError) {
    var records = gathered[stage] ?? HeldRecords(lines: spool())
    records.chunks += 1
    gathered[stage] = records
    try records.lines.append((line["records"] ?? .null).elements.reduce(into: []) { $0 += $1.line })
  }

  /// Writes this state as the lines of a new journal.
  func write(to file: inout Journal.Start) throws(FileError) {
    for (stage, checkpoint) in checkpoints.sorted(by: { $0.key < $1.key }) {
      try file.write(checkpoint.json(of: stage).line)
      for records in checkpoint.kept { try Self.write(records, for: stage, to: &file) }
    }
    for line in rejects + saved { try file.write(line.line) }
    if !last.isEmpty { try file.write(JSONValue(members: last).line) }
  }

  /// The commit line with the current counters and marks, since pages of earlier stages may have followed the commit.
  ///
  /// The stages' checkpoints are in lines of their own.
  private var last: [(name: String, value: JSONValue)] {
    var members = (commit ?? .null).members.filter { ["commit", "hash", "records"].contains($0.name) }
      .map { (name: $0.name, value: $0.value) }
    if let counters { members.append(("facts", counters)) }
    if let marks { members.append(("marks", marks)) }
    if !recordsAtMarks.isEmpty { members.append(("atMarks", recordsAtMarks.json)) }
    return members
  }

  /// Writes kept records, and puts each chunk back into the spool so that it can be read again.
  private static func write(
    _ records: HeldRecords, for stage: Int, to file: inout Journal.Start
  ) throws(FileError) {
    for _ in 0..<records.chunks {
      let lines = try records.lines.next() ?? []
      try records.lines.append(lines)
      try file.write(JournalLine.keep(lines, for: stage))
    }
    try file.write(JournalLine.kept(from: records.start, count: records.count, for: stage))
  }
}

/// The lines of a journal.
enum JournalLine {
  static func keep(_ lines: [UInt8], for stage: Int) -> [UInt8] {
    var line = Array("{\"keep\":\(stage),\"records\":[".utf8)
    line.reserveCapacity(line.count + lines.count + 3)
    line += lines
    // Records are compact, so that a line feed can only end a record. A comma replaces it between two records.
    for index in line.indices where line[index] == UInt8(ascii: "\n") { line[index] = UInt8(ascii: ",") }
    if !lines.isEmpty { line.removeLast() }
    return line + Array("]}\n".utf8)
  }

  /// Returns the line that ends the input records of a page.
  ///
  /// - Parameter checkpoint: the progress of the previous stages after the page, with counters and marks at that
  ///   moment.
  static func kept(
    from start: Int, count: Int, for stage: Int,
    _ checkpoint: (stages: [StageProgress], RunCounters, HighWaterMarks)? = nil
  ) -> [UInt8] {
    MemberWriter.line { members in
      members.add("kept", stage)
      members.add("from", start)
      members.add("count", count)
      if let (stages, counters, seen) = checkpoint { add(stages, counters, seen, to: &members) }
    }
  }

  static func commit(
    _ position: PartialFile.Position, _ counters: RunCounters, _ stages: [StageProgress], _ seen: HighWaterMarks
  ) -> [UInt8] {
    MemberWriter.line { members in
      members.add("commit", position.size)
      members.add("hash", position.hash)
      members.add("records", counters.records)
      add(stages, counters, seen, to: &members)
    }
  }

  private static func add(
    _ stages: [StageProgress], _ counters: RunCounters, _ seen: HighWaterMarks, to members: inout MemberWriter
  ) {
    members.add("stages", count: stages.count) { stages[$0].write(to: &$1) }
    members.add("facts") { counters.write(to: &$0) }
    seen.takeChanges().write(to: &members)
  }

  /// Returns the line that ends a run.
  ///
  /// The counters of a job with `match` are in no other line.
  ///
  /// - Parameters:
  ///   - position: end of the partial file.
  ///   - old: the file that the partial file will be appended to.
  ///   - isMerged: true if the position is that of the new FILE, which has other records, too.
  ///   - input: digest of the input, if the journal stays.
  static func finished(
    _ counters: RunCounters, _ position: PartialFile.Position, onto old: FileMetadata? = nil, isMerged: Bool = false,
    _ input: InputDigest?
  ) -> [UInt8] {
    let jobs = counters.jobs.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.pages, $0.value.records] }
    var members = [
      (name: "finished", value: JSONValue(counters.verdict.rawValue)), ("size", JSONValue(position.size)),
      ("hash", JSONValue(position.hash)), ("nested", JSONValue(counters.nested)),
      ("jobs", JSONValue(elements: jobs.map { JSONValue($0) })),
    ]
    if let old { members += [("onto", JSONValue(old.identity.description)), ("behind", JSONValue(old.size))] }
    if isMerged { members.append(("merged", JSONValue(true))) }
    if let input { members += [("staysDone", JSONValue(true))] + input.members }
    return JSONValue(members: members).line
  }

  /// The line that ends a run whose records FILE did not get.
  static func ended(_ verdict: Verdict) -> [UInt8] {
    JSONValue(members: [("ended", JSONValue(verdict.rawValue))]).line
  }

  static func saved(_ hash: Int, stage: Int, record: Int) -> [UInt8] {
    JSONValue(members: [("saved", JSONValue(hash)), ("stage", JSONValue(stage)), ("record", JSONValue(record))]).line
  }

  static func reject(_ line: JSONValue, stage: Int, record: Int, isShort: Bool) -> [UInt8] {
    JSONValue(members: [
      ("reject", line), ("stage", JSONValue(stage)), (isShort ? "short" : "record", JSONValue(record)),
    ]).line
  }
}

/// Input records of a stage that the journal keeps: a page of the previous stage, or its output for one input record.
struct HeldRecords: Sendable {
  /// Number of the stage's input records before the first of these.
  var start = 0
  var count = 0
  let lines: Spool
  /// Number of chunks in the spool.
  var chunks = 0

  var end: Int { start + count }
}

// MARK: The counters' form in a journal

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
