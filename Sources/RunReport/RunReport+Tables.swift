// The tables of the page: what failed, the streams, the jobs, the statuses, the slowest requests.

import Engine
import Fetching

extension RunReport {
  /// Number of rows of the slowest requests, and of statuses.
  private static let (slowestLimit, statusLimit) = (15, 50)
  /// Number of rows of the requests that failed or were repeated.
  private static let troubleLimit = 50

  func addTroubles(to page: inout Markup) {
    let troubles = Trouble.all(of: requests)
    guard !troubles.isEmpty else {
      return page.add("<p>No request failed, and none was repeated.</p>\n")
    }
    page.add("<section>\n<h2>Failed and repeated requests</h2>\n<div class=\"scroll\"><table>\n")
    let hasErrors = troubles.contains { !$0.error.isEmpty }
    addHeads(["No.", "Request", "Attempts", "Time"] + (hasErrors ? ["Error"] : []), numbers: 3...3, to: &page)
    for trouble in troubles.prefix(Self.troubleLimit) {
      page.add("<tr>")
      page.element("th", [("scope", "row")], Numbers.grouped(trouble.number))
      add(trouble.last, to: &page)
      page.open("td", [("class", "o")])
      page.text(trouble.attempts)
      if trouble.last.isFailure {
        page.add(" ")
        page.element("b", [("class", "bad")], "failed")
      }
      page.close("td")
      page.element("td", [("class", "n")], Numbers.time(trouble.seconds))
      if hasErrors { page.element("td", [("class", "o url")], trouble.error) }
      page.add("</tr>\n")
    }
    page.add("</tbody>\n</table></div>\n")
    if troubles.count > Self.troubleLimit {
      page.element("p", "And \(Numbers.counted(troubles.count - Self.troubleLimit, "other request")).")
    }
    page.add("</section>\n")
  }

  /// Adds a cell with the job and the URL.
  private func add(_ request: RecordedRequest, to page: inout Markup) {
    page.open("td", [("class", "o url")])
    if let job = request.job { page.element("strong", "\(job) ") }
    page.text("\(request.method) \(request.url)")
    page.close("td")
  }

  func addStreams(to page: inout Markup) {
    guard let streams = outcome?.streams, !streams.isEmpty else { return }
    page.add("<section>\n<h2>Streams</h2>\n<div class=\"scroll\"><table>\n")
    addHeads(["Stream", "Verdict", "Records", "Pages", "Reason"], numbers: 2...3, to: &page)
    for stream in streams {
      page.add("<tr>")
      page.element("th", [("scope", "row"), ("class", "o")], stream.name)
      page.element("td", [("class", stream.verdict?.rawValue ?? "")], stream.verdict?.label ?? "")
      for figure in [stream.records, stream.pages] {
        page.element("td", [("class", "n")], Numbers.grouped(figure))
      }
      page.element("td", [("class", "o url")], stream.reason)
      page.add("</tr>\n")
    }
    page.add("</tbody>\n</table></div>\n</section>\n")
  }

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

  /// The requests that took long, for a list of the slowest: those of at least a second that took twice the median.
  ///
  /// Among requests that take about the same time, the slowest ones say nothing.
  static func slow(among requests: [RecordedRequest]) -> [(offset: Int, element: RecordedRequest)] {
    let limit = max(1, 2 * RequestFigures(requests).median)
    return requests.enumerated().filter { $0.element.duration >= limit }
      .sorted { ($1.element.duration, $0.offset) < ($0.element.duration, $1.offset) }
  }

  func addSlowest(to page: inout Markup) {
    let slowest = Self.slow(among: requests)
    guard !slowest.isEmpty else { return }
    page.add("<section>\n<h2>Slowest requests</h2>\n")
    page.add("<p>Without waits for a rate or for the next attempt.</p>\n<div class=\"scroll\"><table>\n")
    addHeads(["No.", "Request", "Status", "Time", "Connecting", "Server", "Receiving"], numbers: 3...6, to: &page)
    for (index, request) in slowest.prefix(Self.slowestLimit) {
      page.add("<tr>")
      page.element("th", [("scope", "row")], Numbers.grouped(index + 1))
      add(request, to: &page)
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
    page.element("h2", requests.contains { $0.job != nil } ? "Steps" : "Addresses")
    page.add("\n<div class=\"scroll\"><table>\n")
    let heads = ["Requests", "Retries", "429", "Failed", "Median", "Slowest", "Bytes"]
    addHeads(["Name"] + (isOwn ? ["Records", "Pages"] : []) + heads, numbers: 1...9, to: &page)
    for lane in waterfall.lanes {
      let figures = lane.figures
      page.add("<tr>")
      page.element("th", [("scope", "row"), ("class", "o url")], lane.name)
      let job = outcome?.jobs[lane.name]
      var cells = isOwn ? [job?.records, job?.pages].map { $0.map(Numbers.grouped) ?? "" } : []
      cells += [figures.requests, figures.retries, figures.refused, figures.failures].map(Numbers.grouped)
      cells += [Numbers.time(figures.median), Numbers.time(figures.slowest), figures.bytes.asSize]
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

/// A request that failed or was repeated, with all its attempts.
struct Trouble: Sendable {
  /// Number of the first attempt in the recording, from 1.
  let number: Int
  private(set) var requests: [RecordedRequest]
  var last: RecordedRequest { requests[requests.count - 1] }

  /// `503, 429, 200`: what became of each attempt.
  var attempts: String {
    let words = requests.map { $0.status == 0 ? $0.errorKind ?? "no answer" : "\($0.status)" }
    let shown = words.count > 10 ? words.prefix(8) + ["…", words[words.count - 1]] : words[...]
    return shown.joined(separator: ", ")
  }

  /// The last attempt's error, or that of the attempt before.
  var error: String { requests.compactMap(\.error).last ?? "" }

  /// Time of all attempts, with the waits between them.
  var seconds: Double { requests.reduce(0) { $0 + $1.duration + $1.times[RecordedRequest.Phase.retry.rawValue] } }

  /// Returns those that failed at the end first, each kind in the order of the recording.
  static func all(of requests: [RecordedRequest]) -> [Trouble] {
    var all: [Trouble] = []
    var open: [Key: Int] = [:]
    for (index, request) in requests.enumerated() {
      let key = Key(request)
      if request.attempt > 1, let place = open[key], all[place].last.attempt < request.attempt {
        all[place].requests.append(request)
      } else if request.isFailure || request.attempt > 1 {
        open[key] = all.count
        all.append(Trouble(number: index + 1, requests: [request]))
      }
    }
    return all.filter(\.last.isFailure) + all.filter { !$0.last.isFailure }
  }

  /// What the attempts of one request have in common.
  private struct Key: Hashable {
    let job: String?
    let page: Int?
    let method: String
    let url: String

    init(_ request: RecordedRequest) {
      (job, page, method, url) = (request.job, request.page, request.method, request.url)
    }
  }
}
