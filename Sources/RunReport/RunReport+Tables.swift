import Engine
import Fetching

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
