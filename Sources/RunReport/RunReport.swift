// `pagecat report`: a recording as one HTML page.

package import Engine
import Fetching
package import Files
import JSONText
import Primitives

/// The facts of a recorded run, and the page that shows them.
package struct RunReport: Sendable {
  /// The name of the recording.
  let name: String
  /// Name and version of the program that wrote the recording; empty if the file does not say so.
  let creator: String
  let requests: [RecordedRequest]
  /// Number of entries that the page does not show, since their URLs are neither http nor https.
  let otherCount: Int
  /// Number of entries that can't be read.
  let unreadCount: Int
  let waterfall: Waterfall
  /// Nil in a recording of another program, or of an older version.
  let outcome: RunOutcome?

  /// Reads a recording; bodies are not kept.
  ///
  /// - Throws: `SpecError` that names the place of a mistake (exit 2), or `InputError` if the file can't be read.
  package init(reading input: Input) throws {
    var reader = RecordingReader(name: input.name)
    do throws(ReplayError) {
      while let chunk = try Self.chunk(input) { try reader.read(chunk) }
      let (run, creator) = try reader.finish()
      self.init(
        name: input.name, reader.requests, otherCount: reader.otherCount, unreadCount: reader.unreadCount, run: run,
        creator: creator)
    } catch {
      throw SpecError(messages: [error.problem])
    }
  }

  init(
    name: String, _ requests: [RecordedRequest], otherCount: Int = 0, unreadCount: Int = 0, run: JSONValue?,
    creator: JSONValue?
  ) {
    (self.otherCount, self.unreadCount) = (otherCount, unreadCount)
    self.name = name.split(separator: "/").last.map { String($0) } ?? name
    self.creator = [creator?["name"]?.string, creator?["version"]?.string].compactMap { $0 }.joined(separator: " ")
    self.requests = PlacedRequest.arranged(requests).map(\.request)
    waterfall = Waterfall(requests)
    outcome = run.flatMap(RunOutcome.init)
  }

  private static func chunk(_ input: Input) throws(ReplayError) -> [UInt8]? {
    do {
      return try input.next()
    } catch {
      throw ReplayError(problem: error.problem)
    }
  }

  /// Totals that grow over time: of the run if the recording has them, otherwise those that its entries give.
  var series: [TimeSeries] {
    let responses = TimeSeries.sum("Responses", waterfall, requests) { $0.status > 0 ? 1 : 0 }
    guard let outcome, !outcome.timeline.isEmpty, let start = waterfall.start,
      let begin = outcome.started.flatMap({ Timestamp(rfc3339: $0) })?.unixTime
    else { return [TimeSeries.sum("Bytes of replies", waterfall, requests, \.bytes), responses] }
    func points(_ total: KeyPath<RunTimeline.Point, Int>) -> [TimeSeries.Point] {
      outcome.timeline.map { .init(time: begin - start + Double($0.time) / 1_000, total: $0[keyPath: total]) }
    }
    return [TimeSeries("Records", points(\.records)), TimeSeries("Pages", points(\.pages)), responses]
  }

  /// Writes the page into a file that appears when it is whole.
  package func write(to path: String, givenBy option: String) throws(FileError) {
    try FileError.of(option) { () throws(FileError) in try write(to: path) }
  }

  private func write(to path: String) throws(FileError) {
    var file = try AtomicFile(OutputPath(path))
    try file.write(html)
    try file.finish()
  }
}

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
