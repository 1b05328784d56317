import Files
import JSONText
import Wire

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
  ///   - input: digest of the input, if the journal stays.
  static func finished(
    _ counters: RunCounters, _ position: PartialFile.Position, onto old: FileMetadata?, _ input: InputDigest?
  ) -> [UInt8] {
    let jobs = counters.jobs.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.pages, $0.value.records] }
    var members = [
      (name: "finished", value: JSONValue(counters.verdict.rawValue)), ("size", JSONValue(position.size)),
      ("hash", JSONValue(position.hash)), ("nested", JSONValue(counters.nested)),
      ("jobs", JSONValue(elements: jobs.map { JSONValue($0) })),
    ]
    if let old { members += [("onto", JSONValue(old.identity.description)), ("behind", JSONValue(old.size))] }
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

  static func reject(_ line: JSONValue, stage: Int, record: Int) -> [UInt8] {
    JSONValue(members: [("reject", line), ("stage", JSONValue(stage)), ("record", JSONValue(record))]).line
  }
}
