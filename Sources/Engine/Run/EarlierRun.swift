// The run before this one: what `--resume` continues of it, and what becomes of the files that it has left.

import Diagnostics
import FetchPlan
import Files
package import JSONText
package import PipelineSpec
import Primitives
import Synchronization
import Wire

/// The earlier run of a stream, which a run with the same files continues.
package struct EarlierRun: Sendable {
  /// True if nothing of it is left to do.
  package let isDone: Bool
  /// Number and hash of the input records that it has finished, as in a journal's last line.
  private let line: JSONValue
  private let job: Job

  /// Looks for the run; nil if there is none, or if this run asks for something else.
  ///
  /// - Throws: `SpecError` or `FileError` if this run can't begin.
  package init?(_ specs: [Spec], _ options: RunOptions, _ source: Source, _ destination: Destination) throws {
    guard destination.isResumed, let job = specs.first?.jobs.first else { return nil }
    let files = try RunFiles(destination, of: specs, isFromStep: false, environment: options.environment)
    guard files.previousRun != nil || files.interrupted != nil else { return nil }
    let replies = try ReplySource(specs, options, source)
    let start = files.start ?? replies.start
    let plan = try files.plan(specs, replies.options, start: start)
    guard let earlier = files.continued(by: files.header(specs, plan, replies.options, start: start)) else {
      return nil
    }
    (isDone, self.job) = (earlier.isDone, job)
    line = earlier.state.finished ?? Self.line(earlier.state.checkpoints[0])
  }

  /// The run of a position; nil if the value is none of this version.
  package init?(_ specs: [Spec], at position: JSONValue) {
    guard let job = specs.first?.jobs.first, let position = RunPosition(position) else { return nil }
    (isDone, self.job) = (false, job)
    line = Self.line(JournalState(position) { Spool() }.checkpoints[0])
  }

  private static func line(_ checkpoint: StageCheckpoint?) -> JSONValue {
    JSONValue(members: [
      ("inputs", JSONValue(checkpoint?.done ?? 0)), ("inputHash", JSONValue(checkpoint?.inputHash ?? 0)),
    ])
  }

  /// True if an input begins with the records that the run has finished, and has no others if these were all.
  package func fits(_ input: Input) async -> Bool {
    let report = Report(warn: { _ in }, tell: { _, _ in })
    let stage = InputStage(
      input, job: job.name, lineLimit: job.bodyLimit, report: report, secrets: SecretStore())
    let fits = await stage.hasRecords(of: line)
    await stage.stop()
    return fits
  }
}

extension RunFiles {
  /// Returns the state of the earlier run that a run with this header continues; nil if it begins anew.
  func continued(by header: JournalHeader) -> (state: JournalState, isDone: Bool)? {
    guard destination.isResumed else { return nil }
    if let previousRun {
      let (marks, isKnown) = marks(of: previousRun)
      let differences = header.differences(from: previousRun.header, isRemembered: !marks.isEmpty && isKnown)
      return differences.isEmpty ? (previousRun.state, true) : nil
    }
    return interrupted.flatMap { header.differences(from: $0.header).isEmpty ? ($0.state, false) : nil }
  }

  /// Returns the marks that a previous run has left to save, and whether they are saved.
  private func marks(of run: FinishedRun) -> (marks: MarkSet, areKnown: Bool) {
    let isAccepted = run.verdict.map(destination.accepts) == true
    var marks = MarkSet(isAccepted ? run.state.marks : nil)
    for name in partlyFed { marks.jobs[name] = nil }
    return (marks, MarkSet(JSONValue(members: since.map { ($0.key, $0.value) })).contains(marks))
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
    guard let previousRun, let outputPath = open.withLock({ $0.held })?.output else { return false }
    let header = header()
    let (marks, isKnown) = self.marks(of: previousRun)
    let differences = header.differences(from: previousRun.header, isRemembered: !marks.isEmpty && isKnown)
    let isContinued = destination.isResumed && differences.isEmpty
    var state = open.withLock { $0.state }
    let isUnsaved = state != nil && !isKnown && (isContinued || destination.isAppended)
    if isUnsaved, !differences.isEmpty {
      let problem = unsavedMark(of: outputPath)
      // Whoever corrects the spec can't repeat the run's command.
      guard !destination.isResumed, !header.hasSameSpecs(as: previousRun.header) else {
        throw SpecError(messages: [
          "\(problem): repeat that run's command, or remove '\(outputPath.journal.printable)' to discard the mark; "
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
    if destination.isAppended, isRepeated, marks.isEmpty || state == nil { throw secondAppend(to: outputPath) }
    if isRemembered {
      let seen = HighWaterMarks(
        of: jobs, resuming: previousRun.state.marks, previousRun.state.recordsAtMarks,
        saved: state?.records ?? RecordsAtMarks())
      try state?.save(
        try marksToSave(of: seen, check), ChosenPages.all(in: previousRun.state.counters?["auto"]), by: writers)
    }
    // The journal stays until this run ends, since it shows that the previous run is done.
    if !isContinued { try outputPath.tidy(calls: destination.calls) }
    open.withLock { ($0.state, $0.finished) = (state, isContinued ? previousRun : nil) }
    return isRemembered
  }

  private func unsavedMark(of outputPath: OutputPath) -> String {
    "the previous run wrote '\(outputPath.path.printable)', and was ended before it saved its mark in "
      + "'\(destination.state?.printable ?? "")'"
  }

  private func secondAppend(to outputPath: OutputPath) -> SpecError {
    SpecError(messages: [
      "'\(outputPath.path.printable)' has the records of a run that was ended before it deleted its journal: add --resume to "
        + "finish that run, or remove '\(outputPath.journal.printable)' to append the records again"
    ])
  }

  /// Checks that the saved marks belong to the jobs' requests, and to FILE, and returns warnings.
  ///
  /// - Throws: also if FILE would lose what the runs before have fetched.
  func match(_ asked: [MarkSubject]) throws -> [String] {
    let advice = try open.withLock { (open) throws(SpecError) in try open.state?.match(asked) } ?? []
    return try advice + ending(of: ended) + matchFile()
  }

  private func ending(of verdict: Verdict?) -> [String] {
    verdict.map { ["the run to resume had reached its end, and was \($0.rawValue): this run begins anew"] } ?? []
  }

  /// Compares FILE with the saved marks of jobs that ask only for what is new.
  private func matchFile() throws -> [String] {
    if destination.isAppended, let job = jobs.first(where: \.asksIfChanged) {
      throw SpecError(messages: [
        "'\(job.name.printable)' fetches its whole list when that has changed, and --append would add all of it again: leave "
          + "--append out, or write --merge"
      ])
    }
    guard let outputPath = open.withLock({ $0.held })?.output, let state = destination.state?.printable,
      jobs.askForNews(since: since)
    else { return [] }
    let path = outputPath.path.printable
    let size = try OutputPath.metadata(of: outputPath.path, calls: destination.calls)?.size
    if destination.isMerged {
      guard size == nil, interrupted == nil, !destination.mayReplaceAll else { return [] }
      throw SpecError(messages: [
        "'\(path)' is gone, and '\(state)' has the mark of what it had: --merge would make it of only what is new; remove "
          + "'\(state)' to fetch everything, or write --allow replace"
      ])
    }
    if destination.isAppended {
      guard size == nil, interrupted == nil else { return [] }
      return [
        "'\(path)' is gone, and '\(state)' has the mark of what it had: it gets only what is new; remove '\(state)' to fetch "
          + "everything"
      ]
    }
    guard previousRun == nil || !destination.isResumed,
      let problem = try destination.lossOfRecords(of: jobs, since: since)
    else { return [] }
    throw problem
  }
}
