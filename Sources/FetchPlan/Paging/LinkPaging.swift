// Pages that name the next one: by a cursor, by a URL, or by a link.

import JSONText
import PipelineSpec
import Wire

/// The requests of `cursor`, `next` and `link`.
struct LinkPaging: Sendable {
  /// The next page as a page names it.
  enum Target {
    case cursor(RedactableJSON)
    case url(Redactable)
  }

  private let first: Request
  private let kind: Pages.Kind
  private let cursors: CursorRequest?
  /// True if the server keeps the position, so that a request may be the same as those before it.
  private let isScroll: Bool
  /// True if a link whose page has no records is no way on (Sentry's `results="false"`).
  private let skipsEmpty: Bool
  private let secrets: SecretStore

  /// Creates the requests of a stream.
  ///
  /// - Parameters:
  ///   - later: the request of the later pages, if it is another one.
  ///   - secrets: secrets that must not be sent to another origin.
  init(
    _ first: Request, then later: Request? = nil, _ kind: Pages.Kind, skipsEmpty: Bool = false, secrets: SecretStore
  ) {
    self.first = first
    self.skipsEmpty = skipsEmpty
    self.kind = kind
    self.secrets = secrets
    isScroll = later?.movesPosition == true
    cursors = if case .cursor = kind { CursorRequest(later ?? first, kind.cursors) } else { nil }
  }

  /// Returns the next request, and throws if that request was made before.
  ///
  /// Nil if an empty page names itself as the next page: some APIs say in this way that there is nothing new.
  ///
  /// - Parameters:
  ///   - isNews: true if the page has other records than the page before it.
  ///   - saysMore: true if the page says that there is more, so that a scroll goes on after an empty page.
  ///   - endsAtItself: true if a page that names itself is the last one, also if it has records.
  ///   - size: size that pages are asked for with; nil for that of the request itself.
  func request(
    for target: Target, after page: PageFacts, isNews: Bool, saysMore: Bool, endsAtItself: Bool, size: Int?,
    visited: VisitedRequests
  ) throws(PagingError) -> Request? {
    let request = try request(for: target, after: page).asking(forPageOf: size, beside: kind.items)
    guard let used = visited.page(of: request) else { return request }
    // The contents of the pages show whether a scroll goes in circles. An empty page ends it, unless it says more.
    if isScroll { return page.body.recordCount > 0 || saysMore ? request : nil }
    if page.body.recordCount == 0 || endsAtItself, used == page.number { return nil }
    if case .cursor(let cursor) = target, isNews, used == page.number {
      throw PagingError(page, scroll(cursor, page.number), isCircle: true)
    }
    throw PagingError(page, circle(target, request, page.number, used), isCircle: true)
  }

  /// Reports that the next page is found by a record of the page, so that no record that is new moves it.
  ///
  /// - Parameter contentName: the last name of the content's path; nil if the whole body is the content.
  func isKeyset(_ contentName: String?) -> Bool {
    if kind.templates.contains(where: { $0.names(.last) }) { return true }
    guard case .cursor = kind else { return false }
    return kind.templates.flatMap(\.holes).contains { hole in
      let steps = hole.path.steps
      return hole.root == .body
        && steps.indices.contains { steps[$0].index != nil && ($0 == 0 ? nil : steps[$0 - 1].name) == contentName }
    }
  }

  // MARK: The next page

  /// Returns the next page that a page names; nil for none.
  ///
  /// - Parameter isLast: true if no more pages are wanted.
  func target(of page: PageFacts, in scope: TemplateScope, isLast: Bool) throws(PagingError) -> Target? {
    try checkSize(of: page)
    if case .link(let relation, let path) = kind {
      return try link(of: page, relation, in: path).map { .url(Redactable($0)) }
    }
    do {
      if !isLast { try checkLast(of: page, in: scope) }
      switch kind {
      case .cursor(_, let from, others: []): return try from.pageCursor(in: scope).map { .cursor($0) }
      case .cursor: return try kind.cursors.pageCursor(in: scope).map { .cursor($0) }
      case .next(let template): return try template.pageReference(in: scope).map { .url($0) }
      case .single, .auto, .number, .offset, .link: return nil
      }
    } catch {
      throw PagingError(page, error)
    }
  }

  /// Most bytes of a value that leads to the next page.
  private static let largest = 1 << 20

  /// Throws if a value that leads to the next page is so large that it can't mean that.
  private func checkSize(of page: PageFacts) throws(PagingError) {
    var paths = kind.templates.flatMap(\.holes).filter { $0.root == .body }.map(\.pathText)
    if case .link(_, let path?) = kind { paths.append(path.description) }
    for path in paths where page.body.captured[path].map({ $0.count > Self.largest }) == true {
      throw PagingError(
        page, "page \(page.number) has more than 1 MB at '\(path)', which can't lead to the next page: correct the path"
      )
    }
  }

  /// Throws if the last record of a page lacks a value: that can't mean the end, since the page has records.
  private func checkLast(of page: PageFacts, in scope: TemplateScope) throws(ParameterError) {
    guard page.body.recordCount > 0 else { return }
    for hole in kind.templates.flatMap(\.holes) where hole.root == .last && hole.fallback == nil && !hole.isOptional {
      if page.body.last[hole.path.description] == nil {
        throw scope.fault(
          hole,
          "the last record of page \(page.number) has nothing at '\(hole.path)': see how the API names it, or write "
            + "'\(hole.spellingIfMissing)' where there are no more pages after a record without it")
      }
    }
  }

  /// Returns the first link with this relation that is about the page itself; nil for none, or for an empty target.
  private func link(of page: PageFacts, _ relation: String, in path: JSONPath?) throws(PagingError) -> String? {
    let links = try links(of: page, in: path).filter {
      $0.relations.contains(relation.lowercased()) && $0.isAbout(page.url.text) && !(skipsEmpty && $0.isEmpty)
    }
    if let target = links.first(where: { $0.target?.isEmpty != true }) {
      if let target = target.target { return target }
      throw PagingError(
        page,
        "page \(page.number) has a link '\(relation)' whose target can't be read as a URL; page by 'number', 'offset' or "
          + "'cursor', if the API can")
    }
    guard path == nil else { return nil }
    let fields = page.fields.values(of: "Link")
    if let field = fields.first(where: { WebLink.isCut($0) || WebLink.isLost(relation, in: $0) }) {
      throw PagingError(page, "page \(page.number) has \(unreadable(field))")
    }
    return nil
  }

  private func unreadable(_ field: String) -> String {
    "a 'Link' header that can't be read: '\(secrets.redacting(field).prefix(200))'; page by 'number', 'offset' or "
      + "'cursor', if the API can, or say where the pages end, by 'more' or 'until'"
  }

  /// Returns the links of the `Link` fields, or of an array in the body.
  private func links(of page: PageFacts, in path: JSONPath?) throws(PagingError) -> [WebLink] {
    guard let path else { return page.fields.values(of: "Link").flatMap { WebLink.links(in: $0) } }
    if let bar = page.body.blockedPaths[path.description] {
      throw PagingError(page, "\(bar), and has no links in it: correct 'in' of 'link'")
    }
    let links = page.body.captured[path.description].map { JSONValue(validated: $0[...]) } ?? .null
    guard links.kind == .array || links.isNull else {
      let problem =
        "'\(path)' is not an array of links with 'rel' and 'href': it is of the kind \(links.kind.rawValue)"
      throw PagingError(page, "\(problem); a URL that has its own place is read by 'next: body.…'")
    }
    if !links.isNull, links.bytes.count > 2, !links.elements.contains(where: WebLink.hasRelation) {
      throw PagingError(
        page,
        "nothing in '\(path)' has 'rel' (or 'relation') and 'href' (or 'url'): a URL that has its own place is "
          + "read by 'next: body.…'")
    }
    return WebLink.links(in: links)
  }

  private func request(for target: Target, after page: PageFacts) throws(PagingError) -> Request {
    switch target {
    case .url(let reference):
      return try first.led(to: reference, from: page, hiding: secrets)
    case .cursor(let cursor):
      if let request = cursors?.carrying(cursor) { return request }
      throw PagingError(
        page, "the cursor is \(secrets.excerpt(cursor)), which \(itemName) can't take; see what 'from' reads")
    }
  }

  /// Returns the request for a target that was checked before; nil for a target of another kind.
  func request(again target: Target) -> Request? {
    switch target {
    case .cursor(let cursor): return cursors?.carrying(cursor)
    case .url(let url): return try? first.sent(to: url, givenBy: Origin(of: url.text), hiding: secrets.current)
    }
  }

  // MARK: Circles

  private func circle(_ target: Target, _ request: Request, _ page: Int, _ used: Int) -> String {
    let remedy = "or say where the pages end, by 'more' or 'until'"
    switch target {
    case .cursor(let cursor):
      return
        "page \(page) gives the cursor \(secrets.excerpt(cursor)), which page \(used) was asked for with: the pages "
        + "would go in circles. The server may ignore \(itemName); see what it wants to be sent, \(remedy)"
    case .url:
      return "page \(page) leads to '\(request.url.redacted)', which was page \(used) already: the pages would go in "
        + "circles. See whether the server is asked as it wants to be, \(remedy)"
    }
  }

  /// Returns the message about a page that gives its own cursor again, and has other records than the page before.
  private func scroll(_ cursor: RedactableJSON, _ page: Int) -> String {
    "page \(page) gives the cursor \(secrets.excerpt(cursor)), which page \(page) was asked for with, but its records are new: "
      + "the server seems to keep the position itself: write 'scroll: true' in 'pages', or use a cursor that changes, such "
      + "as 'last.id' with a 'sort' by id"
  }

  private var itemName: String { kind.items.map(\.name).joined(separator: " and ") }
}

extension WebLink {
  /// Reports that the link is about the resource at a URL.
  ///
  /// A link whose anchor has a fragment is about another resource (RFC 8288 §3.2).
  func isAbout(_ url: String) -> Bool {
    guard let anchor, !anchor.isEmpty else { return true }
    return anchor.last == "#" || !anchor.contains("#") ? resolve(anchor, against: url) == url : false
  }
}

extension SecretStore {
  /// Returns the start of a value for messages, redacted before it is cut.
  func excerpt(_ value: RedactableJSON) -> Substring { redacting(value.redacted.text).prefix(60) }
}

extension Request {
  /// Hash of the request, equal in every process.
  ///
  /// No byte of a method or URL is zero.
  var fingerprint: Int {
    var fingerprint = Fingerprint()
    fingerprint.combine(Array("\(method)\0\(url.text)\0".utf8))
    if let body { fingerprint.combine(body.bytes) }
    if let field = cursorField { fingerprint.combine(Array("\0\(fields[field] ?? "")".utf8)) }
    return fingerprint.finalize()
  }
}

/// Returns a hash of a text, equal in every process.
func fingerprint(of text: String) -> Int {
  Array(text.utf8).fingerprint
}

extension Template.Hole {
  /// The template as it is written where its value may be missing.
  fileprivate var spellingIfMissing: String {
    spelling.hasPrefix("${") ? "\(spelling.dropLast()):-}" : "\(spelling)?"
  }
}

/// The requests that a stream has made, stored as fingerprints, so that their size does not matter.
struct VisitedRequests: Sendable {
  /// Number of the page for each fingerprint of method, URL, body and cursor.
  private var pages: [Int: Int] = [:]
  /// Fingerprints of requests that were made directly, not only reached by a redirect.
  private var made: Set<Int> = []
  /// Fingerprints that the last page added: its request, and the URL that answered if that differs.
  private(set) var added: [Int] = []

  /// Adds a request and the URL that answered it.
  ///
  /// - Parameter url: URL that answered, which may differ after redirects and then counts as used too.
  mutating func insert(_ request: Request, answeredBy url: Redactable, page: Int) {
    var used = [request.fingerprint]
    if url.text != request.url.text {
      var answered = request
      answered.url = url
      used.append(answered.fingerprint)
    }
    insert(used, page: page)
  }

  mutating func insert(_ fingerprints: [Int], page: Int) {
    added = fingerprints
    if let request = fingerprints.first { made.insert(request) }
    for fingerprint in fingerprints where pages[fingerprint] == nil { pages[fingerprint] = page }
  }

  func page(of request: Request) -> Int? { pages[request.fingerprint] }

  func hasMade(_ request: Request) -> Bool { made.contains(request.fingerprint) }
}
