// The last line of a run, which says truthfully whether the data is complete.

import Diagnostics
import FetchPlan
package import JSONText
package import Wire

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

// MARK: The last line of a run for machines

extension RunSummary {
  /// Returns one JSON object on one line.
  ///
  /// - Parameter code: exit code of the process.
  package func json(exit code: ExitCode) -> String { value(exit: code).text }

  /// Returns the summary as a JSON object.
  ///
  /// - Parameter stream: the stream that the run is of, in place of the specs' names.
  func value(of stream: String? = nil, exit code: ExitCode) -> JSONValue {
    var members = Self.begin(stream ?? name, label)
    members += counters.figures + [("seconds", elapsed.jsonSeconds), ("started", JSONValue(started))]
    if let resumption { members.append(("resumedFrom", JSONValue(resumption.start))) }
    let statuses = counters.statuses.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue($0.value)) }
    members += [
      ("statuses", JSONValue(members: statuses)),
      (
        "waited",
        JSONValue(members: [
          ("rate", counters.waitedForRate.jsonSeconds), ("retry", counters.waitedForRetry.jsonSeconds),
        ])
      ),
      ("jobs", JSONValue(elements: jobs.enumerated().map { (counters.jobs[$0] ?? JobCounters()).json(named: $1) })),
    ]
    if !counters.chosenPages.isEmpty {
      let pages = counters.chosenPages.sorted { $0.key < $1.key }
      members.append(("auto", JSONValue(members: pages.map { ($0.key, JSONValue($0.value.line)) })))
    }
    if !marks.isEmpty { members.append(("mark", JSONValue(members: marks))) }
    if let output { members.append(("output", JSONValue(output))) }
    if let changes { members.append(("changes", changes.json)) }
    members += [("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(counters.reason))]
    if let error = counters.failure?.error { members.append(("error", error.json)) }
    members.append(("exit", JSONValue(Int(code.rawValue))))
    return JSONValue(members: members)
  }

  /// Returns the JSON object of a run that could not begin.
  package static func json(
    ofRefused name: String, label: String?, because reason: String, exit code: ExitCode
  ) -> String {
    refused(name, label, because: reason, exit: code).text
  }

  static func refused(_ name: String, _ label: String?, because reason: String, exit code: ExitCode) -> JSONValue {
    JSONValue(
      members: begin(name, label) + [
        (name: "verdict", value: JSONValue(Verdict.failed.rawValue)), ("reason", JSONValue(reason)),
        ("exit", JSONValue(Int(code.rawValue))),
      ])
  }

  static func begin(_ name: String, _ label: String?) -> [(name: String, value: JSONValue)] {
    [(name: "name", value: JSONValue(name))] + (label.map { [(name: "label", value: JSONValue($0))] } ?? [])
  }
}

extension RunSummary: Encodable {
  /// Encodes the members of `--summary json`.
  public func encode(to encoder: any Encoder) throws { try EncodedValue(value(exit: exitCode)).encode(to: encoder) }
}

/// A JSON value as the `Encodable` of any encoder.
private struct EncodedValue: Encodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    switch value.kind {
    case .object:
      var members = encoder.container(keyedBy: Name.self)
      for member in value.members {
        try members.encode(EncodedValue(member.value), forKey: Name(stringValue: member.name))
      }
    case .array:
      var elements = encoder.unkeyedContainer()
      for element in value.elements { try elements.encode(EncodedValue(element)) }
    case .string:
      var text = encoder.singleValueContainer()
      try text.encode(value.string ?? "")
    case .number:
      var number = encoder.singleValueContainer()
      if let integer = value.integer { try number.encode(integer) } else { try number.encode(Double(value.text) ?? 0) }
    case .boolean:
      var boolean = encoder.singleValueContainer()
      try boolean.encode(value.text == "true")
    case .null:
      var null = encoder.singleValueContainer()
      try null.encodeNil()
    }
  }
}

// MARK: The last line of a command that runs several streams

/// The summary of the runs of several streams: that of the worst, with the figures of all.
package struct SeriesSummary: Sendable {
  /// The end of one stream's run.
  package struct End: Sendable {
    let stream: String
    /// Nil for a run that did not begin.
    let summary: RunSummary?
    /// Reason why the run did not begin.
    let refusal: String
    package let code: ExitCode
    /// True for a run that did not begin because of another stream, which is the worse one.
    private var isConsequence = false
    /// True for a stream that was not chosen, so that its records are only those that others read.
    let isInput: Bool

    package init(_ stream: String, _ summary: RunSummary, _ code: ExitCode, isInput: Bool) {
      (self.stream, self.summary, refusal, self.code, self.isInput) = (stream, summary, "", code, isInput)
    }

    package init(
      _ stream: String, refused reason: String, _ code: ExitCode, isConsequence: Bool, isInput: Bool
    ) {
      (self.stream, summary, refusal, self.code, self.isInput) = (stream, nil, reason, code, isInput)
      self.isConsequence = isConsequence
    }

    /// Number of records that were written for the user.
    fileprivate var records: Int { isInput ? 0 : summary?.records ?? 0 }

    var verdict: Verdict { summary?.verdict ?? .failed }
    var reason: String { summary?.reason ?? refusal }

    /// Order of ends: an exit code other than 0 is worse than any other verdict.
    fileprivate var rank: Int {
      isConsequence ? 0 : Verdict.rank(verdict, code)
    }
  }

  private let name: String
  private let label: String?
  private let ends: [End]
  private let elapsed: Duration
  private let started: String

  /// - Parameters:
  ///   - ends: one for each stream, in the order of the runs.
  ///   - started: start of the command (RFC 3339).
  package init(_ name: String, label: String?, _ ends: [End], elapsed: Duration, started: String) {
    (self.name, self.label, self.ends, self.elapsed, self.started) = (name, label, ends, elapsed, started)
  }

  /// The first of the worst ends.
  private var worst: End? {
    let most = ends.map(\.rank).max()
    return ends.first { $0.rank == most }
  }

  package var exitCode: ExitCode { worst?.code ?? .complete }
  package var verdict: Verdict { worst?.verdict ?? .complete }

  private var reason: String {
    worst.map { $0.reason.attributed(to: $0.stream) } ?? ""
  }

  /// The figures of all runs; the records of a stream that was not chosen are no records of the command.
  private var counters: RunCounters {
    var all = RunCounters()
    for figure in RunFigure.all {
      all[keyPath: figure.counter] = ends.reduce(0) { $0 + ($1.summary?.counters[keyPath: figure.counter] ?? 0) }
    }
    all.records = ends.reduce(0) { $0 + $1.records }
    return all
  }

  /// `github: 4 streams, 1204 records, 12 pages, 14 requests in 3.1 s: short (issues: the server said …)`.
  package var text: String {
    let seconds = (Double(elapsed.milliseconds) / 100).rounded() / 10
    let counters = counters
    let counts = [
      ends.count { !$0.isInput }.counted("stream"), counters.records.counted("record"), counters.pages.counted("page"),
      "\(counters.requests.counted("request")) in \(seconds) s",
    ]
    let title = label.map { "\(name) [\($0.printable)]" } ?? name
    return "\(title): \(counts.joined(separator: ", ")): \(verdict.rawValue)\(reason.isEmpty ? "" : " (\(reason))")"
  }

  /// One JSON object on one line, with the summary of each stream in `streams`.
  package var json: String {
    var members = RunSummary.begin(name, label) + figures(reason)
    let streams = ends.map { end in
      end.summary?.value(of: end.stream, exit: end.code)
        ?? RunSummary.refused(end.stream, nil, because: end.refusal, exit: end.code)
    }
    members.insert(("streams", JSONValue(elements: streams)), at: members.count - 3)
    return JSONValue(members: members).text
  }

  /// The outcome of all runs, for the member `_run` of their recording.
  package func outcome(hiding secrets: SecretStore) -> JSONValue {
    let runs = ends.compactMap(\.summary)
    let jobs = runs.flatMap { run in
      run.jobs.enumerated().map { (run.counters.jobs[$0] ?? JobCounters()).json(named: $1) }
    }
    // The runs follow each other.
    var timeline = RunTimeline()
    var (pages, records, begin) = (0, 0, Duration.zero)
    for end in ends {
      guard let run = end.summary else { continue }
      for point in run.counters.timeline.points {
        timeline.add(
          pages: pages + point.pages, records: records + (end.isInput ? 0 : point.records),
          at: begin + .milliseconds(point.time))
      }
      (pages, records, begin) = (pages + run.pages, records + end.records, begin + run.elapsed)
    }
    let streams = ends.map { end in
      JSONValue(members: [
        ("name", JSONValue(end.stream)), ("verdict", JSONValue(end.verdict.rawValue)),
        ("reason", JSONValue(secrets.redacting(end.reason))), ("records", JSONValue(end.summary?.records ?? 0)),
        ("pages", JSONValue(end.summary?.pages ?? 0)),
      ])
    }
    return JSONValue(
      members: [("name", JSONValue(secrets.redacting(name)))] + figures(secrets.redacting(reason)) + [
        ("streams", JSONValue(elements: streams)), ("jobs", JSONValue(elements: jobs)), ("timeline", timeline.json),
      ])
  }

  private func figures(_ reason: String) -> [(name: String, value: JSONValue)] {
    counters.figures + [
      ("seconds", elapsed.jsonSeconds), ("started", JSONValue(started)), ("verdict", JSONValue(verdict.rawValue)),
      ("reason", JSONValue(reason)), ("exit", JSONValue(Int(exitCode.rawValue))),
    ]
  }
}

extension ExportManifest {
  /// Adds the end of a stream's run, which writes a file of this name.
  package func add(_ end: SeriesSummary.End, name: String, isWritten: Bool, hiding series: RunSeries) {
    let part = Part(
      name: name, title: end.stream, verdict: end.verdict, reason: series.secrets.redacting(end.reason),
      exitCode: end.code, marks: end.summary?.marks ?? [])
    add(part, hasFile: isWritten)
  }
}
