import Diagnostics
package import FetchPlan
import JSONText
package import PipelineSpec

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
  /// Fetched records in which a list was cut.
  package var nested = 0
  /// Records that were left out, since they came before on another page of their stream.
  package var repeats = 0
  /// Records whose key came before on another page, with other bytes.
  var changed = 0
  /// True if there were so many records that `unique` compared only the last ones.
  var isUniqueBounded = false
  /// The pagers that jobs with `pages: auto` have chosen, by the jobs' names.
  package var chosenPages: [String: ChosenPages] = [:]
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
    case .failed: refusal ?? interruption?.sentence ?? failure?.error.kind ?? outputFault ?? ""
    }
  }

  /// Evidence that the set is not whole; a limit of the user leaves out what is only about the rest.
  private var shortfall: String? { shortfalls.sentence(isCut: isAtLimit, nested: nested) }

  private var leftOut: String { "\(rejected.counted("input record")) failed" }

  /// Reports that all of these jobs have chosen a pager, and got a second page by it.
  package func hasTried(_ wanted: [(index: Int, name: String)]) -> Bool {
    wanted.allSatisfy { chosenPages[$0.name] != nil && jobs[$0.index]?.pages ?? 0 > 1 }
  }

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

/// A figure of a run, by its name in summaries, recordings and journals.
struct RunFigure: Sendable {
  let name: StaticString
  let counter: any WritableKeyPath<RunCounters, Int> & Sendable
  /// True if a journal has it, since neither the stages nor the partial file give it.
  var isInJournal = false

  static let all = [
    RunFigure(name: "records", counter: \.records),
    RunFigure(name: "pages", counter: \.pages),
    RunFigure(name: "requests", counter: \.requests, isInJournal: true),
    RunFigure(name: "retries", counter: \.retries, isInJournal: true),
    RunFigure(name: "bytes", counter: \.bytes, isInJournal: true),
    RunFigure(name: "inputs", counter: \.inputs, isInJournal: true),
    RunFigure(name: "leftOut", counter: \.rejected),
    RunFigure(name: "repeats", counter: \.repeats),
  ]
}

extension RunCounters {
  /// The figures, as summaries and recordings have them.
  var figures: [(name: String, value: JSONValue)] {
    RunFigure.all.map { ("\($0.name)", JSONValue(self[keyPath: $0.counter])) }
  }
}

extension Sign {
  /// One word for all signs of what comes after the records, since one mistake often leaves several of them.
  var kind: String { isAboutRest ? "more" : "\(self)" }
}

/// Evidence that the set is not whole, of all jobs.
package struct Shortfalls: Sendable, Hashable {
  private struct Entry: Sendable, Hashable {
    let reason: String
    let sign: Sign
    /// The job, and the input record, whose pages show it.
    let subject: String
    /// Equal for evidence of the same pages and the same mistake.
    let hash: Int

    init(_ reason: String, _ sign: Sign, of subject: String) {
      (self.reason, self.sign, self.subject) = (reason, sign, subject)
      hash = "\(sign.kind) \(subject)".hashValue
    }
  }

  /// Most reasons in a sentence.
  private static let shown = 3
  /// Most entries that are kept.
  private static let limit = 100
  private var entries: [Entry] = []
  /// Number of entries that came after those that are kept.
  private var others = 0
  /// Hashes of the last ones of these: what repeats, repeats while the pages of its input record come.
  private var newest: [Int] = []

  /// The first reason; nil without evidence.
  package var first: String? { entries.first?.reason }

  /// Returns the first reason of another kind.
  package func first(besides sign: Sign) -> String? { entries.first { $0.sign != sign }?.reason }

  /// Returns false for evidence that was added before.
  ///
  /// - Parameter subject: the job, and the input record, whose pages show it.
  @discardableResult
  mutating func add(_ reason: String, _ sign: Sign, of subject: String = "") -> Bool {
    let entry = Entry(reason, sign, of: subject)
    guard !entries.contains(where: { $0.hash == entry.hash }), !newest.contains(entry.hash) else { return false }
    guard entries.count == Self.limit else {
      entries.append(entry)
      return true
    }
    others += 1
    if newest.count == Self.limit { newest.removeFirst() }
    newest.append(entry.hash)
    return true
  }

  /// Returns the first reasons, and how many others there are; nil without evidence.
  ///
  /// - Parameters:
  ///   - isCut: true if a limit of the user ended the run.
  ///   - nested: number of records in which a list was cut.
  func sentence(isCut: Bool, nested: Int = 0) -> String? {
    let counted = entries.filter { !(isCut && $0.sign.isAboutRest) }
    guard !counted.isEmpty else { return nil }
    let rest = counted.count + others - Self.shown
    let all = counted.prefix(Self.shown).map { entry in
      let records =
        entry.sign == .nested && nested > 0 ? " (\(nested.counted("record")))" : ""
      return entry.reason + records + (entry.sign == .least ? "" : " [\(entry.sign)]")
    }
    return all.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  /// The evidence in a journal, as sign, reason and subject in turn.
  var json: JSONValue? {
    entries.isEmpty
      ? nil
      : JSONValue(
        elements: entries.flatMap { [JSONValue($0.sign.rawValue), JSONValue($0.reason), JSONValue($0.subject)] })
  }

  init() {}

  init(_ json: JSONValue?) {
    let texts = (json ?? .null).elements.compactMap(\.string)
    for index in stride(from: 0, to: texts.count - 2, by: 3) {
      if let sign = Sign(rawValue: texts[index]) { add(texts[index + 1], sign, of: texts[index + 2]) }
    }
  }
}

/// The point at which a run resumes; the figures include those of the interrupted run.
package struct Resumption: Sendable {
  /// Start of the interrupted run (RFC 3339).
  package let start: String
  /// Records that it has written.
  package let records: Int
  /// True if all was written, and only the end of the run was missing.
  package let isAtEnd: Bool
}

/// The pages and records of a run over time: a limited number of points, however long the run is.
package struct RunTimeline: Sendable {
  package struct Point: Sendable, Hashable {
    /// Time since the run began, in milliseconds.
    package let time: Int
    package let pages: Int
    package let records: Int

    package init(time: Int, pages: Int, records: Int) {
      (self.time, self.pages, self.records) = (time, pages, records)
    }
  }

  static let limit = 400
  private(set) var points: [Point] = []
  /// Least time between two points, in milliseconds.
  private var interval = 0

  /// Adds the totals at a time; replaces the previous point if that is too near.
  mutating func add(pages: Int, records: Int, at time: Duration) {
    let point = Point(time: Int(time / .milliseconds(1)), pages: pages, records: records)
    if points.count > 1, point.time - points[points.count - 2].time < interval { points.removeLast() }
    points.append(point)
    guard points.count > Self.limit else { return }
    points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    interval = max(1, point.time / (Self.limit / 2))
    if points.last != point { points.append(point) }
  }

  /// The points as arrays of time, pages and records.
  var json: JSONValue {
    JSONValue(
      elements: points.map {
        JSONValue(elements: [JSONValue($0.time), JSONValue($0.pages), JSONValue($0.records)])
      })
  }
}

/// The counters of one job of a run.
struct JobCounters: Sendable, Hashable {
  var requests = 0
  var pages = 0
  /// Records that were fetched, even if later jobs drop them.
  var records = 0
  /// Records that `where` left out at the start of pages; without those of an interrupted run.
  var leftOut = 0
  /// A doubt about `where`, found in the first of these records.
  var doubt: String?
  /// Members that `where` reads and no record has; nil before the first record, empty once a record was kept.
  var missing: [String]?
  /// Number of responses without the members that the condition of a key reads; nil once a response had one.
  var misses: [String: Int?] = [:]
  /// The reason why a first page left open whether there are others (`pages: auto`).
  var undecided: String?
  /// True if a first page had no sign of more (`pages: auto`).
  var hasLonePage = false
  /// The last status that `empty` takes for no records.
  var emptyStatus: Int?
  /// True if a response came with another status.
  var isAnswered = false
}

extension JobCounters {
  /// The reason why `where` can't hold; nil if it may.
  var unfitFilter: String? {
    guard records == 0, let missing, !missing.isEmpty else { return nil }
    let names = missing.map { "'\($0)'" }.joined(separator: ", nor ")
    return "'where' kept no record, and no record has \(names)" + (doubt.map { "; \($0)" } ?? "")
  }

  /// What was found about all responses of the job, as a journal has it; nil if nothing was found.
  var findings: JSONValue? {
    var members: [(name: String, value: JSONValue)] = []
    if let missing { members.append(("missing", JSONValue(elements: missing.map { JSONValue($0) }))) }
    if let doubt { members.append(("doubt", JSONValue(doubt))) }
    if let undecided { members.append(("undecided", JSONValue(undecided))) }
    if hasLonePage { members.append(("lone", JSONValue(true))) }
    if let emptyStatus { members.append(("empty", JSONValue(emptyStatus))) }
    if emptyStatus != nil, isAnswered { members.append(("answered", JSONValue(true))) }
    return members.isEmpty ? nil : JSONValue(members: members)
  }

  /// Restores what a journal has.
  mutating func restore(_ findings: JSONValue) {
    missing = findings["missing"].map { $0.elements.compactMap(\.string) }
    doubt = findings["doubt"]?.string
    undecided = findings["undecided"]?.string
    hasLonePage = findings["lone"]?.boolean == true
    emptyStatus = findings["empty"]?.integer
    isAnswered = findings["answered"]?.boolean ?? (emptyStatus == nil && pages > 0)
  }

  /// Returns the figures as an object.
  func json(named name: String) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name)), ("requests", JSONValue(requests)), ("pages", JSONValue(pages)),
      ("records", JSONValue(records)),
    ])
  }
}
