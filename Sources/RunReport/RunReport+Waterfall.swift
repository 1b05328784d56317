// The waterfall: a label for each row, and beside the labels an SVG with the bars of some rows.

import Engine
import Fetching
import JSONText

extension RunReport {
  /// Number of rows of one SVG: two of them fit on a printed page, and print breaks pages only between them.
  private static let chunk = 25
  /// Height of a row in CSS pixels.
  private static let height = 18

  func addWaterfall(to page: inout Markup) {
    page.add("<section>\n<h2 id=\"waterfall\">Requests over time</h2>\n")
    page.add("<p>From the first wait of each request to the end of its reply.")
    if waterfall.isGrouped {
      page.add(
        " There are too many requests for a row each: a row is a group of requests that began one after the other. ")
      page.add("Its bar is as long as the group took, and shows each phase's share of the group's time.")
    }
    page.add("</p>\n")
    addLegend(to: &page)
    for lane in waterfall.lanes { add(lane, to: &page) }
    page.add("</section>\n")
  }

  private func addLegend(to page: inout Markup) {
    let shown = Set(waterfall.lanes.flatMap(\.rows).flatMap(\.bars).map(\.phase))
    page.add("<ul class=\"legend\">\n")
    for phase in RecordedRequest.Phase.allCases where shown.contains(phase) {
      page.add("<li><svg width=\"34\" height=\"14\" aria-hidden=\"true\">")
      add(phase, from: "2", to: "32", length: "30", at: 0, to: &page)
      page.add("</svg> ")
      page.text(phase.label)
      page.add("</li>\n")
    }
    page.add("</ul>\n")
  }

  private func add(_ lane: Waterfall.Lane, to page: inout Markup) {
    page.element("h3", [("class", "o")], lane.name)
    page.add("\n")
    page.element("p", [("class", "sum")], lane.figures.sentence)
    page.add("\n")
    for start in stride(from: 0, to: lane.rows.count, by: Self.chunk) {
      add(lane.rows[start..<min(start + Self.chunk, lane.rows.count)], of: lane, to: &page)
    }
  }

  private func add(_ rows: ArraySlice<Waterfall.Row>, of lane: Waterfall.Lane, to page: inout Markup) {
    page.add("<div class=\"rows\">\n<ol class=\"labels\">\n")
    for row in rows { addLabel(row, of: lane, to: &page) }
    page.add("</ol>\n")
    let height = Self.height * (rows.count + 1)
    let numbers = "requests \(rows.first?.first ?? 0) to \(rows.last?.last ?? 0)"
    page.open(
      "svg",
      [
        ("class", "bars"), ("width", "100%"), ("height", "\(height)"), ("role", "img"),
        ("aria-label", "Waterfall of \(numbers) of \(lane.name)"),
      ])
    page.add("\n")
    add(AxisScale(span: waterfall.span), from: 0, to: height, textAt: 12, to: &page)
    for (index, row) in rows.enumerated() { add(row, at: (index + 1) * Self.height, to: &page) }
    page.add("</svg>\n</div>\n")
  }

  private func add(_ axis: AxisScale, from top: Int, to bottom: Int, textAt text: Int, to page: inout Markup) {
    for tick in axis.ticks {
      let x = Numbers.percent(tick, of: waterfall.span)
      page.element("line", [("class", "grid"), ("x1", x), ("x2", x), ("y1", "\(top)"), ("y2", "\(bottom)")])
      guard tick <= waterfall.span * 0.85 else { continue }
      page.element("text", [("x", x), ("y", "\(text)"), ("dx", "3")], Numbers.time(tick))
    }
    page.add("\n")
  }

  private func addLabel(_ row: Waterfall.Row, of lane: Waterfall.Lane, to page: inout Markup) {
    page.open("li", [("title", row.title)])
    for mark in row.marks {
      page.element("b", mark)
      page.add(" ")
    }
    page.element("span", [("class", "o")], row.label(in: lane))
    page.add("</li>\n")
  }

  private func add(_ row: Waterfall.Row, at y: Int, to page: inout Markup) {
    page.add("<g>")
    page.element("title", row.title)
    // The row reacts to a pointer over its whole width, since its bar may be too short.
    page.element("rect", [("class", "hit"), ("y", "\(y)"), ("width", "100%"), ("height", "\(Self.height)")])
    let x = { Numbers.percent($0, of: waterfall.span) }
    for bar in row.bars where bar.end - bar.begin > waterfall.span / 20_000 {
      add(
        bar.phase, from: x(bar.begin), to: x(bar.end), length: x(bar.end - bar.begin), at: y + 2, to: &page)
    }
    if row.end - row.begin < waterfall.span / 250 {
      page.element(
        "rect", [("class", "dot"), ("x", x(row.begin)), ("y", "\(y + 2)"), ("width", "3"), ("height", "14")])
    }
    page.add("</g>\n")
  }

  /// Draws a phase: waits before the request as lines, the exchange itself as bars of three heights.
  private func add(
    _ phase: RecordedRequest.Phase, from begin: String, to end: String, length: String, at y: Int,
    to page: inout Markup
  ) {
    switch phase {
    case .retry, .rate, .queue:
      page.element(
        "line",
        [("class", "p\(phase.rawValue)"), ("x1", begin), ("x2", end), ("y1", "\(y + 7)"), ("y2", "\(y + 7)")])
    case .connect, .wait, .receive:
      let inset = phase == .receive ? 0 : phase == .wait ? 2 : 4
      page.element(
        "rect",
        [
          ("class", "p\(phase.rawValue)"), ("x", begin), ("y", "\(y + inset)"), ("width", length),
          ("height", "\(14 - 2 * inset)"),
        ])
    }
  }
}

extension RecordedRequest.Phase {
  var label: String {
    switch self {
    case .retry: "waiting for the next attempt"
    case .rate: "waiting for a rate or a pause"
    case .queue: "held back by the browser"
    case .connect: "connecting"
    case .wait: "waiting for the server"
    case .receive: "receiving"
    }
  }
}

// The words of a row: its marks, its label, and the text that appears under a pointer.

extension Waterfall.Row {
  /// Marks of the request, or counts of marks of the group.
  var marks: [String] {
    guard request == nil else { return request?.marks ?? [] }
    let others = figures.failures - figures.refused
    return [
      figures.refused > 0 ? "\(figures.refused)× 429" : nil, others > 0 ? "\(others)× failed" : nil,
      figures.retries > 0 ? "\(Numbers.retries(figures.retries))" : nil,
    ].compactMap { $0 }
  }

  /// Returns the label: the number of the request, its page and the end of its URL.
  func label(in lane: Waterfall.Lane) -> String {
    guard let request else { return "\(Numbers.grouped(first)) to \(Numbers.grouped(last))" }
    let page = request.page.map { $0 > 1 ? "page \($0) " : "" } ?? ""
    let method = request.method == "GET" ? "" : "\(request.method) "
    return "\(Numbers.grouped(first)) \(page)\(method)\(request.rest(after: lane.name))"
  }

  /// Everything that is known of the row, in one sentence.
  var title: String {
    let span = "from \(Numbers.time(begin)) to \(Numbers.time(end))"
    guard let request else {
      return "Requests \(Numbers.grouped(first)) to \(Numbers.grouped(last)), \(span): \(figures.sentence)"
    }
    let page = request.page.map { ", page \($0)" } ?? ""
    let phases = RecordedRequest.Phase.allCases.filter { request.times[$0.rawValue] > 0 }
      .map { "\($0.label) \(Numbers.time(request.times[$0.rawValue]))" }.joined(separator: ", ")
    let status = request.status > 0 ? "status \(request.status)" : "no answer"
    let retry = request.attempt > 1 ? ", retry \(request.attempt - 1)" : ""
    let error = request.error.map { "; \($0)" } ?? ""
    return "Request \(Numbers.grouped(first))\(page)\(retry), \(span): \(status), \(request.bytes.asSize); "
      + "\(phases)\(error); \(request.method) \(request.url)"
  }
}

extension RecordedRequest {
  /// Returns the URL without the part that its lane's name has already, or without its origin.
  func rest(after name: String) -> String {
    if url.hasPrefix(name) {
      let rest = url.dropFirst(name.count)
      return rest.isEmpty ? "/" + (url.split(separator: "/").dropFirst(2).last ?? "") : String(rest)
    }
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 3 ? "/" + parts[3] : url
  }
}

extension RequestFigures {
  /// Counts and times in a sentence; what is zero is left out.
  var sentence: String {
    let others = failures - refused
    let counts = [
      Numbers.counted(requests, "request"), retries > 0 ? Numbers.retries(retries) : nil,
      refused > 0 ? "\(Numbers.grouped(refused))× status 429" : nil,
      others > 0 ? "\(Numbers.grouped(others)) failed\(refused > 0 ? " otherwise" : "")" : nil,
    ].compactMap { $0 }
    let times =
      requests == 1
      ? Numbers.time(median) : "median \(Numbers.time(median)), slowest \(Numbers.time(slowest))"
    return "\(counts.joined(separator: ", ")); \(times); \(bytes.asSize)"
  }
}

// MARK: Totals over time, as stepped lines

extension RunReport {
  func addSeries(to page: inout Markup) {
    page.add("<section>\n<h2>Over time</h2>\n<div class=\"charts\">\n")
    for series in series { add(series, to: &page) }
    page.add("</div>\n</section>\n")
  }

  private func add(_ series: TimeSeries, to page: inout Markup) {
    let total = series.name.hasPrefix("Bytes") ? series.total.asSize : Numbers.grouped(series.total)
    page.add("<figure>\n")
    page.element("figcaption", "\(series.name): \(total)")
    page.add("\n")
    page.open(
      "svg",
      [
        ("class", "chart"), ("width", "100%"), ("height", "140"), ("role", "img"),
        ("aria-label", "\(series.name) grew to \(total) in \(Numbers.time(waterfall.span))"),
      ])
    page.add("\n")
    add(AxisScale(span: waterfall.span, count: 4), from: 4, to: 122, textAt: 136, to: &page)
    page.add("<svg y=\"4\" width=\"100%\" height=\"118\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">")
    let line = path(series)
    page.open("path", [("class", "area")], path: line + "V100H0Z")
    page.close("path")
    page.open("path", [("class", "line")], path: line)
    page.close("path")
    page.add("</svg>\n</svg>\n</figure>\n")
  }

  /// Returns the steps in a field of 1,000 by 100.
  private func path(_ series: TimeSeries) -> String {
    let most = Double(max(1, series.total))
    return series.points.reduce(into: "M0 100") { path, point in
      let x = min(max(point.time / waterfall.span, 0), 1) * 1_000
      path += "H\(tenths(x))V\(tenths(100 - Double(point.total) / most * 98))"
    } + "H1000"
  }

  private func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// A total that grows over time, as at most some hundred points.
struct TimeSeries: Sendable, Hashable {
  struct Point: Sendable, Hashable {
    /// Seconds from the beginning of the waterfall.
    let time: Double
    let total: Int
  }

  static let limit = 400

  let name: String
  let points: [Point]
  var total: Int { points.last?.total ?? 0 }

  /// - Parameter points: in any order of time; those at which the total is highest are never dropped.
  init(_ name: String, _ points: [Point]) {
    self.name = name
    let sorted = points.sorted { ($0.time, $0.total) < ($1.time, $1.total) }
    let step = (sorted.count + Self.limit - 1) / Self.limit
    self.points = sorted.enumerated().filter { $0.offset % step == step - 1 || $0.offset == sorted.count - 1 }
      .map(\.element)
  }

  /// Counts something at the ends of requests.
  static func sum(
    _ name: String, _ waterfall: Waterfall, _ requests: [RecordedRequest], _ count: (RecordedRequest) -> Int
  ) -> TimeSeries {
    let arranged = PlacedRequest.arranged(requests)
    let begin = arranged.map(\.begin).min() ?? 0
    var total = 0
    let points = arranged.sorted { ($0.end, $0.number) < ($1.end, $1.number) }.map { member in
      total += count(member.request)
      return Point(time: member.end - begin, total: total)
    }
    return TimeSeries(name, points)
  }
}
