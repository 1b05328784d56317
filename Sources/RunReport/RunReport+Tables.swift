// The tables of the page: what failed, the streams, the jobs, the statuses, the slowest requests; and the HTML that the page
// is written in.

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
      if request.attempt > 1, let row = open[key], all[row].last.attempt < request.attempt {
        all[row].requests.append(request)
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

// MARK: The one way into the page: what the program says itself is a `StaticString`, all other text is escaped

/// HTML with inline SVG, written from front to back.
struct Markup: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Number of scalars of a text from outside that are shown.
  static let textLimit = 300

  typealias Attribute = (name: StaticString, value: String)

  /// Adds markup of the program itself.
  mutating func add(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes += $0 }
  }

  /// Adds text, which may come from anywhere.
  mutating func text(_ text: String) {
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      guard count <= Self.textLimit else { return add("…") }
      escape(scalar)
    }
  }

  /// Adds a start tag.
  mutating func open(_ name: StaticString, _ attributes: [Attribute] = []) {
    add("<")
    add(name)
    for (name, value) in attributes {
      add(" ")
      add(name)
      add("=\"")
      text(value)
      add("\"")
    }
    add(">")
  }

  /// Adds a start tag with a path, which may be longer than a text: only its digits, signs and letters are kept.
  mutating func open(_ name: StaticString, _ attributes: [Attribute] = [], path: String) {
    open(name, attributes)
    bytes.removeLast()
    add(" d=\"")
    bytes += path.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || " .-HMVZ".utf8.contains($0) }
    add("\">")
  }

  mutating func close(_ name: StaticString) {
    add("</")
    add(name)
    add(">")
  }

  /// Adds an element that has only text.
  mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], _ text: String = "") {
    open(name, attributes)
    self.text(text)
    close(name)
  }

  mutating func element(_ name: StaticString, _ text: String) {
    element(name, [], text)
  }

  /// Adds one scalar so that no reader takes it for markup, a control, or a change of the text's direction (UAX #9).
  private mutating func escape(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "&": add("&amp;")
    case "<": add("&lt;")
    case ">": add("&gt;")
    case "\"": add("&quot;")
    case "'": add("&#39;")
    case _ where scalar.isInvisible:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      add("⟨U+")
      bytes += Array((String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
      add("⟩")
    default: bytes += Array(String(scalar).utf8)
    }
  }
}

extension Unicode.Scalar {
  /// True for controls, line ends, scalars that set the direction of text or have no width, and non-characters.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0xAD: true
    case 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    case 0xFFF9...0xFFFB, 0xFDD0...0xFDEF, 0xE0000...0xE007F: true
    default: value & 0xFFFE == 0xFFFE
    }
  }
}

// Numbers as people read them.

/// Spellings of numbers on the page.
enum Numbers {
  /// `12,345`.
  static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var parts: [String] = []
    while digits.count > 3 {
      parts.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([digits] + parts).joined(separator: ",")
  }

  /// `1 request`, `12,345 requests`.
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : noun.hasSuffix("s") ? "es" : "s")"
  }

  /// `1 retry`, `2 retries`.
  static func retries(_ number: Int) -> String { "\(grouped(number)) \(number == 1 ? "retry" : "retries")" }

  /// `0`, `0.4 ms`, `84 ms`, `1.24 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
  static func time(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "?" }
    switch seconds {
    case ..<0.000_05: return "0"
    case ..<0.001: return "\((seconds * 10_000).rounded() / 10) ms"
    case ..<0.999_5: return "\(Int((seconds * 1_000).rounded())) ms"
    case ..<59.995: return "\(trimmed((seconds * 100).rounded() / 100)) s"
    case ..<3_599.5: return pair(Int(seconds.rounded()), 60, "min", 1, "s")
    case ..<86_370: return pair(Int((seconds / 60).rounded()) * 60, 3_600, "h", 60, "min")
    case ..<1e15: return pair(Int((seconds / 3_600).rounded()) * 3_600, 86_400, "d", 3_600, "h")
    default: return "?"
    }
  }

  private static func pair(_ seconds: Int, _ large: Int, _ first: String, _ small: Int, _ second: String) -> String {
    let rest = seconds % large / small
    return "\(grouped(seconds / large)) \(first)" + (rest > 0 ? " \(rest) \(second)" : "")
  }

  private static func trimmed(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// `12.34%`, for a place on an axis.
  static func percent(_ part: Double, of whole: Double) -> String {
    let share = whole > 0 ? min(max(part / whole, 0), 1) : 0
    return "\(trimmed((share * 10_000).rounded() / 100))%"
  }
}
