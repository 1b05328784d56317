// The pager that follows a sign, and the spelling of its line.

package import JSONText
import PipelineSpec
import Primitives
import Wire

/// Finds the pager for a sign.
struct PagesProposer {
  let signs: PageHints
  let job: Job

  func proposal(for vote: HintReading) -> PagesProposal? {
    switch vote.sign {
    case .linkHeader(let isReadable): return isReadable ? PagesProposal(.link, "next", total) : nil
    case .links:
      guard case .body(let path) = vote.source, let links = Self.path(path) else { return nil }
      return PagesProposal(.link, "{ in: \(links), rel: next }", total)
    case .range: return offset([]) ?? number([("until", "short")])
    case .named(let sign): return proposal(for: sign, vote)
    }
  }

  private func proposal(for sign: PageHint, _ vote: HintReading) -> PagesProposal? {
    // No template leads into a header field's text.
    if case .headerMember = vote.source { return turned(by: [("until", "short")]) }
    guard let template = Self.template(vote.source, sign.meaning == .records ? vote.value : nil) else { return nil }
    switch sign.meaning {
    case .next where vote.value.boolean != nil: return turned(by: [("more", flagPath(vote.source) ?? template)])
    case .next, .textOffset: return linked(sign, vote)
    case .more, .end:
      // A bare path takes any other text for yes in 'more', and for an error in 'until'.
      guard vote.value.kind != .string || ["true", "false", "1", "0"].contains(vote.value.string) else {
        return strongestNext.flatMap { linked($0.sign, $0.vote) } ?? turned(by: [])
      }
      let flag = (sign.meaning == .more ? "more" : "until", flagPath(vote.source) ?? template)
      if let next = strongestNext { return linked(next.sign, next.vote, flag: flag) }
      return cursor(beside: vote, flag) ?? turned(by: [flag])
    case .pages:
      return number(
        [("totalPages", template)], unlessFrom0: ["lastpage", "lastpageindex", "maxpage"].contains(sign.name))
    // "At least so many" is no total.
    case .records where vote.value["relation"]?.string == "gte": return sorted(vote, []) ?? turned(by: [])
    case .records:
      let total = ("totalRecords", template)
      return sorted(vote, [total]) ?? turned(by: [total])
    case .partial: return nil
    }
  }

  /// The total that pages which name the next one must reach.
  private var total: [(String, String)] {
    signs.announcedTotal?.template.map { [("totalRecords", $0)] } ?? []
  }

  private var strongestNext: (sign: PageHint, vote: HintReading)? {
    let all = signs.votes.compactMap { vote -> (sign: PageHint, vote: HintReading)? in
      guard vote.saysMore, vote.value.boolean == nil, case .named(let sign) = vote.sign, sign.weight == .next else {
        return nil
      }
      return (sign, vote)
    }
    // The name of a cursor's item is a guess; a URL is none.
    return all.first { linked($0.sign, $0.vote)?.isExact == true } ?? all.first
  }

  // MARK: Pages that name the next one

  private func linked(_ sign: PageHint, _ vote: HintReading, flag: (String, String)? = nil) -> PagesProposal? {
    // One cursor can't carry the items of a whole query.
    if Self.namesQuery(sign.name), vote.value.members.dropFirst().contains(where: { _ in true }) {
      return nil
    }
    let (source, value) = Self.target(vote.source, vote.value)
    guard let template = Self.template(source) else { return nil }
    // A counting cursor is 0 on the last page, and 'from' would take 0 for a cursor.
    let isCounted = value.kind == .number && !source.isHeader && sign.name.contains("cursor")
    let flags = flag.map { [$0] } ?? (isCounted ? [("more", flagPath(source) ?? template)] : total)
    // Cosmos DB takes the cursor in the header field in which it gives it.
    if case .header(let name) = source, sign.name == "mscontinuation", let field = Self.scalar(name) {
      return PagesProposal(.cursor, "{ header: \(field) }", [("from", template)] + flags)
    }
    if let text = value.string, Self.isURL(text) || Self.namesURL(sign.name) {
      return PagesProposal(.next, base(of: source, text) ?? template, flags)
    }
    return cursor(item(sign, source, value), from: template, flags)
  }

  /// Returns the text of a relative next link behind its base; nil if the link has no base of its own.
  ///
  /// Confluence's `_links` have `base` and `next`. A `next` with the path of the base in it needs no base.
  private func base(of source: HintCandidate.Source, _ link: String) -> String? {
    guard case .body(let path) = source, link.hasPrefix("/"),
      let base = signs.candidates.bases[Array(path.dropLast())],
      let own = Self.hole("body", path), let template = Self.hole("body", path.dropLast() + ["base"])
    else { return nil }
    let basePath = base.split(separator: "/", maxSplits: 3).dropFirst(2).joined(separator: "/")
    guard !basePath.isEmpty, !link.dropFirst().hasPrefix(basePath) else { return nil }
    return "\"${\(template)}${\(own)}\""
  }

  private func cursor(_ name: String, from template: String, _ others: [(String, String)]) -> PagesProposal? {
    let variable = job.graphQLVariable
    let cursorItem =
      variable.map { RequestItem(in: .body, JSONPath(["variables", $0]).description) } ?? itemOfRequest(name)
    var comment = ""
    if variable == nil { comment = "'\(cursorItem.name)': see how the API calls it" }
    if variable != nil, !job.hasVariables { comment = "and 'variables: {}' in 'body'" }
    return PagesProposal(.cursor, cursorItem, [("from", template)] + others, comment: comment)
  }

  /// Returns a cursor that stands beside the sign, and means nothing without it: GraphQL's `endCursor`, Stripe's last
  /// `id`.
  private func cursor(beside vote: HintReading, _ flag: (String, String)) -> PagesProposal? {
    guard case .body(let path) = vote.source else { return nil }
    let beside = signs.candidates.all.filter {
      if case .body(let other) = $0.source { other.dropLast() == path.dropLast() } else { false }
    }
    let cursors = beside.filter { ["endcursor", "lastcursor", "cursor"].contains($0.name) && $0.value.kind == .string }
    if let end = cursors.first, let template = Self.template(end.source) {
      return cursor(end.name == "cursor" ? "cursor" : "after", from: template, [flag])
    }
    if beside.contains(where: { $0.name == "object" && $0.value.string == "list" }) {
      return cursor("starting_after", from: "last.id", [flag])
    }
    return nil
  }

  /// Returns the location of the URL or cursor itself in a value that leads to the next page.
  private static func target(_ source: HintCandidate.Source, _ value: JSONValue) -> (HintCandidate.Source, JSONValue) {
    guard case .body(let path) = source, value.kind == .object,
      PageHint.normalized(path.last ?? "") != "lastevaluatedkey"
    else { return (source, value) }
    let order = ["href", "url", "uri", "link", "startingafter", "after", "cursor", "token", "offset", "page"]
    let members = value.members.filter { [.string, .number].contains($0.value.kind) }
    for name in order {
      if let member = members.first(where: { PageHint.normalized($0.name) == name && $0.value.namesSomething }) {
        return (.body(path + [member.name]), member.value)
      }
    }
    // MediaWiki's `continue` has the items to be sent, and one of its own name.
    guard let member = members.first(where: { $0.name != path.last }) else { return (source, value) }
    return (.body(path + [member.name]), member.value)
  }

  private static func isURL(_ text: String) -> Bool {
    text.contains("://") || ["/", "?"].contains(text.prefix(1))
  }

  private static func namesURL(_ name: String) -> Bool {
    ["url", "uri", "link", "href", "path"].contains { name.hasSuffix($0) }
  }

  private static func namesQuery(_ name: String) -> Bool {
    ["params", "parameters", "query"].contains { name.hasSuffix($0) }
  }

  /// Returns the request's item that takes a cursor: the sign's name without `next`.
  private func item(_ sign: PageHint, _ source: HintCandidate.Source, _ value: JSONValue) -> String {
    // `first` and `after` belong together, as in GraphQL.
    if sign.name == "cursor", job.query.contains(where: { $0.name == "first" }) { return "after" }
    if let item = sign.item { return sign.name == "continue" ? Self.name(of: source) : item }
    let own = Self.name(of: source)
    let name = PageHint.normalized(own)
    if value.count != nil, ["next", "nextpage", "nextpagenumber", "page"].contains(name) { return pageItem }
    if ["nexttoken", "nextbatch"].contains(name) { return own }
    // AWS and Jira take a token under the name under which they give it.
    if own == "NextPageToken"
      || name == "nextpagetoken" && signs.candidates.all.contains(where: { $0.name == "islast" })
    {
      return own
    }
    // Notion's lists are objects that say so, as Stripe's are.
    if name == "nextcursor", case .map? = job.body,
      signs.candidates.all.contains(where: { $0.name == "object" && $0.value.string == "list" })
    {
      return "start_cursor"
    }
    return name == "next" ? "cursor" : Self.withoutNext(own)
  }

  private static func name(of source: HintCandidate.Source) -> String {
    switch source {
    case .header(let name), .headerMember(let name):
      PageHint.normalized(name.lowercased().hasPrefix("x-") ? name.dropFirst(2) : name[...])
    case .body(let path): path.last ?? ""
    }
  }

  /// `next_page_token` is sent as `page_token`, `nextPageToken` as `pageToken`.
  private static func withoutNext(_ name: String) -> String {
    guard name.lowercased().hasPrefix("next"), name.utf8.count > 4 else { return name }
    let rest = name.dropFirst(4).drop { "_-".contains($0) }
    let isUpper = name.first?.isUppercase == true
    return isUpper ? String(rest) : rest.prefix(1).lowercased() + rest.dropFirst()
  }

  // MARK: Pages by number and offset

  /// Proposes `offset` if the response has the position in the list, otherwise `number`.
  private func turned(by others: [(String, String)]) -> PagesProposal? {
    offset(others) ?? offsetBesideSize(others) ?? number(others)
  }

  /// Proposes the offset that usually stands beside the size that the request gives, where no item says the page.
  private func offsetBesideSize(_ others: [(String, String)]) -> PagesProposal? {
    let isPageKnown =
      queryItem(counting: .page) != nil
      || signs.candidates.all.contains {
        $0.isPaging && PageHint.currentPage.contains($0.name) && $0.value.count != nil
      }
    guard !isPageKnown else { return nil }
    var items =
      (job.query.map(\.name) + endpointItems.map(\.name)).map { RequestItem($0) }
      + (job.form ?? []).map { RequestItem(in: .form, $0.name) }
    if case .map(let members)? = job.body {
      items += members.map { RequestItem(in: .body, JSONPath([$0.name]).description) }
    }
    for item in items.map({ RequestedPage.Item(item: $0, value: "") }) where RequestedPage.isSize(item) {
      guard let (name, isOffset) = RequestedPage.position(beside: item), isOffset else { continue }
      let offset = RequestItem(in: item.item.part, name)
      return PagesProposal(.offset, offset, others, comment: "'\(name)': see how the API calls it")
    }
    return nil
  }

  /// Proposes Elasticsearch's cursor, which is the `sort` of the last hit: a sorted search of another kind than by pages.
  private func sorted(_ vote: HintReading, _ others: [(String, String)]) -> PagesProposal? {
    guard case .body(let path) = vote.source, path.starts(with: ["hits", "total"]), case .map(let members)? = job.body,
      members.contains(where: { $0.name == "sort" })
    else { return nil }
    return PagesProposal(.cursor, RequestItem(in: .body, "search_after"), [("from", "last.sort")] + others)
  }

  private func offset(_ others: [(String, String)]) -> PagesProposal? {
    if signs.votes.contains(where: { $0.source.lastName == "exceededTransferLimit" }) {
      return PagesProposal(.offset, RequestItem("resultOffset"), others)
    }
    let announced = signs.candidates.all.first {
      $0.isPaging && PageHint.currentOffset.contains($0.name) && $0.value.count != nil
    }
    let given = queryItem(counting: .offset)
    guard let name = given ?? announced?.source.lastName else { return nil }
    // SCIM counts from 1.
    let isFrom1 = given == nil && announced?.value.count == 1
    return PagesProposal(.offset, itemOfRequest(name), others, firstValue: isFrom1 ? 1 : nil)
  }

  /// - Parameter unlessFrom0: true if the other keys don't fit pages that count from 0, such as the index of the last
  ///   page.
  private func number(_ others: [(String, String)], unlessFrom0: Bool = false) -> PagesProposal? {
    let current = signs.candidates.all.first {
      $0.isPaging && PageHint.currentPage.contains($0.name) && $0.value.count != nil
    }
    let isFrom0 = current?.value.count == 0
    let isGiven = queryItem(counting: .page) != nil
    let item = itemOfRequest(pageItem)
    var proposal = PagesProposal(
      .number, item, isFrom0 && unlessFrom0 ? [] : others, comment: "'\(item.name)': see how the API calls it",
      firstValue: isFrom0 && !isGiven ? 0 : nil)
    proposal?.isStartTold = current != nil
    return proposal
  }

  private var pageItem: String {
    if let name = queryItem(counting: .page) { return name }
    let announced = signs.candidates.all.first {
      $0.isPaging && ["pagenumber", "pageno", "pagenum", "pageindex"].contains($0.name) && $0.value.count != nil
    }
    return announced?.source.lastName ?? "page"
  }

  /// Returns the name of an item that the pager may set: `from: "${input.from}"` is the start of a window, say.
  private func queryItem(counting unit: PagesProposal.Counted) -> String? {
    let numbers =
      job.query.filter { $0.values.allSatisfy(\.isNumber) }.map(\.name)
      + endpointItems.filter { Int($0.value) != nil }.map(\.name)
    return numbers.first { PagesProposal.counted(by: $0) == unit }
  }

  /// The items of the query that stand in the endpoint.
  private var endpointItems: [(name: String, value: String)] {
    let text = job.endpoint?.text { _ in "${}" } ?? ""
    return URLParts(text).items.map { item in
      (String(decoding: item.name.percentDecoded, as: UTF8.self), String(item.value ?? ""))
    }
  }

  // MARK: Spelling

  /// Returns the item where the request has it: in the query, or in the body that is sent.
  private func itemOfRequest(_ name: String) -> RequestItem {
    let isInQuery = (job.query.map(\.name) + endpointItems.map(\.name)).contains {
      PageHint.normalized($0) == PageHint.normalized(name)
    }
    guard !isInQuery else { return RequestItem(name) }
    if let form = job.form, form.contains(where: { PageHint.normalized($0.name) == PageHint.normalized(name) }) {
      return RequestItem(in: .form, name)
    }
    guard case .map(let members)? = job.body else { return RequestItem(name) }
    // A body with a map for the page has the cursor there.
    if case .map? = members.first(where: { $0.name == "page" })?.value, ["after", "cursor"].contains(name) {
      return RequestItem(in: .body, "page.cursor")
    }
    return RequestItem(in: .body, JSONPath([name]).description)
  }

  /// Returns the path that reads a value of the answer, as YAML; nil if it can't be written down.
  static func template(_ source: HintCandidate.Source, _ value: JSONValue? = nil) -> String? {
    switch source {
    case .header(let name): return hole("headers", [name])
    case .headerMember: return nil
    case .body(let path): return hole("body", path + (value?.kind == .object ? ["value"] : []))
    }
  }

  /// The path that a condition reads.
  private func flagPath(_ source: HintCandidate.Source) -> String? {
    switch source {
    case .header(let name): JSONPath(root: "headers", [name]).yaml
    case .headerMember: nil
    case .body(let path): JSONPath(root: "body", path).yaml
    }
  }

  /// Returns a path with its root, as YAML; nil if it can't be written down.
  static func hole(_ root: String, _ path: [String]) -> String? { Self.path([root] + path) }

  /// Returns a path as YAML; nil if it can't be written down.
  static func path(_ names: [String]) -> String? {
    let isPlain = names.allSatisfy { name in
      !name.isEmpty && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"'\"\\{}$".utf8.contains($0) }
    }
    guard isPlain else { return nil }
    // `*` of the content's path stands for each element.
    let path = JSONPath(wildcards: names).description
    return path.contains("[") || "-0123456789".contains(path.prefix(1)) ? "'\(path)'" : path
  }

  /// Returns a path as YAML, whatever its names are.
  static func written(_ names: [String]) -> String {
    path(names) ?? JSONValue(JSONPath(names).description).text
  }

  static func scalar(_ text: String) -> String? {
    guard text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && !"\"\\".utf8.contains($0) }), !text.contains("${") else {
      return nil
    }
    let isWord = text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    return isWord && !"-0123456789".contains(text.prefix(1)) ? text : "\"\(text)\""
  }
}

extension HintCandidate.Source {
  var lastName: String? {
    switch self {
    case .header(let name), .headerMember(let name): name
    case .body(let path): path.last
    }
  }
}

extension TemplateValue {
  /// True for a number, or a text that is one.
  fileprivate var isNumber: Bool {
    switch self {
    case .constant(let value, _): value.kind == .number
    case .string(let template): template.literal.flatMap { Int($0) } != nil
    case .list, .map: false
    }
  }
}

extension JSONPath {
  /// The path as YAML reads it, in quotes where YAML needs them.
  package var yaml: String { PagesProposer.written(steps.map(\.name)) }
}
