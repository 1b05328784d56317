// The files of a run, from locking to renaming.

import Diagnostics
import Files
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Wire

/// The files of a run besides a recording, and those that the previous run left.
final class RunFiles: Sendable {
  private struct Open: Sendable {
    var held: OutputLocks?
    /// The resumed run, if only its cleanup was missing.
    var finished: FinishedRun?
    var state: StateFile?
    var checkpointedOutput: CheckpointedOutput?
    var rejects: RejectsFile?
    /// True if every file is in place, so that only the journal must be removed.
    var isClosed = false
    /// True if the journal stays, to show that the run is done.
    var staysDone = false
    /// True if the run resumes nothing after all.
    var isAnew = false
  }

  private let destination: Destination
  private let jobs: [Job]
  /// Names of jobs whose mark stands for all input records, while `--from` gives only some.
  private let partlyFed: [String]
  /// Digest of standard input, by which a later run can tell that this run is done.
  let digest: InputDigest?
  private let open: Locked<Open>
  /// The interrupted run to resume.
  let interrupted: InterruptedRun?
  /// A previous run that was complete except for its cleanup.
  private let previousRun: FinishedRun?
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
    partlyFed = isFromStep ? jobs.filter { $0.incremental?.by.isEmpty == true }.map(\.name) : []
    self.destination = destination
    digest = destination.staysDone ? InputDigest() : nil
    let (held, calls) = (try OutputLocks(destination), destination.calls)
    let spool = Self.spool(beside: held.output, environment)
    self.spool = spool
    let state = try held.state.map { try StateFile($0, calls) }
    tokens = try held.tokens.map { try TokenFile($0, calls) }
    let previousRun = try held.output.flatMap { try FinishedRun($0, calls, spool: spool) }
    let isLeft = destination.isResumed && previousRun == nil
    interrupted = isLeft ? try held.output.flatMap { try InterruptedRun($0, calls, spool: spool) } : nil
    self.previousRun = previousRun
    tracker = destination.position.map { _ in PositionTracker() }
    position = try destination.position?.resumed.map { json in
      guard let position = RunPosition(json) else { throw RunPosition.Mismatch(differences: ["its form"]) }
      return position
    }
    seen = HighWaterMarks(of: jobs, resuming: interrupted?.state.marks ?? position?.json["marks"])
    open = Locked(Open(held: held, state: state))
  }

  private static func spool(
    beside output: OutputPath?, _ environment: Environment
  ) -> @Sendable () -> Spool {
    guard let folder = output?.folder else { return { Spool(environment: environment) } }
    // The disk of the output has room for pages as well. Memory must not grow with their size.
    return { Spool(memoryLimit: 8 << 20, folder: folder, environment: environment) }
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
    let (place, isAnew) = open.withLock { ($0.held?.output, $0.isAnew) }
    guard let interrupted, let place, !isAnew else { return nil }
    let count = interrupted.state.commit?["records"]?.integer ?? 0
    return WrittenRecords(place: place, part: interrupted.part, count: count, calls: destination.calls)
  }

  /// Drops what the resumed run has left, so that this run begins anew.
  func beginAnew() throws(FileError) {
    let (output, rejects) = open.withLock { ($0.checkpointedOutput, $0.rejects) }
    try output?.beginAnew()
    seen.forget()
    tracker?.forget()
    if let place = destination.rejects.map({ OutputPath($0, calls: destination.calls) }) {
      try FileError.of("--rejects") { () throws(FileError) in
        try rejects?.beginAnew { () throws(FileError) in
          try RejectsFile.begin(place, resuming: [], calls: destination.calls)
        }
      }
    }
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
    guard let state = open.withLock({ $0.state }) else { return destination.marks }
    return Dictionary(state.marks.map { ($0.name, $0.value) }) { $1 }
  }

  /// Returns the marks to save after this run.
  ///
  /// - Throws: `FileError` if the marks can't be saved, or if the next run could not use them.
  func nextMarks(_ check: MarkCheck) throws(FileError) -> [(name: String, value: JSONValue)] {
    if let name = seen.secretJob {
      throw .failed("cannot save the mark of '\(name)': it has a secret in it; let 'mark' or 'by' name another member")
    }
    let all = seen.all(beside: since.map { (name: $0.key, value: $0.value) })
      .filter { !partlyFed.contains($0.name) }
    try check.check(all)
    return all
  }

  /// Does the cleanup of a previous complete run: deletes its remaining files, and saves its marks.
  ///
  /// The marks are saved only if the records stay: with `--resume` they belong to this run, and with `--append` the
  /// file keeps them. Otherwise this run fetches these records again.
  ///
  /// A run with another spec drops the marks, and a warning says so.
  ///
  /// - Returns: true if `since` has changed.
  /// - Throws: `SpecError` if the run to resume is a different one, or if this run would append the same records again;
  ///   `FileError` if the marks can't be saved.
  func cleanUpPreviousRun(
    as header: @autoclosure () -> JournalHeader, _ check: MarkCheck, _ warn: (String) -> Void
  ) throws -> Bool {
    guard let previousRun, let place = open.withLock({ $0.held })?.output else { return false }
    let known = since
    let marks = previousRun.isComplete ? Array((previousRun.state.marks ?? .null).members) : []
    let wanted = MarkSet(JSONValue(members: marks.map { ($0.name, $0.value) }))
    let isKnown = MarkSet(JSONValue(members: known.map { ($0.key, $0.value) })).contains(wanted)
    let header = header()
    let differences = header.differences(from: previousRun.header, isRemembered: !marks.isEmpty && isKnown)
    let isContinued = destination.isResumed && differences.isEmpty
    var state = open.withLock { $0.state }
    let isUnsaved = state != nil && !isKnown && (isContinued || destination.isAppended)
    if isUnsaved, !differences.isEmpty {
      let problem = unsavedMark(of: place)
      // Whoever corrects the spec can't repeat the run's command.
      guard !destination.isResumed, !header.hasSameSpecs(as: previousRun.header) else {
        throw SpecError(messages: [
          "\(problem): repeat that run's command, or remove '\(place.journal.printable)' to discard the mark; "
            + differences.joined(separator: "; ")
        ])
      }
      warn(
        "\(problem): the mark is dropped, since the spec asks for something else now; this run may append the same records "
          + "again")
    }
    let isRemembered = isUnsaved && differences.isEmpty
    let isRepeated = !isContinued && differences.isEmpty && previousRun.size > 0 && !previousRun.staysDone
    // With a mark to save, the repetition continues after the records of the previous run.
    if destination.isAppended, isRepeated, marks.isEmpty || state == nil { throw secondAppend(to: place) }
    if isRemembered {
      let seen = HighWaterMarks(of: jobs, resuming: previousRun.state.marks)
      let all = seen.all(beside: known.map { (name: $0.key, value: $0.value) })
      try check.check(all)
      try state?.save(all)
    }
    // The journal stays until this run ends, since it shows that the previous run is done.
    if !isContinued { try place.tidy(calls: destination.calls) }
    open.withLock { ($0.state, $0.finished) = (state, isContinued ? previousRun : nil) }
    return isRemembered
  }

  private func unsavedMark(of place: OutputPath) -> String {
    "the previous run wrote '\(place.path.printable)', and was ended before it saved its mark in "
      + "'\(destination.state?.printable ?? "")'"
  }

  private func secondAppend(to place: OutputPath) -> SpecError {
    SpecError(messages: [
      "'\(place.path.printable)' has the records of a run that was ended before it deleted its journal: add --resume to "
        + "finish that run, or remove '\(place.journal.printable)' to append the records again"
    ])
  }

  /// Checks that the saved marks belong to the jobs' requests, and returns warnings.
  func match(_ asked: [MarkSubject]) throws(SpecError) -> [String] {
    try open.withLock { (open) throws(SpecError) in try open.state?.match(asked) } ?? []
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
    // Must come after every check that can still fail: the output truncates the previous run's partial file.
    let file = try makeRejects()
    let checkpointedOutput = try finished == nil ? makeCheckpointedOutput(header()) : nil
    let rejects = RejectsFile(file, checkpointedOutput)
    open.withLock { ($0.checkpointedOutput, $0.rejects) = (checkpointedOutput, rejects) }
    return rejects
  }

  private func makeCheckpointedOutput(_ header: @autoclosure () -> JournalHeader) throws(FileError)
    -> CheckpointedOutput?
  {
    guard let place = open.withLock(\.held)?.output else { return nil }
    return try FileError.of("-o") { () throws(FileError) in
      try CheckpointedOutput(
        place, interrupted?.header ?? header(), interrupted, seen, calls: destination.calls, spool: spool)
    }
  }

  private func makeRejects() throws(FileError) -> AtomicFile? {
    let (calls, state) = (destination.calls, interrupted?.state ?? finished?.state)
    guard let place = destination.rejects.map({ OutputPath($0, calls: calls) }) else { return nil }
    return try FileError.of("--rejects") { () throws(FileError) in
      try RejectsFile.begin(place, resuming: state?.rejects ?? [], calls: calls)
    }
  }

  /// Renames the complete file and saves the marks.
  ///
  /// - Returns: the partial file to resume, if the file could not be completed.
  func close(_ counters: RunCounters, _ check: MarkCheck) throws(FileError) -> InterruptedFile? {
    let verdict = counters.verdict
    let open = self.open.withLock { $0 }
    var rest = Open()
    defer { self.open.withLock { [rest] in $0 = rest } }
    var interrupted: InterruptedFile?
    if isKept(verdict) {
      try open.checkpointedOutput?.finish(
        counters, appending: destination.isAppended, input: staysDone(verdict) ? digest : nil)
    } else {
      interrupted = try open.checkpointedOutput?.leave()
    }
    if verdict == .complete, finished == nil { try remember(open.state, check) }
    try open.rejects?.finish()
    rest = open
    (rest.isClosed, rest.staysDone) = (isKept(verdict), staysDone(verdict))
    return interrupted
  }

  /// True if a later run with `--resume` must find that everything is done.
  private func staysDone(_ verdict: Verdict) -> Bool {
    destination.staysDone && (verdict == .complete || verdict == .capped || destination.allowed.contains(verdict))
  }

  /// True if the records of a run with this verdict get the file's name.
  private func isKept(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .complete, .capped, .partial: true
    case .short: destination.allowed.contains(.short)
    case .failed: false
    }
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
    guard isDone, let held, let place = held.output else { return nil }
    try place.removePart(calls: destination.calls)
    if staysDone { return nil }
    let journal = LastJournal(place, destination.calls)
    held.release()
    return journal
  }

  /// The partial file to resume; nil if the file was renamed, or if there are no records.
  var remainingFile: InterruptedFile? {
    let calls = destination.calls
    guard let place = destination.path.map({ OutputPath($0, calls: calls) }) else { return nil }
    let isThere = [place.part, place.journal].allSatisfy { (try? OutputPath.facts(of: $0, calls: calls)) != nil }
    return isThere ? InterruptedFile(place, calls: calls) : nil
  }

  /// Clocks differ, and dates may be of another time zone.
  private static let day = 86_400

  /// Returns warnings about unexpected effects on the next run.
  ///
  /// - Parameters:
  ///   - hasRecords: true if the run wrote any records.
  ///   - start: start of the run in Unix seconds.
  func advice(_ verdict: Verdict, hasRecords: Bool, start: Int) -> [String] {
    guard let state = destination.state?.printable, finished == nil else { return [] }
    switch verdict {
    case .complete:
      return partlyFed.map {
        "'\(state)' was not updated for '\($0.printable)': its mark is that of all input records, and --from may give only "
          + "some; 'by' keeps a mark for each"
      }
        + seen.markless.map {
          "no record of '\($0.printable)' has the member that 'mark' of 'incremental' names: '\(state)' gets no mark; correct 'mark'"
        }
        + seen.ahead(of: start + Self.day).map {
          "the highest mark of '\($0.job.printable)' is \($0.mark.printable), in the future: until then the next runs may miss "
            + "what is new; see whether 'mark' names the right member, and correct the mark in '\(state)'"
        }
    case .partial, .capped:
      guard hasRecords else { return [] }
      let path = destination.isAppended ? destination.path?.printable : nil
      let effect = path.map { "appends its records to '\($0)' again" } ?? "fetches the same records again"
      return ["'\(state)' was not updated because the run is not complete: the next run \(effect)"]
    case .short where isKept(verdict):
      return ["'\(state)' was not updated because records are missing"]
    case .short, .failed: return []
    }
  }

  /// Saves the marks of the run; must come after the output is safe.
  private func remember(_ state: StateFile?, _ check: MarkCheck) throws(FileError) {
    guard var state else { return }
    try state.save(try nextMarks(check))
  }
}

extension Resumption {
  fileprivate init(_ header: JournalHeader, _ state: JournalState, isAtEnd: Bool) {
    self.init(
      start: Timestamp(clamping: Double(header.start)).rfc3339.replacing(".000", with: ""),
      records: state.commit?["records"]?.integer ?? 0, isAtEnd: isAtEnd)
  }
}
