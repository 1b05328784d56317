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
  /// The heading: the name of the spec, or of a recording that names none.
  var title: String { outcome.flatMap { $0.name.isEmpty ? nil : $0.name } ?? name }
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
  /// The end of one stream's run.
  struct Stream: Sendable {
    let name: String
    let verdict: Verdict?
    let reason: String
    let records: Int
    let pages: Int
  }

  /// Name of the spec; empty in a recording of an older version.
  let name: String
  /// The streams of a command with several; otherwise empty.
  let streams: [Stream]
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
    name = run["name"]?.string ?? ""
    streams = (run["streams"]?.elements.prefix(1_000).map { $0 } ?? []).map { stream in
      Stream(
        name: stream["name"]?.string ?? "", verdict: stream["verdict"]?.string.flatMap(Verdict.init),
        reason: stream["reason"]?.string ?? "", records: stream["records"].count, pages: stream["pages"].count)
    }
    reason = run["reason"]?.string ?? ""
    (records, pages) = (run["records"].count, run["pages"].count)
    retries = run["retries"].count
    exit = run["exit"]?.integer
    seconds = run["seconds"].flatMap { $0.kind == .number ? Double($0.text) : nil }
    jobs = (run["jobs"]?.elements.map { $0 } ?? []).reduce(into: [:]) { jobs, job in
      // Jobs of several streams may have one name.
      let sum = jobs[job["name"]?.string ?? ""] ?? (pages: 0, records: 0)
      jobs[job["name"]?.string ?? ""] = (sum.pages + job["pages"].count, sum.records + job["records"].count)
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
    page.element("title", "\(title): report of a run")
    page.add("\n<style>\n")
    page.add(ReportStyle.css)
    page.add("</style>\n</head>\n<body>\n<main>\n")
    addHead(to: &page)
    if requests.isEmpty {
      page.add("<p>The recording has no requests by http or https.</p>\n")
    } else {
      addTroubles(to: &page)
      addStreams(to: &page)
      addSeries(to: &page)
      addJobs(to: &page)
      addStatuses(to: &page)
      addSlowest(to: &page)
      addWaterfall(to: &page)
    }
    page.add("</main>\n</body>\n</html>\n")
    return page.bytes
  }

  private func addHead(to page: inout Markup) {
    page.add("<header>\n")
    page.element("h1", [("class", "o")], title)
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
    if title != name { add("Recording", name, to: &page) }
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
    page.element("strong", outcome.verdict.label)
    page.text(" \(outcome.verdict.sentence)")
    if let exit = outcome.exit { page.text(" (exit code \(exit))") }
    if !outcome.reason.isEmpty {
      page.open("span", [("class", "reason o")])
      page.text(outcome.reason)
      page.close("span")
    }
    page.add("</p>\n")
    guard let start = outcome.resumedFrom else { return }
    page.add("<p>The run continued the one that began at ")
    page.element("span", [("class", "o")], start)
    page.add(". Its counts include that run. The requests, bytes and times are only those after --resume.</p>\n")
  }
}

extension Verdict {
  /// The verdict after a sign of its own, for readers who see no colours.
  var label: String {
    let sign =
      switch self {
      case .complete: "✓"
      case .capped: "■"
      case .partial: "◐"
      case .short: "▲"
      case .failed: "✕"
      }
    return "\(sign) \(rawValue)"
  }

  fileprivate var sentence: String {
    switch self {
    case .complete: "Every record came."
    case .capped: "A limit of the user ended the run, as intended."
    case .short: "Something says that the records are not the whole set."
    case .partial: "Input records were left out or answered empty."
    case .failed: "The run ended early."
    }
  }
}

/// The look of the page.
enum ReportStyle {
  static let css: StaticString = """
    :root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--zebra:#f6f8fa;
    --good:#116329;--bad:#a40e26;--warn:#9a3d00;--calm:#0550ae;--some:#7d4e00;--retry:#a40e26;--rate:#9a6700;
    --queue:#6e7781;--connect:#8250df;--wait:#54aeff;--receive:#0a5c2f;--series:#0969da}
    @media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9aa4af;--line:#30363d;
    --zebra:#161b22;--good:#56d364;--bad:#ff7b72;--warn:#ffa657;--calm:#79c0ff;--some:#e3b341;--retry:#ff7b72;--rate:#e3b341;--queue:#8b949e;--connect:#bc8cff;
    --wait:#388bfd;--receive:#7ee787;--series:#58a6ff}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1200px;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;margin:.2em 0;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:2em 0 .4em;border-bottom:1px solid var(--line)}
    h3{font-size:1rem;margin:1.4em 0 0;overflow-wrap:anywhere}
    p{margin:.4em 0;max-width:48rem}
    .o{unicode-bidi:isolate;overflow-wrap:anywhere}
    .verdict{--is:var(--soft);padding:.6em .8em;border:1px solid var(--line);border-left:6px solid var(--is)}
    .complete{--is:var(--good)}
    .capped{--is:var(--calm)}
    .partial{--is:var(--some)}
    .short{--is:var(--warn)}
    .failed{--is:var(--bad)}
    p.capped{border-left-style:double}
    p.short,p.failed{border:2px solid var(--is);border-left-width:6px}
    .verdict strong{display:inline-block;margin-right:.3em;padding:0 .5em;border-radius:3px;background:var(--is);
    color:var(--back)}
    .verdict.capped strong{background:none;color:var(--is);box-shadow:inset 0 0 0 1px var(--is)}
    td.complete,td.capped,td.partial,td.short,td.failed{color:var(--is);font-weight:600;white-space:nowrap}
    .reason{display:block;margin-top:.3em}
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
    .scroll{overflow-x:auto;background:linear-gradient(90deg,var(--back) 30%,transparent) 0/2rem 100% no-repeat local,
    linear-gradient(270deg,var(--back) 30%,transparent) 100%/2rem 100% no-repeat local,
    linear-gradient(90deg,var(--line),transparent) 0/.7rem 100% no-repeat scroll,
    linear-gradient(270deg,var(--line),transparent) 100%/.7rem 100% no-repeat scroll}
    table{border-collapse:collapse;font-size:.9rem}
    th,td{padding:.25em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
    thead th{color:var(--soft);white-space:nowrap}
    tbody th{font-weight:600}
    .n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
    .url{min-width:14rem}
    tbody th.url{min-width:8rem}
    .bad{color:var(--bad)}
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
    @media (max-width:600px){main{padding:.6rem}th,td{padding:.2em .4em}.url{min-width:9rem}tbody th.url{min-width:6rem}}
    @media print{:root{color-scheme:light;--back:#fff;--text:#000;--soft:#444;--line:#bbb;--zebra:#f4f4f4;
    --good:#116329;--bad:#a40e26;--warn:#9a3d00;--calm:#0550ae;--some:#7d4e00;--retry:#a40e26;--rate:#9a6700;
    --queue:#6e7781;--connect:#8250df;--wait:#54aeff;--receive:#0a5c2f;--series:#0969da}body{font-size:11px}main{max-width:none;padding:0}
    svg,.labels b,.verdict strong{-webkit-print-color-adjust:exact;print-color-adjust:exact}.scroll{overflow:visible}h2,h3,.sum{break-after:avoid}}

    """
}
