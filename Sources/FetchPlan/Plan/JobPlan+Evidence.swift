// Evidence of further records: a response may say that there is more than the job sees. Then the run is not complete.

import Diagnostics
package import Wire
import JSONText
import PipelineSpec

extension JobPlan {
  /// Returns a warning if the first or the last page says that there is more than the job would fetch.
  ///
  /// - Parameter pager: the pager after that page.
  package func signOfMore(in page: PageFacts, _ pager: Pager) -> Evidence? {
    guard let hints = pager.hints else { return nil }
    guard let pages = job.pages, pages.isKnown else {
      return isWithoutPager ? withoutPager(page, hints, pager.firstRequest) : nil
    }
    // A page without records often lacks such values.
    if page.number == 1, page.body.recordCount > 0, !isChosen, let template = pager.missingOnFirstPage.first {
      return Evidence(.way, "'\(template)' in 'pages' is missing on the first page: there may be more")
    }
    if page.number == 1, pages.isFrom1, let sign = hints.pageBefore {
      return Evidence(.way, "the first page has \(sign): \(Evidence.page0)")
    }
    guard case .end(.complete(let end)) = pager.step, !(pages.until.contains(.known) && page.body.hasKnown) else {
      return nil
    }
    if page.number > 1, pager.namesNoNext, pager.reachedTotal == nil, let doubt = otherWay(after: page, pages, pager) {
      return doubt
    }
    guard let vote = hints.strongest(against: pages.ownWeight(on: page)),
      !pager.namesItself || vote.weight == .more,
      page.number == 1 || looksForMore(at: vote, pages) && pages.counts(vote, atEnd: page)
    else { return nil }
    let pageName = page.number == 1 ? "the first one" : "page \(page.number)"
    let subject =
      pager.namesNoNext
      ? "\(pages.kind.source) finds no next page on \(pageName)" : "'pages' ends after \(pageName) (\(end))"
    let line = hints.proposal(for: vote, of: job)?.line
    return Evidence(
      vote.evidence,
      "\(subject), but the response has \(vote.text(received: hints.candidates.recordCount)): there is more",
      advice: line.map { ["what says so is read by", $0] } ?? [])
  }

  /// Returns evidence that a list inside the page's records was cut.
  ///
  /// If the record is the whole answer, or one of pages, `pages` speaks of its lists.
  ///
  /// - Parameter saysMore: true if the page was found to say that there is more.
  package func cutList(in page: PageFacts, saysMore: Bool) -> Evidence? {
    guard let list = page.body.cutList else { return nil }
    if page.body.isSingle {
      if let pages = job.pages, pages.isKnown { return nil }
      if job.contentIdentifier == nil, saysMore || job.pages?.isOnePageMeant == true { return nil }
    }
    return Evidence(cut: list)
  }

  /// Returns evidence that a redirect to the same path lost the query: then the answer may be the unfiltered list.
  package func lostQuery(in page: PageFacts, of request: Request) -> Evidence? {
    let (asked, answered) = (request.url.text.split(separator: "?", maxSplits: 1), page.url.text.split(separator: "?"))
    guard page.number == 1, page.url.text != request.url.text, asked.count == 2, answered.count == 1,
      Self.path(asked[0]) == Self.path(answered[0])
    else { return nil }
    return Evidence(
      .filter,
      "the request was redirected to '\(page.url.redacted)', which lacks its query: the records may be others than those asked "
        + "for; write that URL, as it stands there, in 'endpoint'")
  }

  /// The path of a URL, without what canonical URLs change.
  private static func path(_ url: Substring) -> String {
    url.split(separator: "/").dropFirst(2).joined(separator: "/").lowercased()
  }

  /// Returns evidence that an element that the content's `*` goes through has more than came.
  package func innerSign(in page: PageFacts) -> Evidence? {
    guard page.body.outline.contains(where: \.isInner) else { return nil }
    let signs = PageHints(page, contentName: job.contentName)
    guard let vote = signs.inner, !(job.pages?.reads(vote.source) ?? false) else { return nil }
    let received = vote.weight == .records ? signs.candidates.innerCount : nil
    return Evidence(
      .nested, "a list inside an element was cut: it has \(vote.text(received: received))",
      advice: ["fetch the rest in a second step, such as", "- { endpoint: \"…/${input.id}\", attach: rest }"])
  }

  /// Message of the first error in a GraphQL answer (GraphQL §7.1.2); nil without errors.
  package static func graphQLError(in page: PageFacts) -> String? {
    guard let text = page.body.captured[JSONPath(["errors"]).description] else { return nil }
    let errors = JSONValue(validated: text[...])
    guard errors.kind == .array, let first = errors.elements.first(where: { _ in true }) else { return nil }
    return first["message"]?.string ?? first.text
  }

  /// True if a hint counts on a later page that ends the stream.
  ///
  /// A value that the spec itself reads decides alone. Totals may be estimates, so `has_more: true` counts beside them.
  private func looksForMore(at vote: HintReading, _ pages: Pages) -> Bool {
    guard !pages.hasFlag else { return false }
    return pages.totalPages == nil && pages.totalRecords == nil || vote.weight == .more
  }

  func withoutPager(_ page: PageFacts, _ hints: PageHints, _ request: Request) -> Evidence? {
    let lack = job.pages == nil ? "the step has no 'pages'" : "nothing in it leads on"
    guard let vote = hints.strongest() else {
      guard let total = hints.announcedTotal else { return fullPage(page, hints, request) }
      let count = hints.candidates.recordCount ?? 0
      return Evidence(
        .total,
        "the response has '\(total.name)' of \(total.count) for \(count.counted("record")), but \(lack): there may be more",
        advice: ["for one page, add to the step", "pages: one"])
    }
    let sign = vote.text(received: hints.candidates.recordCount)
    let proposal = hints.proposal(for: vote, of: job)
    let advice =
      proposal.map { ["add to the step", $0.line, "or, where one page is meant"] } ?? ["for one page, add to the step"]
    return Evidence(
      vote.evidence, "the response has \(sign), but \(lack): there is more, see 'pages'",
      advice: advice + ["pages: one"],
      finding: Evidence.Finding(sign: sign, proposal: proposal))
  }
}

extension HintReading {
  /// The kind of evidence that the hint is.
  fileprivate var evidence: Sign {
    switch weight {
    case .records, .pages: .total
    case .none, .next, .more: .more
    }
  }
}

extension Job {
  /// The last name of the content's path, as the spec spells it.
  package var contentName: String? {
    guard let shape = contentIdentifier?.contentShape else { return nil }
    return shape.steps.last { !$0.isEvery }?.name
  }
}

extension Pages {
  /// True if the pager reads the cursor or URL that an element at a `*` has.
  fileprivate func reads(_ source: HintCandidate.Source) -> Bool {
    guard case .body(let path) = source else { return false }
    let isElement = { (name: String) in name == "*" || Int(name) != nil }
    return templates.flatMap(\.holes).contains { hole in
      hole.root == .body && hole.path.steps.count == path.count
        && zip(hole.path.steps.map(\.name), path).allSatisfy { $0 == $1 || isElement($0) && isElement($1) }
    }
  }

  /// Reports that a sign counts on the last page.
  ///
  /// Totals don't count there, since they include all pages. A next page does not count after an empty one, since some
  /// servers name an empty page as the next.
  fileprivate func counts(_ vote: HintReading, atEnd page: PageFacts) -> Bool {
    if page.status >= 300 { return false }
    switch kind {
    case .single, .auto: return vote.weight == .more
    case .number, .offset, .cursor, .next, .link:
      return vote.weight == .more || vote.weight == .next && page.body.recordCount > 0
    }
  }

  /// Weight of the pager's own sign that there is no next page; none if the page lacks the values that the pager reads.
  fileprivate func ownWeight(on page: PageFacts) -> PageHint.Weight {
    if hasFlag { return .more }
    switch kind {
    case .cursor, .next:
      if kind.templates.allSatisfy({ $0.isThere(on: page) }) { return .next }
    case .link(_, let path?) where page.body.captured[path.description] != nil: return .next
    case .link(_, nil) where page.fields["Link"] != nil: return .next
    case .single, .auto, .number, .offset, .link: break
    }
    // Of several totals, the spec says which one counts.
    return totalPages != nil || totalRecords != nil ? .pages : .none
  }
}

extension Template {
  /// Reports that a page has the values that the template reads (null counts), or that the spec allows them to be
  /// missing.
  fileprivate func isThere(on page: PageFacts) -> Bool {
    holes.allSatisfy { hole in
      if hole.fallback != nil || hole.isOptional { return true }
      return switch hole.root {
      case .body: page.body.captured[hole.path.description] != nil
      case .headers: page.fields[hole.path.steps.first?.name ?? ""] != nil
      case .last: page.body.last[hole.path.description] != nil
      default: true
      }
    }
  }
}

extension Pages.Kind {
  /// Source of the next page, as the spec spells it.
  fileprivate var source: String {
    switch self {
    case .cursor, .next: "\(templates.map { "'\($0.spelling)'" }.joined(separator: " and ")) in 'pages'"
    case .link(let relation, _): "'link: \(relation)' in 'pages'"
    case .single, .auto, .number, .offset: "'pages'"
    }
  }
}

// MARK: Answers that say that they are not whole

extension JobPlan {
  /// Returns evidence if a response says that it is not whole, by a member beside its records or by its status.
  ///
  /// A `failure` that reads the same member decides alone.
  ///
  /// - Parameter request: the first request, if the list ends with this page and no record came.
  package func partialAnswer(_ page: PageFacts, afterNothing request: Request?) -> Evidence? {
    let pageName = page.number == 1 ? "" : " (page \(page.number))"
    if page.status == 207 {
      return Evidence(.partial, "the response says that it is partial: the status is 207, Multi-Status\(pageName)")
    }
    if let field = page.fields.all.first(where: { Self.saysPartial($0.name, $0.value.text) }) {
      return Evidence(
        .partial,
        "the response says that it is partial: the header '\(field.name)' is '\(field.value.redacted.prefix(100))'\(pageName)"
      )
    }
    guard !page.body.outline.isEmpty else { return nil }
    let known = failurePaths
    let isKnown = { (path: [String]) in known.contains { $0.starts(with: path) || path.starts(with: $0) } }
    guard let hint = PartialHint(in: page, unless: isKnown) else {
      return request.flatMap { atWork(page, $0, unless: isKnown) }
    }
    let advice = hint.failure.map { line in
      [
        job.failure == nil ? "to make it an error, add to the step" : "to make it an error, let 'failure' read it, as",
        line,
      ]
    }
    return Evidence(.partial, "the response says that it is partial: \(hint.text)\(pageName)", advice: advice ?? [])
  }

  /// Returns evidence if a list without records stands beside a status such as `running`.
  private func atWork(_ page: PageFacts, _ request: Request, unless isKnown: ([String]) -> Bool) -> Evidence? {
    guard job.poll?.until == nil, let status = WorkStatus(besideNothingIn: page, job.contentName, of: request),
      !isKnown(status.names), let word = PagesProposer.scalar(status.value)
    else { return nil }
    return Evidence(
      .partial, "the response has no records, and '\(status.path)' is '\(status.value)': the server is still at work",
      advice: [
        "to ask until it is done, add to the step",
        "poll: { until: { \(status.path.yaml): { not: [\(word)] } }, every: 10s, within: 30m }",
      ])
  }

  /// Reports that a header such as `X-Partial-Results: true` says that the response is not whole.
  private static func saysPartial(_ name: String, _ value: String) -> Bool {
    guard name.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "x"),
      let row = PageHint.partial(PageHint.normalized(name.dropFirst(2)), in: ""),
      case .partial(let values) = row.meaning
    else { return false }
    return [.yes, .words].contains(values) && values.hold(for: JSONValue(value))
  }

  /// Paths of the body that the job's `failure`, `empty` or `poll` reads.
  private var failurePaths: [[String]] {
    job.answerConditions.flatMap(\.bodyPaths).map { $0.steps.map(\.name) }
  }
}

// MARK: Full pages

extension JobPlan {
  /// Returns evidence if a job without `pages` got a page that is as full as its request allows, or one that the request
  /// picks out of several, and nothing says that it is the last.
  func fullPage(_ page: PageFacts, _ hints: PageHints, _ request: Request) -> Evidence? {
    guard !page.body.isSingle, page.body.recordCount > 0, page.status != 204, !hints.saysAll, !hints.saysEnd else {
      return nil
    }
    if case .one? = job.attach { return nil }
    let asked = RequestedPage(request)
    let position = asked.position
    // `each` walks the pages by itself.
    if let position, isFromRecord(position) { return nil }
    let count = page.body.itemCount
    let size = asked.size(of: [count, page.body.rowCount, page.body.recordCount])
    let reason: String
    if let size {
      reason =
        "the response has \(count) records, as many as '\(size.name)' asks for, and nothing says that they are all"
    } else if let position, !asked.hasSize || job.pages?.kind == .auto {
      let value = Int(position.value).map { " is \($0)" } ?? ""
      reason = "the request asks for one page ('\(position.name)'\(value)), and nothing says that it is the last"
    } else {
      return nil
    }
    let line = asked.proposal(like: size)?.line
    let advice = line.map { ["to fetch further pages, add to the step", $0, "or, where one page is meant"] }
    return Evidence(
      .full, "\(reason): there may be more",
      advice: (advice ?? ["for one page, add to the step"]) + ["pages: one"])
  }

  /// Returns a sentence if a job without `pages` got a number of records that is a usual size of a page.
  package func roundNumber(_ page: PageFacts, _ pager: Pager) -> String? {
    let count = page.body.itemCount
    // The URL of a record leads to a file, such as a report.
    if job.read != .json, job.endpoint?.onlyHole?.root == .input { return nil }
    guard isWithoutPager, !job.ignored.contains(.full), !page.body.isSingle, let hints = pager.hints, !hints.saysAll,
      !hints.saysEnd, hints.strongest() == nil,
      Self.usualSizes.contains(count) || Self.smallSizes.contains(count) && !job.readsRecords
    else { return nil }
    let last = Self.last(in: page)
    guard last != nil || !RequestedPage(pager.firstRequest).hasSize else { return nil }
    let beside = last.map { ", and '\($0.name)' of \($0.value.excerpt) beside them" } ?? ""
    return
      "the response has just \(count) records, a usual size of pages\(beside): see whether the API has more, and add 'pages', "
      + "or 'ignore: full' where that is all"
  }

  /// A value beside the records that may be a cursor, though its name is not that of one.
  private static func last(in page: PageFacts) -> (name: String, value: JSONValue)? {
    let names: Set = ["last", "lastid", "lastkey", "lasttime", "end", "endtime", "to", "until", "max", "maxid"]
    for member in page.body.outline where member.isWhole && !member.isInner {
      let value = JSONValue(validated: member.text[...])
      guard let name = member.path.last, names.contains(PageHint.normalized(name)),
        [.string, .number].contains(value.kind), value.namesSomething
      else { continue }
      return (name, value)
    }
    return nil
  }

  private static let usualSizes: Set = [
    100, 200, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 20_000, 50_000, 100_000,
  ]

  /// Usual sizes of pages that whole lists often have, too: of the lists that a step fetches for many records, some do.
  private static let smallSizes: Set = [10, 20, 25, 30, 50]

  var isWithoutPager: Bool { job.pages == nil || job.pages?.kind == .auto }

  /// True if the item's value comes from an input record, or from `each`.
  private func isFromRecord(_ item: RequestedPage.Item) -> Bool {
    let items = (item.item.part == .form ? job.form ?? [] : job.query).filter { $0.name == item.name }
    if !items.isEmpty {
      return items.flatMap(\.values).flatMap(\.templates).contains(where: \.readsInputOrMark)
    }
    return ([job.endpoint].compactMap { $0 } + job.bodyTemplates).contains(where: \.readsInputOrMark)
  }
}

extension Template {
  /// True for a value that differs from request to request or from run to run, and so is no page of a list.
  fileprivate var readsInputOrMark: Bool { readsInput || names(.since) }
}
