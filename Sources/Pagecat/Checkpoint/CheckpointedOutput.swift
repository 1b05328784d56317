// `-o FILE`: records go into a part beside FILE, and where the run stands goes into a journal beside that.

import Files
import JSONText
import Synchronization
import Wire

/// The file of a run, and what is written down to go on with the run. All stages share it.
final class CheckpointedOutput: RecordSink, Sendable {
  private struct State: ~Copyable {
    var file: ExportFile
    /// What went wrong where nobody could be told.
    var fault: FileError?
    /// Whether there is anything to go on with.
    var isBegun: Bool
  }

  private let state: Locked<State>
  private let place: OutputPath
  private let header: JournalHeader
  private let calls: SystemCalls
  private let spool: @Sendable () -> Spool
  private let seen: HighWaterMarks

  /// - Parameter left: what an interrupted run has left, to be gone on with. What it keeps has been copied then.
  init(
    _ place: OutputPath, _ header: JournalHeader, _ interrupted: InterruptedRun?, _ seen: HighWaterMarks,
    calls: SystemCalls,
    spool: @escaping @Sendable () -> Spool
  ) throws(OutputError) {
    self.place = place
    self.header = header
    self.calls = calls
    self.spool = spool
    self.seen = seen
    do {
      let file = try ExportFile(place, resuming: interrupted?.part, calls: calls) { (journal) throws(FileError) in
        try journal.write(header.json.line)
        try interrupted?.state.write(to: &journal)
      }
      state = Locked(State(file: file, isBegun: interrupted != nil))
    } catch {
      throw OutputError(error)
    }
  }

  // MARK: Records

  /// A file has no reader.
  func mayWait(toTake batch: Batch) -> Bool { false }

  /// Records of a page go into the part; behind the page, the journal says so.
  func take(_ batch: Batch, _ counters: Report.Counters) throws(OutputError) {
    do {
      try state.withLock { (state) throws(FileError) in
        if let fault = state.fault { throw fault }
        try state.file.write(batch.lines)
        guard !batch.progress.isEmpty else { return }
        try state.file.commit { JournalLine.commit($0, counters, batch.progress, seen) }
        state.isBegun = true
      }
    } catch {
      throw OutputError(error)
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
  func kept(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: Report.Counters)
    -> Bool
  {
    note(JournalLine.kept(from: start, count: count, for: stage, (progress, counters, seen)))
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
      do throws(FileError) {
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
  private func compact(_ file: inout ExportFile) throws(FileError) {
    var state = JournalState(spool: spool)
    try state.read(place, upTo: nil, calls)
    try file.replaceJournal { (journal) throws(FileError) in
      try journal.write(header.json.line)
      try state.write(to: &journal)
    }
  }

  // MARK: The end

  func finish(_ verdict: Verdict, appending: Bool) throws(OutputError) {
    try change { (state) throws(FileError) in
      try state.file.finish(appending: appending) { JournalLine.finished(verdict, $0, onto: $1) }
    }
  }

  func tidy() throws(OutputError) {
    try change { (state) throws(FileError) in try state.file.tidy() }
  }

  /// Nobody could go on from where nothing was committed. Gives what was left to be gone on with.
  func leave() throws(OutputError) -> InterruptedFile? {
    let place = place
    return try change { (state) throws(FileError) in
      guard state.isBegun else {
        try state.file.discard()
        return nil
      }
      try state.file.sync()
      return InterruptedFile(path: place.path, part: place.part)
    }
  }

  private func change<Result: Sendable>(
    _ body: (inout State) throws(FileError) -> Result
  ) throws(OutputError) -> Result {
    do {
      return try state.withLock { (state) throws(FileError) in
        if let fault = state.fault { throw fault }
        return try body(&state)
      }
    } catch {
      throw OutputError(error)
    }
  }
}
