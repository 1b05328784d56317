// The last line of a command that runs several streams.

import Diagnostics
package import JSONText
import Wire

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

    package init(_ stream: String, _ summary: RunSummary, _ code: ExitCode) {
      (self.stream, self.summary, refusal, self.code) = (stream, summary, "", code)
    }

    package init(_ stream: String, refused reason: String, _ code: ExitCode, isConsequence: Bool = false) {
      (self.stream, summary, refusal, self.code) = (stream, nil, reason, code)
      self.isConsequence = isConsequence
    }

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

  private func sum(_ figure: KeyPath<RunSummary, Int>) -> Int {
    ends.reduce(0) { $0 + ($1.summary?[keyPath: figure] ?? 0) }
  }

  /// `github: 4 streams, 1204 records, 12 pages, 14 requests in 3.1 s: short (issues: the server said …)`.
  package var text: String {
    let seconds = (Double(elapsed.milliseconds) / 100).rounded() / 10
    let counts = [
      ends.count.counted("stream"), sum(\.records).counted("record"), sum(\.pages).counted("page"),
      "\(sum(\.requests).counted("request")) in \(seconds) s",
    ]
    let title = label.map { "\(name) [\($0.printable)]" } ?? name
    return "\(title): \(counts.joined(separator: ", ")): \(verdict.rawValue)\(reason.isEmpty ? "" : " (\(reason))")"
  }

  /// One JSON object on one line, with the summary of each stream in `streams`.
  package var json: String {
    var members = RunSummary.begin(name, label) + figures
    let streams = ends.map { end in
      end.summary?.value(of: end.stream, exit: end.code)
        ?? RunSummary.refused(end.stream, nil, because: end.refusal, exit: end.code)
    }
    members.insert(("streams", JSONValue(elements: streams)), at: members.count - 3)
    return JSONValue(members: members).text
  }

  /// The outcome of all runs, for the member `_run` of their recording.
  package var outcome: JSONValue {
    let runs = ends.compactMap(\.summary)
    let jobs = runs.flatMap { run in
      run.jobs.enumerated().map { (run.counters.jobs[$0] ?? JobCounters()).json(named: $1) }
    }
    // The runs follow each other.
    var timeline = RunTimeline()
    var (pages, records, begin) = (0, 0, Duration.zero)
    for run in runs {
      for point in run.counters.timeline.points {
        timeline.add(
          pages: pages + point.pages, records: records + point.records, at: begin + .milliseconds(point.time))
      }
      (pages, records, begin) = (pages + run.pages, records + run.records, begin + run.elapsed)
    }
    return JSONValue(members: figures + [("jobs", JSONValue(elements: jobs)), ("timeline", timeline.json)])
  }

  private var figures: [(name: String, value: JSONValue)] {
    [
      ("records", JSONValue(sum(\.records))), ("pages", JSONValue(sum(\.pages))),
      ("requests", JSONValue(sum(\.requests))), ("retries", JSONValue(sum(\.retries))),
      ("bytes", JSONValue(sum(\.bytes))), ("seconds", elapsed.jsonSeconds), ("started", JSONValue(started)),
      ("verdict", JSONValue(verdict.rawValue)), ("reason", JSONValue(reason)),
      ("exit", JSONValue(Int(exitCode.rawValue))),
    ]
  }
}

extension ExportManifest {
  /// Adds the end of a stream's run.
  package func add(_ end: SeriesSummary.End, isWritten: Bool, hiding series: RunSeries) {
    let part = Part(
      name: "\(end.stream).ndjson", verdict: end.verdict, reason: series.secrets.redacting(end.reason),
      exitCode: end.code, marks: end.summary?.marks ?? [])
    add(part, hasFile: isWritten)
  }
}
