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
  init?(_ place: OutputPath, _ calls: SystemCalls, spool: @escaping @Sendable () -> Spool) throws {
    do {
      let survey = try JournalSurvey(place, calls)
      // A run that ended before it wrote a line to its journal has left nothing to resume.
      guard !survey.isEmpty, let part = try PartialFile.Known(place, survey.positions, calls: calls) else { return nil }
      guard let header = survey.header else {
        throw SpecError(messages: [
          "'\(place.journal.printable)' is no journal of this version of pagecat; run without --resume to start over"
        ])
      }
      state = JournalState(spool: spool)
      try state.read(place, upTo: survey.end(of: part.position), calls)
      self.header = header
      self.part = part
    } catch let fault as FileError {
      throw fault
    }
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

  /// Returns the size of the journal up to a position of the partial file; nil for the whole journal.
  func end(of position: PartialFile.Position) -> Int? {
    guard let index = positions.lastIndex(of: position) else { return start }
    return index == positions.count - 1 ? nil : ends[index]
  }
}
