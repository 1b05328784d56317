import Diagnostics
import Files
import JSONText
import Wire

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
