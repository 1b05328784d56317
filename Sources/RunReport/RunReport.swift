// `pagecat report`: a recording as one HTML page.

import Diagnostics
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

extension RunReport {
  /// The page: HTML with inline SVG and CSS, without scripts, and without anything from elsewhere.
  package var html: [UInt8] {
    var page = Markup()
    page.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    page.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    page.add(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
    page.add("<meta name=\"color-scheme\" content=\"light dark\">\n")
    page.element("title", "\(name): report of a run")
    page.add("\n<style>\n")
    page.add(ReportStyle.css)
    page.add("</style>\n</head>\n<body>\n<main>\n")
    addHead(to: &page)
    if requests.isEmpty {
      page.add("<p>The recording has no requests by http or https.</p>\n")
    } else {
      addSeries(to: &page)
      addStatuses(to: &page)
      addSlowest(to: &page)
      addJobs(to: &page)
      addWaterfall(to: &page)
    }
    page.add("</main>\n</body>\n</html>\n")
    return page.bytes
  }

  private func addHead(to page: inout Markup) {
    page.add("<header>\n")
    page.element("h1", [("class", "o")], name)
    page.add("\n")
    addVerdict(to: &page)
    let figures = RequestFigures(requests)
    page.add("<dl class=\"figures\">\n")
    if let start = waterfall.start {
      let text = Timestamp(clamping: start).rfc3339
      add("Began", text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC", to: &page)
    }
    if !requests.isEmpty { add("Took", Numbers.time(outcome?.seconds ?? waterfall.span), to: &page) }
    if let outcome {
      add("Records", Numbers.grouped(outcome.records), to: &page)
      add("Pages", Numbers.grouped(outcome.pages), to: &page)
    }
    add("Requests", Numbers.grouped(figures.requests), to: &page)
    if figures.retries > 0 { add("Retries", Numbers.grouped(figures.retries), to: &page) }
    if figures.refused > 0 { add("Status 429", Numbers.grouped(figures.refused), to: &page) }
    if figures.failures > 0 { add("Failed requests", Numbers.grouped(figures.failures), to: &page) }
    add("Bytes of replies", figures.bytes.asSize, to: &page)
    if unreadCount > 0 { add("Unreadable entries", Numbers.grouped(unreadCount), to: &page) }
    if otherCount > 0 { add("Entries without http", Numbers.grouped(otherCount), to: &page) }
    if !creator.isEmpty { add("Recorded by", creator, to: &page) }
    page.add("</dl>\n</header>\n")
  }

  private func add(_ name: String, _ value: some StringProtocol, to page: inout Markup) {
    page.add("<div>")
    page.element("dt", name)
    page.element("dd", [("class", "o")], String(value))
    page.add("</div>\n")
  }

  private func addVerdict(to page: inout Markup) {
    guard let outcome else {
      page.add("<p class=\"verdict\">This recording does not say how its run ended.</p>\n")
      return
    }
    page.open("p", [("class", "verdict \(outcome.verdict.rawValue)")])
    page.element("strong", "\(outcome.verdict == .complete ? "✓" : "!") \(outcome.verdict.rawValue)")
    page.text(": \(outcome.verdict.sentence)")
    if !outcome.reason.isEmpty {
      page.text(" Reason: ")
      page.element("span", [("class", "o")], outcome.reason)
    }
    if let exit = outcome.exit { page.text(" (exit code \(exit))") }
    page.add("</p>\n")
    guard let start = outcome.resumedFrom else { return }
    page.add("<p>The run continued the one that began at ")
    page.element("span", [("class", "o")], start)
    page.add(". Its counts include that run. The requests, bytes and times are only those after --resume.</p>\n")
  }
}

extension Verdict {
  fileprivate var sentence: String {
    switch self {
    case .complete: "every record came."
    case .capped: "a limit of the user ended the run."
    case .short: "something says that the records are not the whole set."
    case .partial: "input records were left out or answered empty."
    case .failed: "the run ended early."
    }
  }
}

/// The look of the page.
enum ReportStyle {
  static let css: StaticString = """
    :root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--zebra:#f6f8fa;
    --good:#116329;--bad:#a40e26;--retry:#a40e26;--rate:#9a6700;--queue:#6e7781;--connect:#8250df;--wait:#54aeff;
    --receive:#0a5c2f;--series:#0969da}
    @media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9aa4af;--line:#30363d;
    --zebra:#161b22;--good:#56d364;--bad:#ff7b72;--retry:#ff7b72;--rate:#e3b341;--queue:#8b949e;--connect:#bc8cff;
    --wait:#388bfd;--receive:#7ee787;--series:#58a6ff}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1200px;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;margin:.2em 0;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:2em 0 .4em;border-bottom:1px solid var(--line)}
    h3{font-size:1rem;margin:1.4em 0 0;overflow-wrap:anywhere}
    p{margin:.4em 0;max-width:48rem}
    .o{unicode-bidi:isolate;overflow-wrap:anywhere}
    .verdict{padding:.5em .8em;border:1px solid var(--line);border-left:6px solid var(--soft)}
    .complete{border-left-color:var(--good)}
    .complete strong{color:var(--good)}
    .capped,.partial{border-left-color:var(--rate)}
    .capped strong,.partial strong{color:var(--rate)}
    .short,.failed{border-left-color:var(--bad)}
    .short strong,.failed strong{color:var(--bad)}
    .figures{display:flex;flex-wrap:wrap;gap:.6em 2em;margin:1em 0}
    dt,.sum,figcaption{color:var(--soft);font-size:.87rem}
    dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:1rem}
    figure{margin:0;min-width:0;break-inside:avoid}
    figcaption{color:var(--text);font-weight:600}
    svg{display:block}
    svg text{fill:var(--soft);font-size:11px}
    .grid{stroke:var(--line)}
    .line{fill:none;stroke:var(--series);stroke-width:2;vector-effect:non-scaling-stroke}
    .area{fill:var(--series);opacity:.15}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;font-size:.9rem}
    th,td{padding:.25em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
    thead th{color:var(--soft);white-space:nowrap}
    tbody th{font-weight:600}
    .n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
    .url{min-width:14rem}
    tr{break-inside:avoid}
    .legend{display:flex;flex-wrap:wrap;gap:.2em 1.4em;margin:.6em 0;padding:0;list-style:none;font-size:.87rem}
    .legend li{display:flex;align-items:center;gap:.5em}
    .rows{display:grid;grid-template-columns:minmax(0,clamp(8rem,28vw,20rem)) minmax(0,1fr);gap:0 .6rem;
    break-inside:avoid}
    .labels{margin:0;padding:18px 0 0;list-style:none;font-size:12px;line-height:18px;min-width:0}
    .labels li{height:18px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    .labels li:nth-child(even){background:var(--zebra)}
    .labels b{border:1px solid var(--bad);border-radius:3px;color:var(--bad);padding:0 3px;font-size:11px}
    .hit{fill:transparent}
    g:nth-of-type(even) .hit{fill:var(--zebra);opacity:.6}
    .p0,.p1,.p2{stroke-width:4}
    .p0{stroke:var(--retry);stroke-dasharray:6 3}
    .p1{stroke:var(--rate)}
    .p2{stroke:var(--queue);stroke-dasharray:2 3}
    .p3{fill:var(--connect)}
    .p4{fill:var(--wait)}
    .p5,.dot{fill:var(--receive)}
    @media (max-width:600px){main{padding:.6rem}th,td{padding:.2em .4em}}
    @media print{:root{color-scheme:light;--back:#fff;--text:#000;--soft:#444;--line:#bbb;--zebra:#f4f4f4;
    --good:#116329;--bad:#a40e26;--retry:#a40e26;--rate:#9a6700;--queue:#6e7781;--connect:#8250df;--wait:#54aeff;
    --receive:#0a5c2f;--series:#0969da}body{font-size:11px}main{max-width:none;padding:0}
    svg,.labels b{-webkit-print-color-adjust:exact;print-color-adjust:exact}.scroll{overflow:visible}h2,h3,.sum{break-after:avoid}}

    """
}

extension RunReport {
  /// Number of rows of the slowest requests, and of statuses.
  private static let (slowestLimit, statusLimit) = (15, 50)

  func addStatuses(to page: inout Markup) {
    let counts = requests.reduce(into: [StatusKey: Int]()) { $0[StatusKey($1), default: 0] += 1 }
    let sorted = counts.sorted { ($0.key.status, $0.key.kind) < ($1.key.status, $1.key.kind) }
    page.add("<section>\n<h2>Statuses</h2>\n<div class=\"scroll\"><table>\n")
    addHeads(["Status", "Meaning", "Requests", "Share"], numbers: 2...3, to: &page)
    for (key, count) in sorted.prefix(Self.statusLimit) {
      page.add("<tr>")
      page.element("th", [("scope", "row")], key.status == 0 ? "none" : "\(key.status)")
      page.element("td", [("class", "o")], key.meaning)
      page.element("td", [("class", "n")], Numbers.grouped(count))
      page.open("td", [("class", "n")])
      page.text(Numbers.percent(Double(count), of: Double(requests.count)))
      page.add("</td></tr>\n")
    }
    page.add("</tbody>\n</table></div>\n")
    if sorted.count > Self.statusLimit {
      page.element("p", "And \(Numbers.grouped(sorted.count - Self.statusLimit)) other kinds of answers.")
    }
    page.add("</section>\n")
  }

  func addSlowest(to page: inout Markup) {
    let slowest = requests.enumerated().sorted { ($1.element.duration, $0.offset) < ($0.element.duration, $1.offset) }
    page.add("<section>\n<h2>Slowest requests</h2>\n")
    page.add("<p>Without waits for a rate or for the next attempt.</p>\n<div class=\"scroll\"><table>\n")
    addHeads(["No.", "Request", "Status", "Time", "Connecting", "Server", "Receiving"], numbers: 3...6, to: &page)
    for (index, request) in slowest.prefix(Self.slowestLimit) {
      page.add("<tr>")
      page.element("th", [("scope", "row")], Numbers.grouped(index + 1))
      page.open("td", [("class", "o url")])
      if let job = request.job { page.element("strong", "\(job) ") }
      page.text("\(request.method) \(request.url)")
      page.close("td")
      let status = (200..<300).contains(request.status) ? ["\(request.status)"] : []
      page.element("td", [("class", "o")], (status + request.marks).joined(separator: ", "))
      page.element("td", [("class", "n")], Numbers.time(request.duration))
      for phase in [RecordedRequest.Phase.connect, .wait, .receive] {
        page.element("td", [("class", "n")], Numbers.time(request.times[phase.rawValue]))
      }
      page.add("</tr>\n")
    }
    page.add("</tbody>\n</table></div>\n</section>\n")
  }

  func addJobs(to page: inout Markup) {
    let isOwn = outcome != nil
    page.add("<section>\n")
    page.element("h2", requests.contains { $0.job != nil } ? "Jobs" : "Addresses")
    page.add("\n<div class=\"scroll\"><table>\n")
    let heads = ["Name", "Requests", "Retries", "429", "Failed", "Median", "Slowest", "Bytes"]
    addHeads(heads + (isOwn ? ["Pages", "Records"] : []), numbers: 1...9, to: &page)
    for lane in waterfall.lanes {
      let figures = lane.figures
      page.add("<tr>")
      page.element("th", [("scope", "row"), ("class", "o url")], lane.name)
      var cells = [figures.requests, figures.retries, figures.refused, figures.failures].map(Numbers.grouped)
      cells += [Numbers.time(figures.median), Numbers.time(figures.slowest), figures.bytes.asSize]
      if isOwn {
        let job = outcome?.jobs[lane.name]
        cells += [job?.pages, job?.records].map { $0.map(Numbers.grouped) ?? "" }
      }
      for cell in cells { page.element("td", [("class", "n")], cell) }
      page.add("</tr>\n")
    }
    page.add("</tbody>\n</table></div>\n</section>\n")
  }

  private func addHeads(_ names: [String], numbers: ClosedRange<Int>, to page: inout Markup) {
    page.add("<thead><tr>")
    for (index, name) in names.enumerated() {
      page.element("th", [("scope", "col")] + (numbers.contains(index) ? [("class", "n")] : []), name)
    }
    page.add("</tr></thead>\n<tbody>\n")
  }
}

/// Key of a row in the table of statuses.
private struct StatusKey: Hashable {
  let status: Int
  /// Kind of the error, if there was one.
  let kind: String

  init(_ request: RecordedRequest) {
    status = request.status
    kind = request.error == nil ? "" : request.errorKind ?? "error"
  }

  var meaning: String {
    let name =
      switch status {
      case 0: "no answer"
      case 304: "not modified"
      case 401: "not authorized"
      case 403: "forbidden"
      case 404: "not found"
      case 429: "too many requests"
      case 100..<200: "interim"
      case 200..<300: "success"
      case 300..<400: "redirect"
      case 400..<500: "error of the request"
      case 500..<600: "error of the server"
      default: "unknown"
      }
    return kind.isEmpty ? name : "\(name), \(kind)"
  }
}
