// The files of a run, from locking to renaming.

import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire

/// The files of a run besides a recording, and those that the previous run left.
final class RunFiles: Sendable {
  struct Open: Sendable {
    var held: OutputLocks?
    /// How the records are compared with those of FILE, once FILE is read.
    var followed: FollowedFile?
    /// The resumed run, if only its cleanup was missing.
    var finished: FinishedRun?
    var state: StateFile?
    /// What this run makes FILE of, once that is known.
    var writer: String?
    /// The same with what FILE had when the run began; nil without FILE.
    var found: String?
    var checkpointedOutput: CheckpointedOutput?
    var rejects: RejectsFile?
    /// True if every file is in place, so that only the journal must be removed.
    var isClosed = false
    /// True if the journal stays, to show that the run is done.
    var staysDone = false
    /// True if the run resumes nothing after all.
    var isAnew = false
    /// What the run changed in FILE, once FILE has its records.
    var changes: RecordChanges?
  }

  let destination: Destination
  let jobs: [Job]
  /// Marks that the last page has, by the names of their jobs.
  private let answerMarks: [String: String]
  /// Names of jobs whose mark stands for all input records, while `--from` gives only some.
  let partlyFed: [String]
  /// True if the records of `--from` are the input.
  private let isFromStep: Bool
  /// How the records are compared with those of FILE; nil without `--merge` and `--changes`.
  private let followed: FollowedFile?
  /// Digest of standard input, by which a later run can tell that this run is done.
  let digest: InputDigest?
  let open: Locked<Open>
  /// The interrupted run to resume.
  let interrupted: InterruptedRun?
  /// The verdict of a run that was to be resumed, and that reached its end without FILE getting its records.
  let ended: Verdict?
  /// A previous run that was complete except for its cleanup.
  let previousRun: FinishedRun?
  /// The position to resume, for a caller that keeps it.
  let position: RunPosition?
  /// Finds the positions of the run, for such a caller.
  let tracker: PositionTracker?
  /// Creates the spool that holds a page until it is whole.
  let spool: @Sendable () -> Spool
  /// The refresh tokens of earlier runs, and those of this run.
  let tokens: TokenFile?
  /// The highest marks of this run.
  let seen: HighWaterMarks

  /// Locks the files, and reads the remains of a previous run.
  ///
  /// - Parameter isFromStep: true if the records of `--from` are the input.
  /// - Throws: `FileError` if another run holds a file, `SpecError` if the previous run can't be resumed.
  init(_ destination: Destination, of specs: [Spec], isFromStep: Bool, environment: Environment) throws {
    jobs = specs.flatMap(\.jobs)
    answerMarks = jobs.reduce(into: [:]) { marks, job in
      if job.savesMark, case .answer(let template)? = job.incremental?.mark { marks[job.name] = template.spelling }
    }
    partlyFed = isFromStep ? jobs.filter { $0.hasOwnMark && $0.incremental?.by.isEmpty == true }.map(\.name) : []
    self.isFromStep = isFromStep
    self.destination = destination
    followed = try FollowedFile(destination, jobs.last)
    digest = destination.staysDone ? InputDigest() : nil
    let (held, calls) = (try OutputLocks(destination), destination.calls)
    let spool = Self.spool(beside: held.output, environment)
    self.spool = spool
    let state = try held.state.map { try StateFile($0, calls) }
    tokens = try held.tokens.map { try TokenFile($0, calls) }
    let previousRun = try held.output.flatMap { try FinishedRun($0, calls, spool: spool) }
    let isLeft = destination.isResumed && previousRun == nil
    let left = isLeft ? try held.output.flatMap { try InterruptedRun($0, calls, spool: spool) } : nil
    // A run that reached its end has nothing more to fetch: only another decision about its verdict can use its records.
    ended = left?.state.ended.flatMap { destination.ending(with: $0).keepsRecords ? nil : $0 }
    interrupted = ended == nil ? left : nil
    self.previousRun = previousRun
    tracker = destination.position.map { _ in PositionTracker() }
    position = try destination.position?.resumed.map { json in
      guard let position = RunPosition(json) else { throw RunPosition.Mismatch(differences: ["its form"]) }
      return position
    }
    seen = HighWaterMarks(
      of: jobs, resuming: interrupted?.state.marks ?? position?.json["marks"],
      interrupted?.state.recordsAtMarks ?? RecordsAtMarks(),
      saved: state?.records ?? RecordsAtMarks())
    open = Locked(Open(held: held, state: state))
  }

  private static func spool(
    beside output: OutputPath?, _ environment: Environment
  ) -> @Sendable () -> Spool {
    // The disk of the output has room for pages as well. Memory must not grow with their size.
    let (memory, limit) = (SpoolMemory(), output == nil ? 64 << 20 : 8 << 20)
    return { Spool(memoryLimit: limit, sharing: memory, folder: output?.folder, environment: environment) }
  }

  /// The file for the records, after `begin` has opened it; nil for standard output.
  var checkpointedOutput: CheckpointedOutput? { open.withLock { $0.checkpointedOutput } }

  /// The resumed run, if only its cleanup was missing.
  var finished: FinishedRun? { open.withLock { $0.finished } }

  /// Takes the progress of the run's stages; nil for a run that can't be resumed.
  var progressLog: (any ProgressLog)? { checkpointedOutput ?? tracker }

  /// The state of the run that is resumed, from its journal or a position.
  var resumed: JournalState? {
    if open.withLock(\.isAnew) { return nil }
    return interrupted?.state ?? position.map { JournalState($0, spool: spool) }
  }

  /// The records that the resumed run has written; nil for a new run.
  var written: WrittenRecords? {
    let (outputPath, isAnew) = open.withLock { ($0.held?.output, $0.isAnew) }
    guard let interrupted, let outputPath, !isAnew else { return nil }
    let count = interrupted.state.commit?["records"]?.integer ?? 0
    return WrittenRecords(
      outputPath: outputPath, format: destination.format, part: interrupted.part, count: count, calls: destination.calls
    )
  }

  /// Drops what the resumed run has left, so that this run begins anew.
  func beginAnew() throws(FileError) {
    let (output, rejects) = open.withLock { ($0.checkpointedOutput, $0.rejects) }
    try output?.beginAnew()
    seen.forget()
    tracker?.forget()
    try rejects?.beginAnew { () throws(FileError) in try makeRejects(resuming: []) }
    open.withLock { $0.isAnew = true }
  }

  /// Start of the run that is resumed, in Unix seconds.
  var start: Int? { interrupted?.header.start ?? position?.start }

  /// The point at which the run resumes; nil for a new run.
  var resumption: Resumption? {
    if let finished { return Resumption(finished.header, finished.state, isAtEnd: true) }
    if open.withLock(\.isAnew) { return nil }
    return interrupted.map { Resumption($0.header, $0.state, isAtEnd: false) }
  }

  /// The highest marks of the last run, by job.
  var since: [String: JSONValue] {
    let open = self.open.withLock { $0 }
    guard let state = open.state else { return destination.marks }
    let marks = Dictionary(state.marks.map { ($0.name, $0.value) }) { $1 }
    guard open.writer != nil else { return marks }
    // An answer that nothing has changed says nothing of a FILE that is not what the run of the mark has left.
    let others = jobs.filter { $0.asksIfChanged && (open.found == nil || open.found != state.writer(of: $0.name)) }
    return marks.filter { name, _ in !others.contains { $0.name == name } }
  }

  /// Returns the identity of a run with these files.
  func header(_ specs: [Spec], _ plan: RunPlan, _ options: RunOptions, start: Int) -> JournalHeader {
    JournalHeader(specs, plan, options, destination, since: since, start: start)
  }

  /// Returns the plan of the run, with the marks of what FILE has.
  func plan(_ specs: [Spec], _ options: RunOptions, start: Int) throws -> RunPlan {
    let plan = try RunPlan(specs, options, start: start, since: since)
    guard destination.state != nil, jobs.contains(where: \.asksIfChanged) else { return plan }
    let writer = JournalHeader(specs, plan, options, destination, since: [:], start: start).writer
    let found = identity(of: writer)
    open.withLock { ($0.writer, $0.found) = (writer, found) }
    return try RunPlan(specs, options, start: start, since: since)
  }

  /// Returns what FILE is made of, with what it has now; nil without FILE.
  ///
  /// A run that is capped, one without the state, or any other program may have replaced it.
  private func identity(of writer: String) -> String? {
    guard let outputPath = open.withLock({ $0.held })?.output else { return writer }
    let receipt = (try? FileReceipt(of: outputPath.path, calls: destination.calls)) ?? nil
    return receipt.map { "\(writer) \($0.sha256)" }
  }

  /// True if all that was to be fetched is as it was, so that FILE stays, whatever the verdict on no records is.
  func isUnchanged(_ counters: RunCounters) -> Bool {
    counters.records == 0 && counters.statuses[304] ?? 0 > 0
      && jobs.contains { $0.asksIfChanged && since[$0.name] != nil }
  }

  /// The pagers that jobs with `pages: auto` chose in the last run.
  var chosenPages: [String: ChosenPages] {
    open.withLock { $0.state?.chosenPages } ?? ChosenPages.all(in: destination.chosenPages)
  }

  /// Returns the marks to save of those that a run has seen, and the records at them.
  ///
  /// - Throws: `FileError` if the marks can't be saved, or if the next run could not use them.
  func marksToSave(
    of seen: HighWaterMarks, _ check: MarkCheck
  ) throws(FileError) -> (marks: [(name: String, value: JSONValue)], records: RecordsAtMarks) {
    if let name = seen.secretJob {
      throw .failed("cannot save the mark of '\(name)': it has a secret in it; let 'mark' or 'by' name another member")
    }
    var (marks, records) = seen.kept(beside: since)
    marks.removeAll { partlyFed.contains($0.name) }
    for name in partlyFed { records.jobs[name] = nil }
    try check.check(marks)
    return (marks, records)
  }

  /// Creates the files of a new run, or opens those of the resumed one.
  ///
  /// - Throws: `FileError`; `SpecError` if the interrupted run differs from this one; `RunPosition.Mismatch` if the run
  ///   of the position does.
  func begin(as header: @autoclosure () -> JournalHeader) throws -> RejectsFile {
    if let request = destination.position {
      let identity = RunPosition.identity(of: header(), request)
      let differences = position?.differences(from: identity) ?? []
      guard differences.isEmpty else { throw RunPosition.Mismatch(differences: differences) }
      tracker?.begin(as: identity)
    }
    if let interrupted, finished == nil {
      let differences = header().differences(from: interrupted.header)
      guard differences.isEmpty else {
        throw SpecError(
          messages: differences.map { "--resume: \($0); undo the change, or run without --resume to start over" })
      }
    }
    if finished == nil, var followed, let outputPath = open.withLock(\.held)?.output {
      try FileError.of("-o") { () throws(FileError) in try followed.check(outputPath, destination.calls) }
      open.withLock { [followed] in $0.followed = followed }
    }
    if finished == nil { try destination.checkFormat() }
    // Must come after every check that can still fail: the output truncates the previous run's partial file.
    let rejected = (interrupted?.state ?? finished?.state)?.rejects ?? []
    let file = try makeRejects(resuming: rejected)
    let checkpointedOutput = try finished == nil ? makeCheckpointedOutput(header()) : nil
    let rejects = RejectsFile(file, resuming: rejected, checkpointedOutput)
    open.withLock { ($0.checkpointedOutput, $0.rejects) = (checkpointedOutput, rejects) }
    return rejects
  }

  private func makeCheckpointedOutput(_ header: @autoclosure () -> JournalHeader) throws(FileError)
    -> CheckpointedOutput?
  {
    guard let outputPath = open.withLock(\.held)?.output else { return nil }
    return try FileError.of("-o") { () throws(FileError) in
      try CheckpointedOutput(
        outputPath, as: destination.format, interrupted?.header ?? header(), interrupted, seen,
        calls: destination.calls,
        spool: spool)
    }
  }

  private func makeRejects(resuming lines: [JSONValue]) throws(FileError) -> AtomicFile? {
    guard let path = destination.rejects else { return nil }
    return try FileError.of("--rejects") { () throws(FileError) in
      try RejectsFile.begin(OutputPath(path, calls: destination.calls), resuming: lines, calls: destination.calls)
    }
  }

  /// Renames the complete file and saves the marks.
  ///
  /// - Parameter part: returns the part of FILE in its manifest.
  /// - Returns: the partial file to resume, if the file could not be completed.
  func close(
    _ counters: RunCounters, _ check: MarkCheck, _ part: (_ name: String) -> ExportManifest.Part
  ) throws(FileError) -> InterruptedFile? {
    let verdict = counters.verdict
    let ending = destination.ending(with: verdict)
    let open = self.open.withLock { $0 }
    var rest = Open()
    defer { self.open.withLock { [rest] in $0 = rest } }
    var interrupted: InterruptedFile?
    // The receipt for what is missing comes before the records and the marks.
    try open.rejects?.finish()
    let input = staysDone(verdict) ? digest : nil
    // The manifest precedes FILE: it fits no other file than the one that is about to be there.
    func look(_ path: String) throws(FileError) {
      try destination.manifest?.write(with: part(destination.fileName), at: path, calls: destination.calls)
    }
    var changes: RecordChanges?
    if ending.keepsRecords {
      let stays = isUnchanged(counters)
      changes = try open.checkpointedOutput?.finish(
        counters, following: open.followed, isWhole: verdict == .complete && seesAll && !stays,
        appending: destination.isAppended || stays, input: input, look)
    } else {
      interrupted = try open.checkpointedOutput?.leave(endedAs: verdict == .failed ? nil : verdict)
    }
    // A run that was over had FILE in its place, but perhaps no manifest.
    if ending.keepsRecords, open.finished != nil, let path = destination.path { try look(path) }
    // The output is safe.
    if ending.savesMarks, finished == nil, var state = open.state {
      try state.save(try marksToSave(of: seen, check), counters.chosenPages, by: writers)
    }
    rest = open
    (rest.isClosed, rest.staysDone, rest.changes) = (ending.keepsRecords, staysDone(verdict), changes)
    return interrupted
  }

  /// Says in the manifest that the run failed after it was written.
  func amendManifest(_ part: (_ name: String) -> ExportManifest.Part) {
    destination.manifest?.amend(
      with: part(destination.fileName), at: destination.path ?? "", calls: destination.calls)
  }

  /// True if a run that is complete has seen every record: it asked for more than what is new, and had all its input.
  private var seesAll: Bool {
    !isFromStep && !jobs.askForNews(since: since)
  }

  /// True if the records are compared with those of FILE.
  var isFollowed: Bool { followed != nil }

  /// What the run changed in FILE; nil before its end, and without `--merge` and `--changes`.
  var changes: RecordChanges? { open.withLock(\.changes) }

  /// Returns the error of the first record that FILE can't be searched for; nil if there is none.
  func fault(in batch: Batch, after before: Int, of job: String, hiding secrets: SecretStore) -> NetworkingError? {
    followed?.fault(in: batch.lines, after: before, of: job, hiding: secrets)
  }

  /// True if a later run with `--resume` must find that everything is done.
  private func staysDone(_ verdict: Verdict) -> Bool {
    destination.staysDone && destination.ending(with: verdict).keepsRecords
      && (verdict == .complete || verdict == .capped || destination.allowed.contains(verdict))
  }

  /// Returns the verdicts that are no failure: none that keeps the records from FILE.
  func allowed(with verdict: Verdict) -> Set<Verdict> {
    destination.path == nil || destination.ending(with: verdict).keepsRecords ? destination.allowed : []
  }

  /// Releases the locks, and returns the journal of a complete run, which must be removed.
  ///
  /// Must come after everything else. A run with `--append` adds the same records again once the journal is removed.
  func release() throws(FileError) -> LastJournal? {
    let (isDone, staysDone, held) = open.withLock { open in
      defer { open = Open() }
      let isDone = open.isClosed && (open.checkpointedOutput != nil || open.finished != nil)
      return (isDone, open.staysDone, open.held)
    }
    tokens?.close()
    guard isDone, let held, let outputPath = held.output else { return nil }
    try outputPath.removePart(calls: destination.calls)
    if staysDone { return nil }
    let journal = LastJournal(outputPath, destination.calls)
    held.release()
    return journal
  }

  /// The partial file to resume; nil if the file was renamed, or if there are no records.
  var remainingFile: InterruptedFile? {
    let calls = destination.calls
    guard let outputPath = destination.path.map({ OutputPath($0, calls: calls) }) else { return nil }
    let isThere = [outputPath.part, outputPath.journal].allSatisfy {
      (try? OutputPath.metadata(of: $0, calls: calls)) != nil
    }
    return isThere ? InterruptedFile(outputPath, calls: calls) : nil
  }

  /// True if the run replaces a file that is not empty.
  var replacesLines: Bool { finished == nil && destination.replacesLines }

  /// Returns warnings about unexpected effects on the next run.
  ///
  /// - Parameter hasRecords: true if the run wrote any records.
  func advice(_ verdict: Verdict, hasRecords: Bool) -> [String] {
    guard let state = destination.state?.printable, finished == nil else { return [] }
    let ending = destination.ending(with: verdict)
    if ending.savesMarks {
      return partlyFed.map {
        "'\(state)' was not updated for '\($0.printable)': its mark is that of all input records, and --from may give only "
          + "some; 'by' keeps a mark for each"
      }
        + seen.markless.map { name in
          let lack =
            answerMarks[name].map { "the last page of '\(name.printable)' has no '\($0.printable)'" }
            ?? "no record of '\(name.printable)' has the member that 'mark' of 'incremental' names"
          return "\(lack): '\(state)' gets no mark; correct 'mark'"
        }
        + seen.later.map {
          "a mark of '\($0.job.printable)' is \($0.mark.printable), in the future: '\(state)' gets the highest that is not; see "
            + "whether 'mark' names the right member"
        }
        + seen.crowded.map {
          "more than \(RecordHashes.limit) records of '\($0.printable)' have the highest mark: the next run may fetch some of them "
            + "again; let 'mark' name a member with finer steps"
        }
    }
    guard verdict == .partial || verdict == .capped, hasRecords else { return [] }
    let remedy =
      verdict == .partial ? "; --rejects FILE keeps the input records that failed, and then the mark is saved" : ""
    let path = ending.keepsRecords ? nil : destination.path?.printable
    let appended = path.map { "nothing was appended to '\($0)', and " } ?? ""
    return [
      "\(appended)'\(state)' was not updated because the run is not complete: the next run fetches the same records again"
        + remedy
    ]
  }

  /// What this run makes FILE of, for each list that a later run asks for only if it has changed.
  var writers: [String: String] {
    guard let writer = open.withLock(\.writer).flatMap(identity) else { return [:] }
    return jobs.reduce(into: [:]) { writers, job in if job.asksIfChanged { writers[job.name] = writer } }
  }
}

extension Resumption {
  fileprivate init(_ header: JournalHeader, _ state: JournalState, isAtEnd: Bool) {
    self.init(
      start: Timestamp(clamping: Double(header.start)).rfc3339.replacing(".000", with: ""),
      records: state.commit?["records"]?.integer ?? 0, isAtEnd: isAtEnd)
  }
}
