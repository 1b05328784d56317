// The last line of a run, which says truthfully whether the data is complete.

import Diagnostics
import FetchPlan
import JSONText

/// The summary of a run, for people and for machines.
public struct RunSummary: Sendable, CustomStringConvertible {
  let name: String
  let label: String?
  let counters: RunCounters
  let elapsed: Duration
  let resumption: Resumption?
  /// Start of this process's part of the run (RFC 3339).
  let started: String
  let jobs: [String]
  let marks: [(name: String, value: JSONValue)]
  let output: String?
  let exitCode: ExitCode
  /// What the run changed in FILE; nil without `--merge` and `--changes`, and if FILE did not get the records.
  public let changes: RecordChanges?

  /// - Parameters:
  ///   - name: the names of the specs.
  ///   - label: what the user calls the run, if anything.
  package init(of run: Run, name: String, label: String?) {
    self.name = name
    self.label = label
    counters = run.report.counters
    elapsed = run.elapsed
    resumption = run.resumption
    started = run.started
    jobs = run.jobNames
    marks = run.marks
    output = run.outputPath
    changes = run.files.changes
    exitCode = run.exitCode
  }

  /// `coins: 60 records, 3 pages, 3 requests, 0 retries, 48 KB in 0.2 s: capped (limit of 3 pages)`.
  package var text: String {
    let counts = [
      counters.records.counted("record") + before + leftOutRepeats + (changes.map { " (\($0.text))" } ?? ""),
      counters.pages.counted("page"),
      counters.requests.counted("request"),
      "\(counters.retries) \(counters.retries == 1 ? "retry" : "retries")",
      "\(counters.bytes.asSize) in \(oneDecimal(Double(elapsed.milliseconds) / 1000)) s",
    ]
    let remark = counters.reason.isEmpty ? lonePages : counters.reason
    let reason = remark.isEmpty ? "" : " (\(remark))"
    let title = label.map { "\(name) [\($0.printable)]" } ?? name
    return "\(title): \(counts.joined(separator: ", ")): \(counters.verdict.rawValue)\(reason)"
  }

  /// The jobs with `pages: auto` that saw no sign of more, which is no proof that there is no more.
  private var lonePages: String {
    let lone = jobs.indices.filter {
      counters.jobs[$0]?.hasLonePage == true && counters.chosenPages[jobs[$0]] == nil
    }
    guard counters.verdict == .complete, !lone.isEmpty else { return "" }
    let names = jobs.count == 1 ? "" : lone.map { "\(jobs[$0]): " }.joined(separator: ", ")
    let each = lone.contains { counters.jobs[$0]?.pages ?? 0 > 1 } ? "one page each" : "one page"
    return "\(names)\(each), no sign of more"
  }

  private var before: String {
    guard let count = resumption?.records, count > 0 else { return "" }
    return " (\(count) before it was resumed)"
  }

  private var leftOutRepeats: String {
    let bound = counters.isUniqueBounded ? "compared with the last \(SeenRecords.limit) records" : nil
    let count = counters.repeats > 0 ? "\(counters.repeats.counted("repeat")) left out" : nil
    let texts = [count, bound].compactMap { $0 }
    return texts.isEmpty ? "" : " (\(texts.joined(separator: ", ")))"
  }

  private func oneDecimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

extension RunSummary {
  /// Says if all is there, and what a caller may do about it.
  public var verdict: Verdict { counters.verdict }
  /// Reason why the verdict is not `complete`; empty if it is.
  public var reason: String { counters.reason }
  /// Records that were given or written, including those from before the run was resumed.
  public var records: Int { counters.records }
  /// Pages that were fetched.
  public var pages: Int { counters.pages }
  /// Requests that were sent, including those for tokens and redirects.
  public var requests: Int { counters.requests }
  /// Requests that repeat one that failed.
  public var retries: Int { counters.retries }
  /// Bytes of the response bodies, decoded.
  public var bytes: Int { counters.bytes }
  /// Input records that the first job has read.
  public var inputs: Int { counters.inputs }
  /// Input records that were left out or answered empty.
  public var leftOut: Int { counters.rejected }
  /// Records that were left out because they came before on another page with the same bytes (`unique`).
  public var repeats: Int { counters.repeats }
  /// The line that each job with `pages: auto` has chosen, such as `pages: { cursor: next }`, by the job's name.
  public var chosenPages: [String: String] { counters.chosenPages.mapValues(\.line) }
  /// Number of responses by status code.
  public var statuses: [Int: Int] { counters.statuses }
  /// Time of this process's part of the run.
  public var duration: Duration { elapsed }
  /// The error that ended the run.
  public var error: NetworkingError? { counters.failure?.error }
  /// The summary as one line of text.
  public var description: String { text }
}
