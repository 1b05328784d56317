import Engine
import JSONText

/// The end of a run, as its recording says in `_run`.
struct RunOutcome: Sendable {
  let verdict: Verdict
  let reason: String
  let records: Int
  let pages: Int
  let retries: Int
  /// Exit code.
  let exit: Int?
  let seconds: Double?
  /// Pages and records by job.
  let jobs: [String: (pages: Int, records: Int)]
  /// Start of the run (RFC 3339).
  let started: String?
  /// Start of the run that this run continued (RFC 3339); nil for a new run.
  let resumedFrom: String?
  let timeline: [RunTimeline.Point]

  /// Nil for an object that names no verdict.
  init?(_ run: JSONValue) {
    guard let verdict = run["verdict"]?.string.flatMap(Verdict.init) else { return nil }
    self.verdict = verdict
    reason = run["reason"]?.string ?? ""
    (records, pages) = (run["records"].count, run["pages"].count)
    retries = run["retries"].count
    exit = run["exit"]?.integer
    seconds = run["seconds"].flatMap { $0.kind == .number ? Double($0.text) : nil }
    jobs = (run["jobs"]?.elements.map { $0 } ?? []).reduce(into: [:]) { jobs, job in
      jobs[job["name"]?.string ?? ""] = (job["pages"].count, job["records"].count)
    }
    started = run["started"]?.string
    resumedFrom = run["resumedFrom"]?.string
    timeline = (run["timeline"]?.elements.prefix(10_000).map { $0 } ?? []).compactMap { point in
      let numbers = point.elements.prefix(3).map { JSONValue?.some($0).count }
      return numbers.count == 3 ? .init(time: numbers[0], pages: numbers[1], records: numbers[2]) : nil
    }
  }
}

extension JSONValue? {
  /// A whole number from 0 on; 0 for anything else.
  fileprivate var count: Int { min(max(0, self?.integer ?? 0), 1 << 50) }
}
