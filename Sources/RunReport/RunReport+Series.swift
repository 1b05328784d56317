// Totals over time, as stepped lines.

import Engine
import Fetching
import JSONText

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
    for tick in AxisScale(span: waterfall.span, count: 4).ticks {
      let x = Numbers.percent(tick, of: waterfall.span)
      page.open("line", [("class", "grid"), ("x1", x), ("x2", x), ("y1", "4"), ("y2", "122")])
      page.close("line")
      guard tick <= waterfall.span * 0.85 else { continue }
      page.element("text", [("x", x), ("y", "136"), ("dx", "3")], Numbers.time(tick))
    }
    page.add("\n<svg y=\"4\" width=\"100%\" height=\"118\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">")
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
