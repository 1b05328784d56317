import FetchPlan

/// Counts what the stages of a run did, and decides the verdict.
package struct RunCounters: Sendable {
  package var records = 0
  package var pages = 0
  package var requests = 0
  /// Number of the requests that repeat a failed one.
  package var retries = 0
  package var bytes = 0
  /// Input records that the first job has read.
  var inputs = 0
  /// Replies by status.
  var statuses: [Int: Int] = [:]
  /// Time that requests waited for a rate, and for another attempt or a pause; waits at the same time add up.
  var (waitedForRate, waitedForRetry): (Duration, Duration) = (.zero, .zero)
  /// The growth of pages and records over time, for the recording.
  var timeline = RunTimeline()
  /// Figures of jobs, by their index.
  var jobs: [Int: JobCounters] = [:]
  package var failure: Failure?
  package var rejected = 0
  /// Fetched records in which a GraphQL connection says that it has more.
  package var nested = 0
  var shortfall: String?
  var cap: String?
  var outputFault: String?
  /// The signal that ended the run.
  var interruption: Interruption?
  var warned: Set<String> = []
  var isFailureTold = false
  var isAtLimit = false
  /// A response's statement that there is more, which no job would fetch.
  var more: String?
  /// The sign in that response, and the pager that would fetch the rest.
  var finding: MoreWarning.Finding?
  /// Reason why the run can't resume the interrupted one.
  package var refusal: String?

  package var verdict: Verdict {
    if failure != nil || outputFault != nil || interruption != nil || refusal != nil { return .failed }
    // `short` precedes `partial`: a user who fetches the rejected records again would take the result for complete.
    if shortfall != nil { return .short }
    if rejected > 0 { return .partial }
    return cap == nil && nested == 0 ? .complete : .capped
  }

  /// Reason why the verdict is not `complete`; empty if it is.
  package var reason: String {
    switch verdict {
    case .complete: ""
    case .capped: [cap, nestedReason].compactMap { $0 }.joined(separator: "; ")
    case .short: (shortfall ?? "") + (rejected > 0 ? "; \(leftOut)" : "")
    case .partial: leftOut
    case .failed: refusal ?? interruption?.sentence ?? failure?.error.code ?? outputFault ?? ""
    }
  }

  private var nestedReason: String? {
    nested == 0
      ? nil
      : "\(nested) connection\(nested == 1 ? "" : "s") inside records ha\(nested == 1 ? "s" : "ve") more (hasNextPage: true): fetch "
        + "the rest in a second step, by the record's id, or write 'nested: ignore' in 'pages'"
  }

  private var leftOut: String { "\(rejected) input record\(rejected == 1 ? "" : "s") failed" }

  /// True if wanted records are missing; records beyond a limit of the user are not wanted.
  package var isIncomplete: Bool { verdict == .capped ? more != nil : verdict != .complete }

  /// Returns the exit code of the run.
  ///
  /// - Parameter allowed: the verdicts among `partial` and `short` that are no failure.
  package func exitCode(allowing allowed: Set<Verdict> = []) -> ExitCode {
    switch verdict {
    case .complete, .capped: .complete
    case .short, .partial: allowed.contains(verdict) ? .complete : .incomplete
    case .failed: refusal != nil ? .usage : interruption?.exitCode ?? failure?.error.exitCode ?? .output
    }
  }
}
