// The files of a run, from their locks to their names.

import Diagnostics
import Files
import JSONText
import PipelineSpec
import Synchronization
import Wire

/// What a run leaves on the disk besides a recording, and what the one before it has left.
final class RunFiles: Sendable {
  private struct Open: Sendable {
    var held: OutputLocks?
    /// What was to be gone on with, and had nothing left to do.
    var finished: FinishedRun?
    var state: StateFile?
    var checkpointedOutput: CheckpointedOutput?
    var rejects: RejectsFile?
  }

  private let destination: Destination
  private let open: Locked<Open>
  /// What is to be gone on with.
  let interrupted: InterruptedRun?
  /// A run that was over, but for tidying up.
  private let over: FinishedRun?
  /// Where a page waits to be whole.
  let spool: @Sendable () -> Spool
  /// The highest marks of this one.
  let seen: HighWaterMarks

  /// Locks the files, and looks at what is there.
  ///
  /// - Throws: `OutputError` when another run holds one of them, `SpecError` when what was left can't be gone on with.
  init(_ destination: Destination, environment: Environment) throws {
    self.destination = destination
    let (held, calls) = (try OutputLocks(destination), destination.calls)
    let spool = Self.spool(beside: held.output, environment)
    self.spool = spool
    let state = try held.state.map { try StateFile($0, calls) }
    let over = try held.output.flatMap { try FinishedRun($0, calls, spool: spool) }
    let isLeft = destination.isResumed && over == nil
    interrupted = isLeft ? try held.output.flatMap { try InterruptedRun($0, calls, spool: spool) } : nil
    self.over = over
    seen = HighWaterMarks(resuming: interrupted?.state.marks)
    open = Locked(Open(held: held, state: state))
  }

  private static func spool(
    beside output: OutputPath?, _ environment: Environment
  ) -> @Sendable () -> Spool {
    guard let folder = output?.folder else { return { Spool(environment: environment) } }
    // Beside a file there is room for what goes into the file; memory is not to grow with its pages.
    return { Spool(memoryLimit: 8 << 20, folder: folder, environment: environment) }
  }

  /// The file that records go to, once `begin` has opened it; nil for standard output.
  var checkpointedOutput: CheckpointedOutput? { open.withLock { $0.checkpointedOutput } }

  /// What was to be gone on with, and had nothing left to do.
  var finished: FinishedRun? { open.withLock { $0.finished } }

  /// The highest marks of the last run, by job.
  var since: [String: JSONValue] {
    Dictionary((open.withLock { $0.state }?.marks ?? []).map { ($0.name, $0.value) }) { $1 }
  }

  /// Does what a run that was over had no time for: removes what it left, and remembers its marks. These only where its
  /// records stay: with `--resume` they are this run's, and with `--append` the file keeps them. Otherwise this run brings
  /// them again.
  ///
  /// - Returns: whether `since` is another one now.
  /// - Throws: `SpecError` when the marks are another run's than this one.
  func makeUp(as header: JournalHeader) throws -> Bool {
    guard let over, let place = open.withLock({ $0.held })?.output else { return false }
    let known = since
    let marks = over.isComplete ? Array((over.state.marks ?? .null).members) : []
    let isKnown = marks.allSatisfy { known[$0.name] == $0.value }
    let differences = header.differences(from: over.header, isRemembered: !marks.isEmpty && isKnown)
    let isGoneOnWith = destination.isResumed && differences.isEmpty
    var state = open.withLock { $0.state }
    let isRemembered = state != nil && !isKnown && (isGoneOnWith || destination.isAppended)
    if isRemembered, !differences.isEmpty, let path = destination.state?.printable {
      throw SpecError(messages: [
        "the run before is in '\(place.path.printable)', and its mark is not yet in '\(path)': run it once more as it was, or "
          + "remove '\(place.journal.printable)'; " + differences.joined(separator: "; ")
      ])
    }
    do {
      if isRemembered { try state?.save(marks.map { ($0.name, $0.value) }) }
      try place.tidy(calls: destination.calls)
    } catch {
      throw OutputError(error)
    }
    open.withLock { ($0.state, $0.finished) = (state, isGoneOnWith ? over : nil) }
    return isRemembered
  }

  /// Sees to it that what is remembered is of what the jobs ask. Gives what should be looked at.
  func match(_ asked: [MarkSubject]) throws(SpecError) -> [String] {
    try open.withLock { (open) throws(SpecError) in try open.state?.match(asked) } ?? []
  }

  /// Makes the files of a run that begins, or opens those of the one that is gone on with.
  ///
  /// - Throws: `OutputError`; `SpecError` when another run than this one was left.
  func begin(as header: JournalHeader) throws -> RejectsFile {
    if let interrupted, finished == nil {
      let differences = header.differences(from: interrupted.header)
      guard differences.isEmpty else {
        throw SpecError(messages: differences.map { "--resume can't go on with another run: \($0)" })
      }
    }
    // First what can fail: with the ledger that is lost which another run has left.
    let file = try makeRejects()
    let checkpointedOutput = try finished == nil ? makeLedger(header) : nil
    let rejects = RejectsFile(file, checkpointedOutput)
    open.withLock { ($0.checkpointedOutput, $0.rejects) = (checkpointedOutput, rejects) }
    return rejects
  }

  private func makeLedger(_ header: JournalHeader) throws(OutputError) -> CheckpointedOutput? {
    guard let place = open.withLock(\.held)?.output else { return nil }
    return try CheckpointedOutput(
      place, interrupted?.header ?? header, interrupted, seen, calls: destination.calls, spool: spool)
  }

  private func makeRejects() throws(OutputError) -> AtomicFile? {
    let (calls, state) = (destination.calls, interrupted?.state ?? finished?.state)
    guard let place = destination.rejects.map({ OutputPath($0, calls: calls) }) else { return nil }
    do {
      return try RejectsFile.begin(place, resuming: state?.rejects ?? [], calls: calls)
    } catch {
      throw OutputError(error)
    }
  }

  /// Renames what is whole, remembers what was seen, and lets go of the locks. Gives what is left to be gone on with.
  func close(_ verdict: Verdict, hiding secrets: SecretStore) throws(OutputError) -> InterruptedFile? {
    let open = self.open.withLock { $0 }
    defer { self.open.withLock { $0 = Open() } }
    var interrupted: InterruptedFile?
    switch verdict {
    case .complete, .capped, .partial: try open.checkpointedOutput?.finish(verdict, appending: destination.isAppended)
    case .short, .failed: interrupted = try open.checkpointedOutput?.leave()
    }
    if verdict == .complete, finished == nil { try remember(open.state, hiding: secrets) }
    do {
      try open.rejects?.finish()
    } catch {
      throw OutputError(error)
    }
    // Last, so that whatever ends the process before can be made up for.
    if verdict != .short, verdict != .failed { try open.checkpointedOutput?.tidy() }
    return interrupted
  }

  /// What stands on the disk to be gone on with; nil where the file has its name, or nothing has come.
  var remains: InterruptedFile? {
    let calls = destination.calls
    guard let place = destination.path.map({ OutputPath($0, calls: calls) }) else { return nil }
    let isThere = [place.part, place.journal].allSatisfy { (try? OutputPath.facts(of: $0, calls: calls)) != nil }
    return isThere ? InterruptedFile(path: place.path, part: place.part) : nil
  }

  /// What the next run will do that nobody may expect.
  ///
  /// - Parameter hasRecords: whether any came out.
  func advice(_ verdict: Verdict, hasRecords: Bool) -> [String] {
    guard let state = destination.state?.printable, finished == nil else { return [] }
    switch verdict {
    case .complete:
      return seen.markless.map {
        "no record of '\($0.printable)' has what 'mark' of its 'incremental' names: '\(state)' remembers nothing of it"
      }
    case .partial, .capped:
      guard destination.isAppended, hasRecords, let path = destination.path?.printable else { return [] }
      return [
        "'\(state)' stays as it was, since not all came: what was added to '\(path)' comes again with the next run"
      ]
    case .short, .failed: return []
    }
  }

  /// After the output is safe.
  private func remember(_ state: StateFile?, hiding secrets: SecretStore) throws(OutputError) {
    guard var state else { return }
    if let (name, _) = seen.all.first(where: { secrets.redacting($0.value.text) != $0.value.text }) {
      throw .failed("cannot remember the mark of '\(name)': it holds a secret")
    }
    do {
      try state.save(seen.all)
    } catch {
      throw OutputError(error)
    }
  }
}
