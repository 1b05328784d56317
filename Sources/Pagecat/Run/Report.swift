// The progress and the outcome of a run: the one place that decides whether the run is complete.

import Diagnostics
import JSONText
import Synchronization
import Wire

/// Collects the counters and errors of a run's stages, which share it.
package final class Report: Sendable {
  /// The counters and errors of a run, and the verdict that follows from them.
  package struct Counters: Sendable {
    package var records = 0
    package var pages = 0
    package var requests = 0
    /// Number of requests that repeat a failed one.
    package var retries = 0
    package var bytes = 0
    package var failure: Failure?
    package var rejected = 0
    var shortfall: String?
    var cap: String?
    var outputFault: String?
    /// The signal that ended the run.
    var interruption: Interruption?
    var warned: Set<String> = []
    var isFailureTold = false
    var isAtLimit = false
    /// Message of a response that says that there is more than any job fetches.
    var more: String?
    /// Reason why the run is not the interrupted one, and can't resume it.
    package var refusal: String?

    package var verdict: Verdict {
      if failure != nil || outputFault != nil || interruption != nil || refusal != nil { return .failed }
      // `short` comes first: a user who fetches the rejected records again must not believe that all is complete then.
      if shortfall != nil { return .short }
      if rejected > 0 { return .partial }
      return cap == nil ? .complete : .capped
    }

    /// Reason why the verdict is not `complete`; empty if it is.
    package var reason: String {
      switch verdict {
      case .complete: ""
      case .capped: cap ?? ""
      case .short: (shortfall ?? "") + (rejected > 0 ? "; \(leftOut)" : "")
      case .partial: leftOut
      case .failed: refusal ?? interruption?.sentence ?? failure?.error.title ?? outputFault ?? ""
      }
    }

    private var leftOut: String { "\(rejected) input record\(rejected == 1 ? "" : "s") failed" }

    package var exitCode: ExitCode {
      switch verdict {
      case .complete, .capped: .complete
      case .short, .partial: .incomplete
      case .failed: refusal != nil ? .usage : interruption?.exitCode ?? failure?.error.exitCode ?? .output
      }
    }
  }

  private let state: Locked<Counters>
  private let tell: @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void

  private let warn: @Sendable (String) -> Void
  private let rejects: RejectsFile?

  /// Creates the report of a run.
  ///
  /// - Parameters:
  ///   - rejects: file for the input records that were left out or answered empty.
  ///   - interrupted: state of the interrupted run to resume.
  ///   - warn: receives warnings.
  ///   - tell: receives each reject as it happens, and the failure that ends the run (`isFinal`).
  init(
    rejects: RejectsFile? = nil, resuming interrupted: JournalState? = nil, warn: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void
  ) {
    self.rejects = rejects
    state = Locked(interrupted.map { Counters(resuming: $0) } ?? Counters())
    self.warn = warn
    self.tell = tell
  }

  package var counters: Counters { state.withLock { $0 } }

  func count(_ change: (inout Counters) -> Void) {
    state.withLock { change(&$0) }
  }

  /// Records the failure of a stage; the first failure is that of the run.
  ///
  /// It counts only if the output reaches it: work ahead of the output may have failed beyond the wanted records.
  /// Cancelled work is not a failure.
  func fail(_ failure: Failure) {
    state.withLock { counters in
      guard counters.failure == nil, counters.interruption == nil, !counters.isAtLimit else { return }
      counters.failure = failure
    }
  }

  /// Reports the failure that ended the output, once, if there is one.
  func tellFailure() {
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

  /// Records that an input record was left out or answered empty, as `onError` says.
  func reject(_ failure: Failure, _ record: JSONValue, stage: Int) {
    let isHeard = state.withLock { counters in
      guard counters.interruption == nil else { return false }
      counters.rejected += 1
      return true
    }
    guard isHeard else { return }
    rejects?.add(failure, record, stage: stage)
    tell(failure, false)
  }

  /// Records that the run can't be resumed, because its input differs from the interrupted run's.
  func refuse(_ reason: String) {
    state.withLock { $0.refusal = $0.refusal ?? reason }
  }

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

  /// Records that records could not be written: the run is not complete, whatever was fetched.
  package func failOutput(_ problem: String) {
    state.withLock { $0.outputFault = $0.outputFault ?? problem }
  }

  /// Prints a warning that does not change the outcome.
  func advise(_ text: String) { warn(text) }

  /// Records that there may be more than the job fetches; warns once a job, and the run is `capped`.
  func warnOfMore(_ reason: String, job: String) {
    let isNews = state.withLock { counters in
      counters.cap = counters.cap ?? reason
      counters.more = counters.more ?? reason
      return counters.warned.insert(job).inserted
    }
    if isNews { warn(reason) }
  }

  func cap(_ reason: String) {
    state.withLock { $0.cap = $0.cap ?? reason }
  }

  func short(_ reason: String) {
    state.withLock { $0.shortfall = $0.shortfall ?? reason }
  }
}

extension Report.Counters {
  /// Writes the members for the journal; stages and the partial file have the other counters.
  func write(to members: inout MemberWriter) {
    members.add("requests", requests)
    members.add("retries", retries)
    members.add("bytes", bytes)
    if let cap { members.add("cap", JSONValue(cap)) }
    if let shortfall { members.add("short", JSONValue(shortfall)) }
    if !warned.isEmpty { members.add("warned", JSONValue(elements: warned.sorted().map { JSONValue($0) })) }
  }

  /// Restores the counters of an interrupted run.
  init(resuming interrupted: JournalState) {
    let counters = interrupted.counters ?? .null
    records = interrupted.commit?["records"]?.integer ?? 0
    requests = counters["requests"]?.integer ?? 0
    retries = counters["retries"]?.integer ?? 0
    bytes = counters["bytes"]?.integer ?? 0
    cap = counters["cap"]?.string
    shortfall = counters["short"]?.string
    warned = Set((counters["warned"] ?? .null).elements.compactMap(\.string))
    pages = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.pages }
    rejected = interrupted.checkpoints.values.reduce(0) { $0 + $1.tally.rejected }
  }
}

extension NetworkingError {
  /// Name of the error, for a summary: `transportFailure`.
  var title: String { String(description.prefix { $0 != ":" }) }
}
