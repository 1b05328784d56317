// What an interrupted run has left: how far its output is good, and where its stages stood.

import Diagnostics
import Emitting
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

/// A run that was complete, and ended between giving its file its name and tidying up.
struct FinishedRun: Sendable {
  let header: JournalHeader
  let state: JournalState

  /// Nil when there is none.
  ///
  /// - Throws: `SpecError` when it can't be seen whether there is one.
  init?(_ place: OutputPath, _ calls: SystemCalls, spool: @escaping @Sendable () -> Spool) throws {
    do {
      let survey = try JournalSurvey(place, calls)
      guard let header = survey.header, let finished = survey.finished,
        let size = finished["size"]?.integer, let hash = finished["hash"]?.integer
      else { return nil }
      let ending = Ending(place, calls, of: PartialFile.Position(size: size, hash: hash), onto: finished)
      guard try ending.isOver else { return nil }
      var state = JournalState(spool: spool)
      try state.read(place, upTo: nil, calls)
      (self.header, self.state) = (header, state)
    } catch let fault as FileError {
      throw OutputError(fault)
    }
  }

  var isComplete: Bool { state.finished?["finished"]?.string == Verdict.complete.rawValue }
}

/// What the end of a run should have brought about, and what of it can be seen. Much may have happened since: the file may
/// have been moved, added to or written anew, and the part removed.
private struct Ending {
  let place: OutputPath
  let calls: SystemCalls
  /// All that the run has written.
  let whole: PartialFile.Position
  /// The file that it was to be added to, if there was one, and its size.
  let old: String?
  let oldSize: Int?

  init(_ place: OutputPath, _ calls: SystemCalls, of whole: PartialFile.Position, onto line: JSONValue) {
    self.place = place
    self.calls = calls
    self.whole = whole
    old = line["onto"]?.string
    oldSize = line["behind"]?.integer
  }

  /// Whether the file has what was written: where it was put, or at its end.
  private var isWritten: Bool {
    get throws {
      guard let file = try OutputPath.facts(of: place.path, calls: calls) else { return false }
      guard let oldSize else { return try file.size == whole.size && stands(from: 0) }
      // A line feed comes first where the file did not end with one.
      return try stands(from: oldSize) || stands(from: oldSize + 1) || stands(from: file.size - whole.size)
    }
  }

  private func stands(from offset: Int) throws -> Bool {
    try whole.stands(in: place.path, from: offset, calls: calls)
  }

  var isOver: Bool {
    get throws {
      let hasPart = try OutputPath.facts(of: place.part, calls: calls) != nil
      // What is to take the file's place has its name, or not.
      if hasPart, oldSize == nil { return false }
      if try isWritten { return true }
      guard hasPart, let old, let oldSize, let file = try OutputPath.facts(of: place.path, calls: calls) else {
        return false
      }
      if file.identity.description == old || file.size < oldSize + whole.size { return false }
      throw SpecError(messages: [
        "'\(place.path.printable)' has changed since a run was about to add '\(place.part.printable)' to it, and nothing says "
          + "whether it did: see for yourself, add it if it is missing, and remove it and '\(place.journal.printable)'"
      ])
    }
  }
}

/// What is committed, and where the journal says so.
private struct JournalSurvey {
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
