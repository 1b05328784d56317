// A journal's lines, folded: what is so at its end.

import Files
import JSONText
import Wire

/// Where a run stands, as its journal says it. The lines are:
///
///     {"pagecat":…}                        the header: what run it is
///     {"stage":1,"done":3,…}               where a stage stands
///     {"keep":1,"records":[…]}             input records of a stage,
///     {"kept":1,"from":3,"count":2,"stages":[…]}   all of a page, and where the stages before it stand behind it
///     {"commit":1234,"hash":…,"stages":[…]}        what stands in the part, and where the stages stand behind it
///     {"reject":…,"stage":1,"record":3}    an input record that was left out
///     {"saved":…,"stage":1,"record":3}     the hash of the path of an input record's file
///     {"marks":{…}}                        the highest marks so far; lines that say where stages stand have them too
///     {"facts":{…}}                        what was counted and said so far; such lines have it too
///     {"finished":"complete",…}            all of it is there, and may have the file's name already
struct JournalState: Sendable {
  private(set) var checkpoints: [Int: StageCheckpoint] = [:]
  /// The last line about what stands in the part.
  private(set) var commit: JSONValue?
  /// Lines about records that were left out, with the stage's and the record's number.
  private(set) var rejects: [JSONValue] = []
  /// Lines about files that were saved, the same.
  private var saved: [JSONValue] = []
  /// The highest marks that jobs saw, by name.
  private(set) var marks: JSONValue?
  /// What was counted and said (`Report.Facts`), beyond what is in the part: a stage that is done says nothing again.
  private(set) var counters: JSONValue?
  /// The line that says that nothing but tidying up is left.
  private(set) var finished: JSONValue?
  private var gathered: [Int: HeldRecords] = [:]
  private let spool: @Sendable () -> Spool

  init(spool: @escaping @Sendable () -> Spool) {
    self.spool = spool
  }

  mutating func read(_ place: OutputPath, upTo end: Int?, _ calls: SystemCalls) throws(FileError) {
    _ = try Journal.read(place, upTo: end, calls: calls) { (line, _) throws(FileError) in
      do throws(SpoolError) {
        try take(line)
      } catch {
        throw .failed(error.problem)
      }
    }
    // What was left out or saved by records that will be done again will be so again.
    let isToCome = { [checkpoints] (line: JSONValue) in
      line["record"]?.integer ?? 0 > line["stage"]?.integer.flatMap { checkpoints[$0]?.done } ?? 0
    }
    rejects.removeAll(where: isToCome)
    saved.removeAll(where: isToCome)
  }

  /// Hashes of the paths that have their files.
  var paths: Set<Int> { Set(saved.compactMap { $0["saved"]?.integer }) }

  private mutating func take(_ line: JSONValue) throws(SpoolError) {
    let kind = line.members.first { _ in true }
    let stage = kind?.value.integer ?? 0
    marks = line["marks"] ?? marks
    counters = line["facts"] ?? counters
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

  private mutating func gather(_ line: JSONValue, for stage: Int) throws(SpoolError) {
    var records = gathered[stage] ?? HeldRecords(lines: spool())
    records.chunks += 1
    gathered[stage] = records
    try records.lines.append((line["records"] ?? .null).elements.reduce(into: []) { $0 += $1.line })
  }

  /// Writes it as the lines of a new journal.
  func write(to file: inout AtomicFile) throws(FileError) {
    for (stage, checkpoint) in checkpoints.sorted(by: { $0.key < $1.key }) {
      try file.write(checkpoint.json(of: stage).line)
      for records in checkpoint.kept { try Self.write(records, for: stage, to: &file) }
    }
    for line in rejects + saved { try file.write(line.line) }
    if !last.isEmpty { try file.write(JSONValue(members: last).line) }
  }

  /// The line about the part, with what is so now, not when it was written: pages of earlier stages came behind it. Where
  /// the stages stand has been said.
  private var last: [(name: String, value: JSONValue)] {
    var members = (commit ?? .null).members.filter { ["commit", "hash", "records"].contains($0.name) }
      .map { (name: $0.name, value: $0.value) }
    if let counters { members.append(("facts", counters)) }
    if let marks { members.append(("marks", marks)) }
    return members
  }

  /// What is kept stays to be read again.
  private static func write(
    _ records: HeldRecords, for stage: Int, to file: inout AtomicFile
  ) throws(FileError) {
    for _ in 0..<records.chunks {
      let lines: [UInt8]
      do {
        lines = try records.lines.next() ?? []
        try records.lines.append(lines)
      } catch {
        throw .failed(error.problem)
      }
      try file.write(JournalLine.keep(lines, for: stage))
    }
    try file.write(JournalLine.kept(from: records.start, count: records.count, for: stage))
  }
}
