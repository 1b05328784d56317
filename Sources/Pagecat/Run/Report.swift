// What a run has done so far and how it ended: the one place that decides whether it is complete.

import Diagnostics
import JSONText
import Synchronization
import Wire

/// Collects what the stages of a run have to say. Shared by all of them.
package final class Report: Sendable {
  /// What the stages counted and met, and what it means.
  package struct Counters: Sendable {
    package var records = 0
    package var pages = 0
    package var requests = 0
    /// Those of the requests that repeat one that failed.
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
    /// What a response has said of more, which no job would fetch.
    var more: String?
    /// Why the run is not the one that it was to go on with.
    package var refusal: String?

    package var verdict: Verdict {
      if failure != nil || outputFault != nil || interruption != nil || refusal != nil { return .failed }
      // Who has what was left out fetched again believes that then all is there.
      if shortfall != nil { return .short }
      if rejected > 0 { return .partial }
      return cap == nil ? .complete : .capped
    }

    /// Why the verdict is not `complete`; empty when it is.
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

  /// - Parameters:
  ///   - rejects: keeps the input records that were left out or answered empty.
  ///   - left: where an interrupted run stood.
  ///   - warn: hears of what should be looked at.
  ///   - tell: hears of each reject as it happens, and of the failure that ends the run (`isFinal`).
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

  /// A stage can't go on. The first failure is the run's, if its output gets so far: what ran ahead may have failed beyond
  /// what is wanted. Cancelled work is no failure of its own.
  func fail(_ failure: Failure) {
    state.withLock { counters in
      guard counters.failure == nil, counters.interruption == nil, !counters.isAtLimit else { return }
      counters.failure = failure
    }
  }

  /// The output has come to its end, and so to what ended it: the failure is told, once, if there is one.
  func tellFailure() {
    let failure: Failure? = state.withLock { counters in
      defer { counters.isFailureTold = true }
      return counters.isFailureTold ? nil : counters.failure
    }
    if let failure { tell(failure, true) }
  }

  /// All records that were wanted are out: whatever failed has failed beyond them.
  func reachLimit(_ reason: String) {
    state.withLock { counters in
      counters.cap = counters.cap ?? reason
      counters.isAtLimit = true
      counters.failure = nil
    }
  }

  /// An input record was left out or answered empty, as `onError` says.
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

  /// The run can't be gone on with: standard input is another than it was.
  func refuse(_ reason: String) {
    state.withLock { $0.refusal = $0.refusal ?? reason }
  }

  var isInterrupted: Bool { state.withLock { $0.interruption != nil } }

  /// The run ends early: what is given up from now on is no failure. Where the output has ended already, nothing is.
  func interrupt(_ reason: Interruption) {
    state.withLock { counters in
      guard !counters.isFailureTold else { return }
      counters.interruption = counters.interruption ?? reason
    }
  }

  /// Records could not be written: whatever was fetched, the run is not complete.
  package func failOutput(_ problem: String) {
    state.withLock { $0.outputFault = $0.outputFault ?? problem }
  }

  /// Tells of something that should be looked at, and changes nothing.
  func advise(_ text: String) { warn(text) }

  /// There may be more than the job fetches: told once a job, and the run is `capped`.
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
  /// Writes what of it a journal holds, beside what its stages and its part say themselves.
  func write(to members: inout MemberWriter) {
    members.add("requests", requests)
    members.add("retries", retries)
    members.add("bytes", bytes)
    if let cap { members.add("cap", JSONValue(cap)) }
    if let shortfall { members.add("short", JSONValue(shortfall)) }
    if !warned.isEmpty { members.add("warned", JSONValue(elements: warned.sorted().map { JSONValue($0) })) }
  }

  /// What was so where an interrupted run left off.
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
  /// The error's name, for a summary: `transportFailure`.
  var title: String { String(description.prefix { $0 != ":" }) }
}
