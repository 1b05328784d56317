// What an interrupted run has left: how far its output is good, and where its stages stood.

import Diagnostics
import Files
import JSONText
import Wire

/// A journal, read as far as the part bears it out.
struct InterruptedRun: Sendable {
  let header: JournalHeader
  /// How far the part is good.
  let part: PartialFile.Known
  var state: JournalState

  /// Nil when no part was left, or no journal: then there is nothing to go on with.
  ///
  /// - Throws: `SpecError` when a part was left, and its journal can't be read.
  init?(_ place: OutputPath, _ calls: SystemCalls, spool: @escaping @Sendable () -> Spool) throws {
    do {
      let survey = try JournalSurvey(place, calls)
      // A run that was ended before it had written a line of its journal has left nothing to go on with.
      guard !survey.isEmpty, let part = try PartialFile.Known(place, survey.positions, calls: calls) else { return nil }
      guard let header = survey.header else {
        throw SpecError(messages: [
          "'\(place.journal.printable)' is no journal of this version; run without --resume to begin anew"
        ])
      }
      state = JournalState(spool: spool)
      try state.read(place, upTo: survey.end(of: part.position), calls)
      self.header = header
      self.part = part
    } catch let fault as FileError {
      throw OutputError(fault)
    }
  }
}

/// What is committed, and where the journal says so.
struct JournalSurvey {
  private(set) var header: JournalHeader?
  /// Whether there is no line, or no journal at all.
  private(set) var isEmpty = true
  private(set) var finished: JSONValue?
  private(set) var positions: [PartialFile.Position] = []
  /// The journal's sizes with the lines of those positions.
  private var ends: [Int] = []
  /// The journal's size before the first of those lines.
  private var start: Int?

  init(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) {
    var size = 0
    _ = try Journal.read(place, calls: calls) { line, end in
      if size == 0 { header = JournalHeader(line) }
      let kind = line.members.first { _ in true }?.name
      finished = kind == "finished" ? line : nil
      if kind == "commit",
        let committed = line["commit"]?.integer, let hash = line["hash"]?.integer
      {
        start = start ?? size
        positions.append(PartialFile.Position(size: committed, hash: hash))
        ends.append(end)
      }
      size = end
      isEmpty = false
    }
  }

  /// How much of the journal speaks of no more than what is there; nil for all of it.
  func end(of position: PartialFile.Position) -> Int? {
    guard let index = positions.lastIndex(of: position) else { return start }
    return index == positions.count - 1 ? nil : ends[index]
  }
}
