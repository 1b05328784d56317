// `-o FILE`: records go into a part beside FILE, and where the run stands goes into a journal beside that.

import Emitting
import JSONText
import Synchronization
import Wire

/// The file of a run, and what is written down to go on with the run. All stages share it.
final class Ledger: RecordTaker, Sendable {
  private struct State: ~Copyable {
    var file: ExportFile
    /// What went wrong where nobody could be told.
    var fault: EmitFault?
    /// Whether there is anything to go on with.
    var isBegun: Bool
  }

  private let state: Guarded<State>
  private let place: FilePlace
  private let header: JournalHeader
  private let calls: SystemCalls
  private let spool: @Sendable () -> Spool
  private let seen: SeenMarks

  /// - Parameter left: what an interrupted run has left, to be gone on with. What it keeps has been copied then.
  init(
    _ place: FilePlace, _ header: JournalHeader, _ left: LeftRun?, _ seen: SeenMarks, calls: SystemCalls,
    spool: @escaping @Sendable () -> Spool
  ) throws(OutputFault) {
    self.place = place
    self.header = header
    self.calls = calls
    self.spool = spool
    self.seen = seen
    do {
      let file: ExportFile
      if let run = left {
        let part = try PartFile(place, resuming: run.part, calls: calls)
        file = try ExportFile(place, part, calls: calls) { (journal) throws(EmitFault) in
          try journal.write(header.json.line)
          try run.state.write(to: &journal)
        }
      } else {
        file = try ExportFile(place, try PartFile(place, calls: calls), calls: calls) { (journal) throws(EmitFault) in
          try journal.write(header.json.line)
        }
      }
      state = Guarded(State(file: file, isBegun: left != nil))
    } catch {
      throw OutputFault(error)
    }
  }

  // MARK: Records

  /// A file has no reader.
  func mayWait(toTake batch: Batch) -> Bool { false }

  /// Records of a page go into the part; behind the page, the journal says so.
  func take(_ batch: Batch, _ facts: Report.Facts) throws(OutputFault) {
    do {
      try state.withLock { (state) throws(EmitFault) in
        if let fault = state.fault { throw fault }
        try state.file.write(batch.lines)
        guard !batch.marks.isEmpty else { return }
        try state.file.commit { JournalLine.commit($0, facts, batch.marks, seen) }
        state.isBegun = true
      }
    } catch {
      throw OutputFault(error)
    }
  }

  /// A file has no reader that could leave.
  var isReaderGone: Bool { false }

  // MARK: What stages hand each other

  /// Input records of a stage, of a page that may go on. False when they could not be kept.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool {
    lines.isEmpty || note(JournalLine.keep(lines, for: stage))
  }

  /// All of a page was kept, and so is where the stages before stand behind it.
  func kept(from start: Int, count: Int, for stage: Int, _ marks: [StageMark], _ facts: Report.Facts) -> Bool {
    note(JournalLine.kept(from: start, count: count, for: stage, (marks, facts, seen)))
  }

  func reject(_ line: JSONValue, stage: Int, record: Int) {
    _ = note(JournalLine.reject(line, stage: stage, record: record))
  }

  /// No other record may have the path of a file that is saved.
  func saved(_ hash: Int, stage: Int, record: Int) {
    _ = note(JournalLine.saved(hash, stage: stage, record: record))
  }

  /// A fault comes out of what the run's own task does next.
  private func note(_ line: [UInt8]) -> Bool {
    state.withLock { state in
      guard state.fault == nil else { return false }
      do throws(EmitFault) {
        try state.file.note(line)
        state.isBegun = true
        if state.file.isJournalLarge { try compact(&state.file) }
        return true
      } catch {
        state.fault = error
        return false
      }
    }
  }

  /// Writes the journal anew, without what is through.
  private func compact(_ file: inout ExportFile) throws(EmitFault) {
    var state = JournalState(spool: spool)
    try state.read(place, upTo: nil, calls)
    try file.replaceJournal { (journal) throws(EmitFault) in
      try journal.write(header.json.line)
      try state.write(to: &journal)
    }
  }

  // MARK: The end

  func finish(_ verdict: Verdict, appending: Bool) throws(OutputFault) {
    try change { (state) throws(EmitFault) in
      try state.file.finish(appending: appending) { JournalLine.finished(verdict, $0, onto: $1) }
    }
  }

  func tidy() throws(OutputFault) {
    try change { (state) throws(EmitFault) in try state.file.tidy() }
  }

  /// Nobody could go on from where nothing was committed. Gives what was left to be gone on with.
  func leave() throws(OutputFault) -> LeftFile? {
    let place = place
    return try change { (state) throws(EmitFault) in
      guard state.isBegun else {
        try state.file.discard()
        return nil
      }
      try state.file.sync()
      return LeftFile(path: place.path, part: place.part)
    }
  }

  private func change<Result: Sendable>(
    _ body: (inout State) throws(EmitFault) -> Result
  ) throws(OutputFault) -> Result {
    do {
      return try state.withLock { (state) throws(EmitFault) in
        if let fault = state.fault { throw fault }
        return try body(&state)
      }
    } catch {
      throw OutputFault(error)
    }
  }
}

/// What is there instead of a file that could not be completed.
package struct LeftFile: Sendable {
  package let path: String
  package let part: String
}
