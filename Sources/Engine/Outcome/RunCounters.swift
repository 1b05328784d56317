package import FetchPlan
import JSONText
import PipelineSpec

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
  /// Records that were left out, since they came before on another page of their stream.
  package var repeats = 0
  /// Records whose key came before on another page, with other bytes.
  var changed = 0
  /// True if there were so many records that `unique` compared only the last ones.
  var isUniqueBounded = false
  /// Evidence that the set is not whole.
  package var shortfalls = Shortfalls()
  var cap: String?
  var outputFault: String?
  /// The signal that ended the run.
  var interruption: Interruption?
  var warned: Set<String> = []
  var isFailureTold = false
  var isAtLimit = false
  /// The sign in that response, and the pager that would fetch the rest.
  package var finding: Evidence.Finding?
  /// Warning with which the run begins anew, since it can't be resumed at its position.
  var restart: String?
  /// True if the run can't continue at its position, and can't begin anew by itself.
  package var isPositionLost = false
  /// Reason why the run can't resume the interrupted one.
  package var refusal: String?

  package init() {}

  package var verdict: Verdict {
    if failure != nil || outputFault != nil || interruption != nil || refusal != nil { return .failed }
    // `short` precedes `partial`: a user who fetches the rejected records again would take the result for complete.
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
    case .failed: refusal ?? interruption?.sentence ?? failure?.error.code ?? outputFault ?? ""
    }
  }

  /// Evidence that the set is not whole; a limit of the user leaves out what is only about the rest.
  private var shortfall: String? { shortfalls.sentence(isCut: isAtLimit) }

  private var leftOut: String { "\(rejected) input record\(rejected == 1 ? "" : "s") failed" }

  /// True if wanted records are missing; records beyond a limit of the user are not wanted.
  package var isIncomplete: Bool { verdict != .complete && verdict != .capped }

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

/// Evidence that the set is not whole, of all jobs.
package struct Shortfalls: Sendable, Hashable {
  private struct Entry: Sendable, Hashable {
    let reason: String
    let sign: Sign
  }

  /// Most entries that are kept.
  private static let limit = 100
  private var entries: [Entry] = []
  /// Number of entries that came after those that are kept.
  private var others = 0

  /// The first reason; nil without evidence.
  package var first: String? { entries.first?.reason }

  mutating func add(_ reason: String, _ sign: Sign) {
    let entry = Entry(reason: reason, sign: sign)
    guard !entries.contains(entry) else { return }
    if entries.count < Self.limit { entries.append(entry) } else { others += 1 }
  }

  /// Returns the first reason, and how many others there are; nil without evidence.
  ///
  /// - Parameter isCut: true if a limit of the user ended the run.
  func sentence(isCut: Bool) -> String? {
    let counted = entries.filter { !(isCut && $0.sign.isAboutRest) }
    guard let first = counted.first else { return nil }
    let rest = counted.count - 1 + others
    let ending = first.sign == .least ? "" : " [\(first.sign)]"
    return first.reason + ending + (rest > 0 ? "; and \(rest) more" : "")
  }

  /// The evidence in a journal, as pairs of sign and reason.
  var json: JSONValue? {
    entries.isEmpty
      ? nil : JSONValue(elements: entries.flatMap { [JSONValue($0.sign.rawValue), JSONValue($0.reason)] })
  }

  init() {}

  init(_ json: JSONValue?) {
    let texts = (json ?? .null).elements.compactMap(\.string)
    for index in stride(from: 0, to: texts.count - 1, by: 2) {
      if let sign = Sign(rawValue: texts[index]) { add(texts[index + 1], sign) }
    }
  }
}
