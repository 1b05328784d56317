import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire

/// Collects the counters and errors of a run's stages, which share it.
package final class Report: Sendable {
  private let state: Locked<RunCounters>
  private let current = Locked(RunActivity())
  private let tell: @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void

  private let warn: @Sendable (String) -> Void
  private let inform: @Sendable (String) -> Void
  private let rejects: RejectsFile?
  /// True if a resumed run can begin anew: it has not read standard input.
  private let mayBeginAnew: Bool
  /// True if a run whose mark is too old can begin anew after its first page: its records are in a file.
  private let mayForgetMarks: Bool

  /// Creates the report of a run.
  ///
  /// - Parameters:
  ///   - rejects: file for the input records that were left out or answered empty.
  ///   - interrupted: state of the interrupted run to resume.
  ///   - mayBeginAnew: whether the run can begin anew.
  ///   - mayForgetMarks: whether the run can begin anew without its marks, although records have left.
  ///   - inform: receives what the run has decided by itself.
  ///   - warn: receives warnings.
  ///   - tell: receives each reject as it happens, and the failure that ends the run (`isFinal`).
  init(
    rejects: RejectsFile? = nil, resuming interrupted: JournalState? = nil, mayBeginAnew: Bool = false,
    mayForgetMarks: Bool = false, inform: @escaping @Sendable (String) -> Void = { _ in },
    warn: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void
  ) {
    self.inform = inform
    self.rejects = rejects
    (self.mayBeginAnew, self.mayForgetMarks) = (mayBeginAnew, mayForgetMarks)
    state = Locked(interrupted.map { RunCounters(resuming: $0) } ?? RunCounters())
    self.warn = warn
    self.tell = tell
  }

  package var counters: RunCounters { state.withLock { $0 } }

  package var activity: RunActivity { current.withLock { $0 } }

  func update(_ change: (inout RunActivity) -> Void) {
    current.withLock { change(&$0) }
  }

  func count(_ change: (inout RunCounters) -> Void) {
    state.withLock { change(&$0) }
  }

  /// Records the failure of a stage; the first failure is that of the run.
  ///
  /// It counts only if the output reaches it: work ahead of the output may have failed beyond the wanted records.
  /// Cancelled work is not a failure.
  func fail(_ failure: Failure) {
    state.withLock { counters in
      guard counters.failure == nil, counters.interruption == nil, !counters.isAtLimit, counters.restart == nil
      else { return }
      counters.failure = failure
    }
  }

  /// Reports the failure that ended the output, once, if there is one.
  package func tellFailure() {
    let failure: Failure? = state.withLock { counters in
      defer { counters.isFailureTold = true }
      return counters.isFailureTold ? nil : counters.failure
    }
    if let failure { tell(failure, true) }
  }

  /// Records that all wanted records are written, so that any failure was beyond them.
  func reachLimit(_ reason: String) {
    state.withLock { counters in
      counters.cap = counters.cap ?? reason
      counters.isAtLimit = true
      counters.failure = nil
    }
  }

  /// Records that input records were left out or answered empty, as `onError` says.
  ///
  /// - Parameter records: from the failure's record on.
  /// - Returns: false if the run was interrupted, so that a resumed run processes the records again.
  func reject(_ failure: Failure, _ records: [JSONValue], stage: Int) -> Bool {
    let isHeard = state.withLock { counters in
      guard counters.interruption == nil else { return false }
      counters.rejected += records.count
      return true
    }
    guard isHeard else { return false }
    rejects?.add(
      RejectedInput(
        records: Array(zip((failure.record ?? 0)..., records)), job: failure.job, stage: stage,
        error: failure.error.json))
    tell(failure, false)
    return true
  }

  /// Records that the run can't be resumed, because its input differs from that of the interrupted run.
  func refuse(_ reason: String) {
    state.withLock { $0.refusal = $0.refusal ?? reason }
  }

  /// Lets the run begin anew; returns false if it can't, so that the position is lost.
  ///
  /// - Parameters:
  ///   - warning: the reason, as a whole sentence.
  ///   - isForMark: true if the run uses a mark that is too old, and need not be a resumed one.
  func beginAnew(_ warning: String, isForMark: Bool = false) -> Bool {
    state.withLock { counters in
      guard mayBeginAnew || isForMark && mayForgetMarks, counters.interruption == nil else { return false }
      counters.restart = counters.restart ?? warning
      return true
    }
  }

  /// True if the run is to begin anew.
  var beginsAnew: Bool { state.withLock { $0.restart != nil } }

  /// Forgets what the run has counted, except for its requests, and prints why it begins anew.
  func restart() {
    let warning: String? = state.withLock { counters in
      let warning = counters.restart
      var fresh = RunCounters()
      (fresh.requests, fresh.retries, fresh.bytes) = (counters.requests, counters.retries, counters.bytes)
      (fresh.statuses, fresh.timeline) = (counters.statuses, counters.timeline)
      (fresh.waitedForRate, fresh.waitedForRetry) = (counters.waitedForRate, counters.waitedForRetry)
      for (index, job) in counters.jobs { fresh.jobs[index] = JobCounters(requests: job.requests) }
      fresh.interruption = counters.interruption
      counters = fresh
      return warning
    }
    if let warning { warn(warning) }
  }

  /// Records that a resumed run could not continue, and that only a run from the beginning can.
  func losePosition() { state.withLock { $0.isPositionLost = true } }

  var isInterrupted: Bool { state.withLock { $0.interruption != nil } }

  /// Records that the run ends early: work that is cancelled from now on is not a failure.
  ///
  /// It has no effect if the output has already ended.
  func interrupt(_ reason: Interruption) {
    state.withLock { counters in
      guard !counters.isFailureTold else { return }
      counters.interruption = counters.interruption ?? reason
    }
  }

  /// Records that the output failed, so that the run is not complete, whatever was fetched.
  package func failOutput(_ problem: String) {
    state.withLock { $0.outputFault = $0.outputFault ?? problem }
  }

  /// Prints a warning that does not change the outcome.
  func advise(_ text: String) { warn(text) }

  /// Prints a warning about a subject once.
  func adviseOnce(_ text: String, about subject: String) {
    if state.withLock({ $0.warned.insert(subject).inserted }) { warn(text) }
  }

  /// Counts the pages of a batch that the stage gave, and its records in which a list was cut.
  func countOutput(_ batch: Batch, of job: JobContext) {
    count { counters in
      counters.pages += batch.pages
      counters.jobs[job.stage, default: JobCounters()].pages += batch.pages
      counters.jobs[job.stage, default: JobCounters()].records += batch.fetchedCount ?? batch.count
      counters.nested += batch.nested
      counters.repeats += batch.repeats
      counters.changed += batch.changed
    }
  }

  /// Counts the records of a page that `where` left out.
  func countFiltered(_ page: PageBody, of job: JobContext) {
    guard page.recordCount > 0 else { return }
    let misses = Set(page.filterMisses)
    let isFirst = state.withLock { counters in
      let before = counters.jobs[job.stage, default: JobCounters()]
      counters.jobs[job.stage, default: JobCounters()].missing =
        before.missing?.filter(misses.contains) ?? page.filterMisses
      guard !page.leftOut.isEmpty else { return false }
      counters.jobs[job.stage, default: JobCounters()].leftOut += page.leftOutCount
      return before.leftOut == 0
    }
    guard isFirst, let doubt = job.plan.job.filter?.doubt(about: JSONValue(validated: page.leftOut[...])) else {
      return
    }
    count { $0.jobs[job.stage]?.doubt = doubt }
  }

  /// Counts a response without the members that a key's condition reads, or records that a response has one.
  func countMiss(_ isMiss: Bool, of key: String, in job: JobContext) {
    state.withLock { counters in
      let count = counters.jobs[job.stage, default: JobCounters()].misses[key, default: 0]
      counters.jobs[job.stage, default: JobCounters()].misses[key] = .some(isMiss ? count.map { $0 + 1 } : nil)
    }
  }

  /// Records the status of a response.
  ///
  /// - Parameter isNothing: true if `empty` takes the status for no records.
  func countAnswer(_ status: Int, isNothing: Bool, of job: JobContext) {
    state.withLock { counters in
      if isNothing {
        counters.jobs[job.stage, default: JobCounters()].emptyStatus = status
      } else if counters.jobs[job.stage]?.isAnswered != true {
        counters.jobs[job.stage, default: JobCounters()].isAnswered = true
      }
    }
  }

  /// Records the pager that a job with `pages: auto` has chosen.
  func choose(_ pages: ChosenPages, of job: JobContext) { count { $0.chosenPages[job.name] = pages } }

  /// Prints which pager a job has chosen, without secrets.
  func tellChoice(_ text: String) { inform(text) }

  /// Records that a first page had no sign of more.
  ///
  /// - Parameter doubt: the reason why it may have others behind it all the same, without secrets.
  func countLonePage(_ doubt: String?, of job: JobContext) {
    count { counters in
      counters.jobs[job.stage, default: JobCounters()].hasLonePage = true
      let known = counters.jobs[job.stage]?.undecided
      counters.jobs[job.stage]?.undecided = known ?? doubt
    }
  }

  /// Records evidence that the set is not whole, so that the run is `short`, and warns once a job and sign.
  ///
  /// - Parameters:
  ///   - evidence: without secrets, as everything that is printed.
  ///   - input: the input records whose pages show it, with the URL of their first request; `--rejects` gets them.
  func raise(
    _ evidence: Evidence, job: String, of input: (records: [(number: Int, record: JSONValue)], url: String)? = nil,
    stage: Int = 0
  ) {
    let reason = "\(job): \(evidence.reason)" + (input.map { " (\($0.url))" } ?? "")
    if let input {
      let error = JSONValue(members: [
        ("code", JSONValue(Verdict.short.rawValue)), ("message", JSONValue(evidence.reason)),
        ("url", JSONValue(input.url)), ("status", .null),
      ])
      rejects?.add(RejectedInput(records: input.records, job: job, stage: stage, error: error, isShort: true))
    }
    let (isNews, isFirst) = state.withLock { counters in
      counters.finding = counters.finding ?? evidence.finding
      guard counters.shortfalls.add(reason, evidence.sign, of: "\(job) \(input?.url ?? "")") else {
        return (false, false)
      }
      // One mistake shows in the pages of many input records.
      let isFirst = counters.warned.insert("\(evidence.sign.kind) \(job)").inserted
      return (true, isFirst)
    }
    guard isNews else { return }
    guard isFirst || input != nil && evidence.sign.isOfData else { return }
    var advice = evidence.advice
    if !isFirst { advice = [] }
    if isFirst, evidence.mayBeMeant, Sign.ignorable.contains(evidence.sign), !advice.contains("pages: one") {
      advice += ["where that is meant, add to the step", "ignore: \(evidence.sign)"]
    }
    let lines = advice.enumerated().map { $0.isMultiple(of: 2) ? "\n  \($1):" : "\n    \($1)" }
    let ending = evidence.sign == .least ? "" : " [\(evidence.sign)]"
    warn(reason + ending + lines.joined())
  }

  func cap(_ reason: String) {
    state.withLock { $0.cap = $0.cap ?? reason }
  }
}

/// Numbers of input records in a job's input, from 1: of one, or of those of a batch.
struct InputNumbers: Sendable {
  var first = 1
  /// Nil without `batch`.
  var batch: [Int]?
}

/// The input record whose pages are fetched, or the list of those of a batch.
struct FetchedInput: Sendable {
  let record: JSONValue
  let numbers: InputNumbers
  /// URL of its first request.
  let url: String

  var records: [(number: Int, record: JSONValue)] {
    numbers.batch.map { Array(zip($0, record.elements)) } ?? [(numbers.first, record)]
  }
}

/// A job with everything that it needs to run: its plan, its fetcher, and its concurrency limit.
struct JobContext: Sendable {
  var plan: JobPlan
  /// Chooses the pager for `pages: auto`; nil for another value.
  let autoPager: AutoPager?
  let filter: RecordFilter?
  let reshaper: Reshaper?
  let fetcher: PageFetcher
  let concurrencyLimit: ConcurrencyLimit
  let concurrency: Int
  /// Folder for the job's downloads, if it has any.
  let downloadStore: DownloadStore?
  /// Executor of the job's work; nil for the concurrency pool.
  let executor: (any TaskExecutor)?
  /// Index of the job's stage in the run, from 0.
  let stage: Int
  /// The records that an interrupted run has written, if this job gave them.
  let written: WrittenRecords?
  /// True if the run has jobs after this one, which take its records.
  let isBeforeOthers: Bool
  /// Takes the progress of the run's stages; nil if the run can't be resumed.
  let progressLog: (any ProgressLog)?
  /// The highest marks so far, for `incremental`.
  let highWaterMarks: HighWaterMarks
  /// Checks marks before they are saved; nil if none will be.
  let markCheck: MarkCheck?
  /// True if the run has no other job.
  let isAlone: Bool
  /// True if only the last one of the records with one key counts (`--merge`, `--changes`).
  let wantsLast: Bool
  /// Depth to which the following stage reads the records.
  let depthOfNextStage: Int
  /// What the server gives of one window, for `split`.
  let windowLimit = WindowLimit()

  /// Depth to which this stage or the following one reads fetched records.
  var tokenIndexDepth: Int {
    if !plan.job.match.isEmpty { return max(1, plan.job.match.map(\.fetched.steps.count).max() ?? 1) }
    return max(plan.job.setsInFetched ? 1 : 0, plan.job.attach == nil ? depthOfNextStage : 0)
  }

  /// True if the records of a page come with what they were before they were rewritten, which `set` reads.
  var carriesSource: Bool { reshaper != nil && plan.setsFromFetched }

  var name: String { plan.job.name }

  /// True if the journal keeps the keys of the job's records, since no file has the records.
  var keepsKeys: Bool { isBeforeOthers && progressLog?.keepsEachBookmark == true }

  var report: Report { fetcher.report }

  /// Warns once a job about a doubt that may quote text of the server.
  func advise(_ doubt: String, about subject: String) {
    report.adviseOnce("\(name): \(fetcher.secrets.redacting(doubt).printable)", about: "\(subject) \(name)")
  }

  /// Reports evidence that the set is not whole, unless the job says that it is meant.
  ///
  /// The evidence may quote text of the server.
  ///
  /// - Parameter input: the input record whose pages show it.
  func raise(_ evidence: Evidence, of input: FetchedInput? = nil) {
    guard !plan.job.ignored.contains(evidence.sign) else { return }
    func shown(_ text: String) -> String { CredentialName.masking(urlsIn: fetcher.secrets.redacting(text).printable) }
    // A total counts what the server has, and a reader sees what 'where' keeps.
    let isFiltered = plan.job.filter != nil && evidence.sign == .total && evidence.reason.contains("record")
    let suffix = isFiltered ? " (counted before 'where')" : ""
    report.raise(
      Evidence(
        evidence.sign, shown(evidence.reason) + suffix, advice: evidence.advice.map(shown),
        finding: evidence.finding, mayBeMeant: evidence.mayBeMeant), job: name,
      of: input.map { ($0.records, shown($0.url)) }, stage: stage)
  }

  /// Evaluates templates; an error in them becomes one of the run, without secrets.
  func evaluating<Value>(_ body: () throws(ParameterError) -> Value) throws(NetworkingError) -> Value {
    do {
      return try body()
    } catch {
      throw NetworkingError(error, hiding: fetcher.secrets)
    }
  }

  /// True if the records fetched for a batch are joined to its input records.
  var joinsBatches: Bool { plan.job.batch != nil && !plan.job.match.isEmpty }
}

extension NetworkingError {
  init(_ fault: ParameterError, hiding secrets: SecretStore) {
    self = .invalidParameter(
      template: fault.template, position: fault.position, reason: secrets.redactingCutNames(fault.problem).printable)
  }
}

extension Pager {
  var announcedTotal: RunActivity.Total? {
    announced.pages.map { .pages($0) } ?? announced.records.map { .records($0) }
  }
}

// MARK: How many records a server gives of one window

/// The number of records that a server gives of one window at most, as far as windows have shown it.
final class WindowLimit: Sendable {
  private struct State {
    /// The least number that came of a window with more.
    var cut: Int?
    /// The highest number that came of a whole window.
    var whole = 0
  }

  private let state = Locked(State())

  /// True if a window with so many records will surely be cut.
  func isBelow(_ total: Int) -> Bool {
    state.withLock { state in state.cut.map { total > max($0, state.whole) } ?? false }
  }

  func learn(cut count: Int) {
    guard count > 0 else { return }
    state.withLock { $0.cut = min($0.cut ?? count, count) }
  }

  func learn(whole count: Int) { state.withLock { $0.whole = max($0.whole, count) } }
}
