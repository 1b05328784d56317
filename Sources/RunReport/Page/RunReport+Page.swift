import Engine
import Diagnostics
import Primitives

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
