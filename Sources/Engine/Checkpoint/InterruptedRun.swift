// The state of an interrupted run: the valid part of its output, and the checkpoints of its stages.

import Diagnostics
import Files
import JSONText
import Wire

/// A journal, read as far as the partial file confirms it.
struct InterruptedRun: Sendable {
  let header: JournalHeader
  /// The valid part of the partial file.
  let part: PartialFile.Known
  var state: JournalState

  /// Reads the journal; nil if a partial file or a journal is missing, so that there is nothing to resume.
  ///
  /// - Throws: `SpecError` if there is a partial file, but its journal can't be read.
  init?(_ outputPath: OutputPath, _ calls: SystemCalls, spool: @escaping @Sendable () -> Spool) throws {
    let survey = try JournalSurvey(outputPath, calls)
    // A run that ended before it wrote a line to its journal has left nothing to resume.
    guard !survey.isEmpty, let part = try PartialFile.Known(outputPath, survey.positions, calls: calls) else {
      return nil
    }
    guard let header = survey.header else {
      throw SpecError(messages: [
        "'\(outputPath.journal.printable)' is not a journal of this version of pagecat; run without --resume to start over"
      ])
    }
    state = JournalState(spool: spool)
    try state.read(outputPath, upTo: survey.end(of: part.position), calls)
    self.header = header
    self.part = part
  }
}

/// The commits of a journal, and their positions in it.
struct JournalSurvey {
  private(set) var header: JournalHeader?
  /// True if the journal has no line or does not exist.
  private(set) var isEmpty = true
  private(set) var finished: JSONValue?
  private(set) var positions: [PartialFile.Position] = []
  /// Sizes of the journal up to and including the line of each position.
  private var ends: [Int] = []
  /// Size of the journal before the first of these lines.
  private var start: Int?

  init(_ outputPath: OutputPath, _ calls: SystemCalls) throws(FileError) {
    var size = 0
    _ = try Journal.read(outputPath, calls: calls) { line, end in
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

  /// Returns the size of the journal up to a position of the partial file; nil for the whole journal.
  func end(of position: PartialFile.Position) -> Int? {
    guard let index = positions.lastIndex(of: position) else { return start }
    return index == positions.count - 1 ? nil : ends[index]
  }
}

/// A run whose output is in place, and whose journal is still there: it was killed before its cleanup, or had `--once`.
struct FinishedRun: Sendable {
  let header: JournalHeader
  let state: JournalState
  /// Size of the file that the run has written.
  let size: Int

  /// Looks for such a run; nil if there is none.
  ///
  /// - Throws: `SpecError` if it is unclear whether there is one.
  init?(_ outputPath: OutputPath, _ calls: SystemCalls, spool: @escaping @Sendable () -> Spool) throws {
    let survey = try JournalSurvey(outputPath, calls)
    guard let header = survey.header, let finished = survey.finished,
      let size = finished["size"]?.integer, let hash = finished["hash"]?.integer
    else { return nil }
    let ending = Ending(outputPath, calls, of: PartialFile.Position(size: size, hash: hash), onto: finished)
    guard try ending.isOver else { return nil }
    var state = JournalState(spool: spool)
    try state.read(outputPath, upTo: nil, calls)
    (self.header, self.state, self.size) = (header, state, size)
  }

  /// True if it has left its journal on purpose (`--once`).
  var staysDone: Bool { state.finished?["staysDone"]?.boolean == true }

  var verdict: Verdict? { state.finished?["finished"]?.string.flatMap { Verdict(rawValue: $0) } }
}

/// The expected result of a run's end, and the files as they are now.
///
/// Much may have happened since. The file may have been moved, extended or rewritten, and the partial file deleted.
private struct Ending {
  let outputPath: OutputPath
  let calls: SystemCalls
  /// Position at the end of all that the run has written.
  let whole: PartialFile.Position
  /// The file that the run was to append to, if there was one, and its size.
  let old: String?
  let oldSize: Int?
  /// True if the position is that of a merged file; the partial file then remains beside it.
  let isMerged: Bool

  init(_ outputPath: OutputPath, _ calls: SystemCalls, of whole: PartialFile.Position, onto line: JSONValue) {
    self.outputPath = outputPath
    self.calls = calls
    self.whole = whole
    old = line["onto"]?.string
    oldSize = line["behind"]?.integer
    isMerged = line["merged"]?.boolean == true
  }

  /// True if the file has the run's records, at its start or appended.
  private var isWritten: Bool {
    get throws {
      guard let file = try OutputPath.metadata(of: outputPath.path, calls: calls) else { return false }
      guard let oldSize else { return try file.size == whole.size && stands(from: 0) }
      // A line feed precedes them if the file did not end with one.
      return try stands(from: oldSize) || stands(from: oldSize + 1) || stands(from: file.size - whole.size)
    }
  }

  /// True if the file is still the one to append to, and too small to have the records besides its own.
  private var isOldFile: Bool {
    get throws {
      guard let oldSize, let file = try OutputPath.metadata(of: outputPath.path, calls: calls) else { return false }
      return file.identity.description == old && file.size < oldSize + whole.size
    }
  }

  private func stands(from offset: Int) throws -> Bool {
    try whole.stands(in: outputPath.path, from: offset, calls: calls)
  }

  var isOver: Bool {
    get throws {
      if isMerged { return try isWritten }
      let hasPart = try OutputPath.metadata(of: outputPath.part, calls: calls) != nil
      // A partial file that replaces FILE is renamed, so it still exists only if the rename did not happen.
      if hasPart, oldSize == nil { return false }
      // Appending replaces FILE too. The old FILE may end with the same records as those to append.
      if hasPart, try isOldFile { return false }
      if try isWritten { return true }
      guard hasPart, let old, let oldSize, let file = try OutputPath.metadata(of: outputPath.path, calls: calls) else {
        return false
      }
      if file.identity.description == old || file.size < oldSize + whole.size { return false }
      throw SpecError(messages: [
        "'\(outputPath.path.printable)' has changed since a run was ended while it appended '\(outputPath.part.printable)': look whether "
          + "its records are there, append them if not, then remove it and '\(outputPath.journal.printable)'"
      ])
    }
  }
}
