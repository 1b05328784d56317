// The last line of a run, which says truthfully whether the data is complete.

import Diagnostics
import JSONText

/// The summary of a run, for people and for machines.
package struct Summary: Sendable {
  private let name: String
  private let label: String?
  private let counters: RunCounters
  private let elapsed: Duration
  private let resumption: Resumption?
  /// Start of this process's part of the run (RFC 3339).
  private let started: String
  private let jobs: [String]
  private let marks: [(name: String, value: JSONValue)]
  private let output: String?

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
  }

  /// `coins: 60 records, 3 pages, 3 requests, 0 retries, 48 KB in 0.2 s: capped (limit of 3 pages)`.
  package var text: String {
    let counts = [
      counters.records.counted("record") + before, counters.pages.counted("page"), counters.requests.counted("request"),
      "\(counters.retries) \(counters.retries == 1 ? "retry" : "retries")",
      "\(counters.bytes.asSize) in \(oneDecimal(Double(elapsed.milliseconds) / 1000)) s",
    ]
    let reason = counters.reason.isEmpty ? "" : " (\(counters.reason))"
    let title = label.map { "\(name) [\($0.printable)]" } ?? name
    return "\(title): \(counts.joined(separator: ", ")): \(counters.verdict.rawValue)\(reason)"
  }

  private var before: String {
    guard let count = resumption?.records, count > 0 else { return "" }
    return " (\(count) before it was resumed)"
  }

  /// Returns one JSON object on one line.
  ///
  /// - Parameter code: what the process ends with.
  package func json(exit code: ExitCode) -> String {
    var members = Self.begin(name, label)
    members += [
      ("records", JSONValue(counters.records)), ("pages", JSONValue(counters.pages)),
      ("requests", JSONValue(counters.requests)), ("retries", JSONValue(counters.retries)),
      ("bytes", JSONValue(counters.bytes)), ("seconds", elapsed.jsonSeconds), ("started", JSONValue(started)),
    ]
    if let resumption { members.append(("resumedFrom", JSONValue(resumption.start))) }
    let statuses = counters.statuses.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue($0.value)) }
    members += [
      ("inputs", JSONValue(counters.inputs)), ("leftOut", JSONValue(counters.rejected)),
      ("statuses", JSONValue(members: statuses)),
      (
        "waited",
        JSONValue(members: [
          ("rate", counters.waitedForRate.jsonSeconds), ("retry", counters.waitedForRetry.jsonSeconds),
        ])
      ),
      ("jobs", JSONValue(elements: jobs.enumerated().map { json(ofJob: $1, counters.jobs[$0] ?? JobCounters()) })),
    ]
    if !marks.isEmpty { members.append(("mark", JSONValue(members: marks))) }
    if let output { members.append(("output", JSONValue(output))) }
    members += [("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(counters.reason))]
    if let error = counters.failure?.error { members.append(("error", error.json)) }
    members.append(("exit", JSONValue(Int(code.rawValue))))
    return JSONValue(members: members).text
  }

  private func json(ofJob name: String, _ job: JobCounters) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name)), ("requests", JSONValue(job.requests)), ("pages", JSONValue(job.pages)),
      ("records", JSONValue(job.records)),
    ])
  }

  /// Returns the JSON object of a run that could not begin.
  package static func json(
    ofRefused name: String, label: String?, because reason: String, exit code: ExitCode
  ) -> String {
    let members =
      begin(name, label) + [
        (name: "verdict", value: JSONValue(Verdict.failed.rawValue)), ("reason", JSONValue(reason)),
        ("exit", JSONValue(Int(code.rawValue))),
      ]
    return JSONValue(members: members).text
  }

  private static func begin(_ name: String, _ label: String?) -> [(name: String, value: JSONValue)] {
    [(name: "name", value: JSONValue(name))] + (label.map { [(name: "label", value: JSONValue($0))] } ?? [])
  }

  private func oneDecimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
