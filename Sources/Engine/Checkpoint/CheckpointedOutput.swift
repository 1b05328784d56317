// `-o FILE`: records go into a partial file beside FILE, and checkpoints into a journal beside that.

import Primitives
import Files
import JSONText
import Synchronization
import Wire

/// The partial file and the journal of a run, shared by all its stages.
final class CheckpointedOutput: RecordSink, ProgressLog, Sendable {
  let keepsEachBookmark = true
  let wayToStartOver = "run without --resume"

  private struct State: ~Copyable {
    var file: ExportFile
    /// The first error of a call that could not throw.
    var fault: FileError?
    /// True if there is anything to resume.
    var isBegun: Bool
  }

  private let state: Locked<State>
  private let outputPath: OutputPath
  private let header: JournalHeader
  private let calls: SystemCalls
  private let format: (any FileFormat)?
  private let spool: @Sendable () -> Spool
  private let seen: HighWaterMarks

  /// Opens the partial file and the journal.
  ///
  /// - Parameters:
  ///   - format: packs the lines; nil if the file has them as they are.
  ///   - interrupted: the interrupted run to resume; the records that it kept have been copied.
  init(
    _ outputPath: OutputPath, as format: (any FileFormat)?, _ header: JournalHeader, _ interrupted: InterruptedRun?,
    _ seen: HighWaterMarks,
    calls: SystemCalls,
    spool: @escaping @Sendable () -> Spool
  ) throws(FileError) {
    self.outputPath = outputPath
    self.format = format
    self.header = header
    self.calls = calls
    self.spool = spool
    self.seen = seen
    let file = try ExportFile(outputPath, as: format, resuming: interrupted?.part, calls: calls) {
      (journal) throws(FileError) in
      try journal.write(header.json.line)
      try interrupted?.state.write(to: &journal)
    }
    state = Locked(State(file: file, isBegun: interrupted != nil))
  }

  // MARK: Records

  /// Returns false: a file has no reader.
  func mayWait(toTake batch: Batch) -> Bool { false }

  /// Appends a batch to the partial file, and commits the batch in the journal if it ends a page.
  func take(_ batch: Batch, _ counters: RunCounters) throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      if let fault = state.fault { throw fault }
      try state.file.write(batch.lines)
      guard !batch.progress.isEmpty else { return }
      try state.file.commit { JournalLine.commit($0, counters, batch.progress, seen) }
      state.isBegun = true
    }
  }

  /// False: a file has no reader that could leave.
  var isReaderGone: Bool { false }

  // MARK: Records between stages

  /// Writes input records of a stage to the journal, before their page is complete.
  ///
  /// Returns false if that failed.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool {
    lines.isEmpty || addLine(JournalLine.keep(lines, for: stage))
  }

  /// Ends the input records of a page in the journal, and adds the progress of the previous stages.
  ///
  /// Returns false if that failed.
  func endPage(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: RunCounters)
    -> Bool
  {
    addLine(JournalLine.kept(from: start, count: count, for: stage, (progress, counters, seen)))
  }

  func reject(_ line: JSONValue, stage: Int, record: Int, isShort: Bool) {
    _ = addLine(JournalLine.reject(line, stage: stage, record: record, isShort: isShort))
  }

  /// Writes the hash of a saved file's path to the journal, so that no other record gets the path.
  func appendSavedPath(_ hash: Int, stage: Int, record: Int) {
    _ = addLine(JournalLine.saved(hash, stage: stage, record: record))
  }

  /// Appends a line to the journal.
  ///
  /// The next call that can throw reports an error.
  private func addLine(_ line: [UInt8]) -> Bool {
    state.withLock { state in
      guard state.fault == nil else { return false }
      do throws(FileError) {
        try state.file.addLine(line)
        state.isBegun = true
        if state.file.isJournalLarge { try compact(&state.file) }
        return true
      } catch {
        state.fault = error
        return false
      }
    }
  }

  /// Replaces the journal by one without finished work.
  private func compact(_ file: inout ExportFile) throws(FileError) {
    var state = JournalState(spool: spool)
    try state.read(outputPath, upTo: nil, calls)
    try file.replaceJournal { (journal) throws(FileError) in
      try journal.write(header.json.line)
      try state.write(to: &journal)
    }
  }

  /// Drops what the resumed run has written, and begins with an empty file and journal.
  func beginAnew() throws(FileError) {
    try change { (state) throws(FileError) in
      state.file = try ExportFile(outputPath, as: format, resuming: .nothing, calls: calls) {
        (journal) throws(FileError) in
        try journal.write(header.json.line)
      }
      state.isBegun = false
    }
  }

  // MARK: The end

  /// Completes the file, and returns what changed if its records are compared with those of FILE.
  ///
  /// - Parameters:
  ///   - followed: how they are compared; nil if they are not.
  ///   - isWhole: true if the run saw every record that exists.
  ///   - appending: true if FILE keeps its records, also without a merge.
  ///   - input: digest of the input, if the journal stays; the journal is then compacted.
  ///   - look: receives the path of the complete file before it becomes FILE.
  func finish(
    _ counters: RunCounters, following followed: FollowedFile?, isWhole: Bool, appending: Bool, input: InputDigest?,
    _ look: (_ path: String) throws(FileError) -> Void
  ) throws(FileError) -> RecordChanges? {
    try change { (state) throws(FileError) in
      if input != nil { try compact(&state.file) }
      var merge: RecordMerge?
      if let followed {
        try state.file.flush()
        merge = try RecordMerge(
          followed, outputPath, count: counters.records, isWhole: isWhole, spool: spool, calls)
        try merge?.run()
      }
      // The changes are in place before FILE: whoever misses them finds the old FILE, and the next run finds them again.
      if let merge, followed?.isMerged == true {
        try merge.replaceFile { (merged) throws(FileError) in
          // Syncing the file, and reading it for its manifest, may take long.
          let lookLast: (String) throws(FileError) -> Void = { (path) throws(FileError) in
            try look(path)
            try merge.checkFile()
          }
          try state.file.finish(with: &merged, lookLast) { JournalLine.finished(counters, $0, isMerged: true, input) }
        }
      } else {
        try state.file.finish(appending: appending, look) { JournalLine.finished(counters, $0, onto: $1, input) }
      }
      return merge?.counts
    }
  }

  /// Syncs the partial file and the journal, and returns them for a later resume.
  ///
  /// If nothing was committed, both are deleted, since nothing could be resumed.
  ///
  /// - Parameter verdict: the verdict of a run that reached its end, so that resuming it would fetch nothing.
  func leave(endedAs verdict: Verdict?) throws(FileError) -> InterruptedFile? {
    let outputPath = outputPath
    return try change { (state) throws(FileError) in
      guard state.isBegun else {
        try state.file.discard()
        return nil
      }
      if let verdict { try state.file.addLine(JournalLine.ended(verdict)) }
      try state.file.sync()
      // The run may stay in memory for longer than it holds the lock of FILE.
      state.file.unlock()
      return InterruptedFile(outputPath, calls: calls)
    }
  }

  private func change<Result: Sendable>(
    _ body: (inout State) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    return try state.withLock { (state) throws(FileError) in
      if let fault = state.fault { throw fault }
      return try body(&state)
    }
  }
}
