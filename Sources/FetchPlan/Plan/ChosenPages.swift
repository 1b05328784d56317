// `pages: auto`: the first answer with a sign of more says how the pages go on.

package import JSONText
import PipelineSpec
package import Wire

/// The value of `pages` that a run has chosen for a job with `pages: auto`.
package struct ChosenPages: Hashable, Sendable {
  /// Values of the last record that a chosen pager may read, whose page has come before it is chosen.
  package static let lastPaths: [JSONPath] = [["id"], ["sort"]]

  /// The value as YAML spells it: `{ next: body.next }`.
  package let value: String
  /// The first value of the item that the pager counts, if the request lacks it.
  package let first: Int?

  init(_ proposal: PagesProposal, first: Int? = nil) {
    (value, self.first) = (proposal.value, first ?? proposal.firstValue)
  }

  /// The line to paste.
  package var line: String {
    "pages: \(value)" + (first.map { "  # and \($0) as the item's first value in the request" } ?? "")
  }

  /// Parses what a journal or a state has; nil for another form.
  package init?(_ json: JSONValue) {
    guard let value = json.string ?? json["pages"]?.string, Pages(value: value) != nil else { return nil }
    (self.value, first) = (value, json["first"]?.integer)
  }

  /// A text, or an object with the first value of the counted item.
  package var json: JSONValue {
    first.map { JSONValue(members: [("pages", JSONValue(value)), ("first", JSONValue($0))]) } ?? JSONValue(value)
  }
}

/// What `pages: auto` makes of the first page of a stream.
package enum AutoPages: Sendable {
  /// The page has a sign of more, and this pager follows it.
  case chosen(Way)
  /// The pager counts an item that the request lacks, and nothing says from where on.
  ///
  /// The answer to `first`, which has the item as 1, says whether the first page was number 1 or 0.
  case counted(Way, first: Request)
  /// The page has no sign of more, and is not full.
  case one
  /// The page may have others behind it, or there are several ways on.
  case unknown(reason: String, lines: [String])

  /// A pager, and the request of its second page.
  package struct Way: Sendable {
    let proposal: PagesProposal
    package let chosen: ChosenPages
    /// The same pager by other usual names of its item, if the name is a guess.
    package let others: [ChosenPages]
    /// Nil if the pager ends at the user's limit, or fails.
    let request: Request?
    /// True if the response itself leads on, by a URL or a cursor.
    var leads: Bool { proposal.isExact || proposal.kind == .cursor }
    var isInBody: Bool { proposal.kind == .cursor && proposal.item?.part == .body }
  }

  /// The pager that the page's own signs lead to.
  package var way: Way? {
    switch self {
    case .chosen(let way), .counted(let way, _): way
    case .one, .unknown: nil
    }
  }
}

extension PagesProposal {
  /// The pager by other usual names of its item, where the request has no item of that name.
  fileprivate func others(besides request: Request) -> [ChosenPages] {
    guard let item, item.part == .query else { return [] }
    let names: [String]
    switch kind {
    case .cursor:
      let from = entries.first { $0.key == "from" }?.value.split(separator: ".").last.map(String.init)
      names = [from, item.name.replacing("_", with: "-")].compactMap { $0 }
    case .offset: names = ["offset", "start", "skip", "from"]
    case .number: names = ["page", "p"]
    case .next, .link: return []
    }
    guard !RequestedPage(request).items.contains(where: { $0.name == item.name }) else { return [] }
    return names.filter { $0 != item.name && PagesProposer.scalar($0) == $0 }.compactMap {
      with(RequestItem($0)).map { ChosenPages($0) }
    }
  }
}

extension ChosenPages {
  private init(_ value: String, first: Int?) { (self.value, self.first) = (value, first) }

  /// The same pager, which counts from another number on.
  package func with(first: Int) -> ChosenPages { ChosenPages(value, first: first) }
}

extension JobPlan {
  /// Decides how the pages of a job with `pages: auto` go on.
  ///
  /// - Parameter pager: a pager of one page, after the first page.
  package func autoPages(
    after page: PageFacts, _ pager: Pager, record: JSONValue?, hiding secrets: SecretStore
  ) -> AutoPages {
    guard let hints = pager.hints else { return .one }
    let request = pager.firstRequest
    let signs = hints.signsOfMore()
    guard let strongest = hints.strongest() else { return withoutSign(page, hints, request) }
    var ways: [AutoPages.Way] = []
    for vote in signs {
      guard let proposal = hints.proposal(for: vote, of: job),
        let way = way(of: proposal, after: page, request, record, secrets),
        !ways.contains(where: { $0.chosen == way.chosen })
      else { continue }
      ways.append(way)
    }
    guard let strongestWay = ways.first else {
      let sign = strongest.text(received: hints.candidates.recordCount)
      return .unknown(
        reason: "the response has \(sign), and no line of 'pages' is known that follows it", lines: ["pages: one"])
    }
    var way = strongestWay
    let leading = ways.filter(\.leads)
    if way.leads {
      if let other = leading.first(where: { !agree($0, way, request) }) {
        return .unknown(
          reason: "two signs of more lead to different requests", lines: [way.chosen.line, other.chosen.line])
      }
      // The name of a cursor's item is a guess; a URL is none.
      if !way.proposal.isExact, !way.proposal.saysEnd, let exact = leading.first(where: \.proposal.isExact) {
        way = exact
      }
      // What is asked by a body goes on in the body: a URL beside it is that of a GET.
      if request.body != nil, way.proposal.isExact, let inBody = leading.first(where: \.isInBody) { way = inBody }
    }
    if case .number(let item, _)? = paging(by: way.chosen)?.job.pages?.kind,
      case .none = FirstNumber(of: item, in: request),
      !strongestWay.proposal.isStartTold, way.chosen.first == nil, let first = ItemRequest(request, item).carrying(1)
    {
      return .counted(way, first: first)
    }
    return .chosen(way)
  }

  private func withoutSign(_ page: PageFacts, _ hints: PageHints, _ request: Request) -> AutoPages {
    if let part = partOfMore(in: page) { return .unknown(reason: part, lines: ["pages: one"]) }
    guard hints.announcedTotal == nil, !job.ignored.contains(.full), let full = fullPage(page, hints, request) else {
      return .one
    }
    return .unknown(reason: full.reason, lines: full.advice.filter { $0.hasPrefix("pages: ") })
  }

  /// Returns the way of a pager after a first page; nil if it leads nowhere.
  private func way(
    of proposal: PagesProposal, after page: PageFacts, _ request: Request, _ record: JSONValue?,
    _ secrets: SecretStore
  ) -> AutoPages.Way? {
    let chosen = ChosenPages(proposal)
    guard let next = next(of: chosen, after: page, request, record, secrets) else { return nil }
    return AutoPages.Way(
      proposal: proposal, chosen: chosen, others: proposal.others(besides: request), request: next.request)
  }

  /// The second page; its request is nil if the pager ends at the user's limit, or fails.
  private struct Second {
    let request: Request?
  }

  /// Returns the second page by a chosen pager; nil if the pager ends with the first one.
  private func next(
    of chosen: ChosenPages, after page: PageFacts, _ first: Request, _ record: JSONValue?, _ secrets: SecretStore
  ) -> Second? {
    guard let plan = paging(by: chosen) else { return nil }
    var pager = plan.pager(first: first, record: record, secrets: secrets)
    switch try? pager.next(after: plan.reading(page)) {
    case .next(let request): return Second(request: request)
    case .end(.capped), .fault, nil: return Second(request: nil)
    case .end(.single), .end(.complete), .end(.short): return nil
    }
  }

  /// Returns evidence if a page has a sign that leads elsewhere than the pager that was chosen before.
  package func otherSign(
    than chosen: ChosenPages, _ found: AutoPages, after page: PageFacts, _ first: Request, record: JSONValue?,
    hiding secrets: SecretStore
  ) -> Evidence? {
    guard let way = found.way, way.chosen.value != chosen.value else { return nil }
    if let own = next(of: chosen, after: page, first, record, secrets) {
      guard let mine = own.request, let other = way.request else { return nil }
      // A pager that counts does not depend on the response, so that any sign of more agrees with it.
      let isCounted =
        switch paging(by: chosen)?.job.pages?.kind {
        case .number, .offset: !way.leads
        default: false
        }
      if isCounted || agree(mine, other, first) { return nil }
    }
    return Evidence(
      .way, "the response has another sign of more than the one that 'pages: auto' took before",
      advice: ["taken before", chosen.line, "and the sign of now is read by", way.chosen.line])
  }

  private func agree(_ a: AutoPages.Way, _ b: AutoPages.Way, _ first: Request) -> Bool {
    guard let one = a.request, let other = b.request else {
      return a.request == nil && b.request == nil || a.proposal.isExact
    }
    return agree(one, other, first)
  }

  /// Reports that two requests ask for one page: they are equal, or what one adds to the first request is in the other.
  private func agree(_ one: Request, _ other: Request, _ first: Request) -> Bool {
    if one.url.text == other.url.text, one.body?.bytes == other.body?.bytes { return true }
    let known = Set(RequestedPage(first).items.map { "\($0.name)=\($0.value)" })
    func news(_ request: Request) -> Set<String> {
      Set(RequestedPage(request).items.filter { !known.contains("\($0.name)=\($0.value)") }.map(\.value))
    }
    let (mine, others) = (news(one), news(other))
    guard !mine.isEmpty, !others.isEmpty else { return false }
    return mine.isSubset(of: others) || others.isSubset(of: mine)
  }

  /// Returns the page with the values that the pager reads, which were not captured while it was not known.
  package func reading(_ page: PageFacts) -> PageFacts {
    var captured = page.body.captured
    for path in pagerPaths {
      let names = path.steps.map(\.name)
      for member in page.body.outline where member.isWhole && !member.isInner && names.starts(with: member.path) {
        let value = JSONValue(validated: member.text[...])
        let rest = JSONPath(Array(path.steps.dropFirst(member.path.count)))
        if let found = rest.steps.isEmpty ? value : value[rest] { captured[path.description] = Array(found.bytes) }
      }
    }
    return PageFacts(
      number: page.number, status: page.status, url: page.url, fields: page.fields,
      body: page.body.capturing(captured))
  }
}
