// The state of a stream of pages as plain values, so that another process can resume it.

package import JSONText
import PipelineSpec
package import Wire

/// The state of a stream after a page, without any secret.
///
/// All bookmarks of a stream together are the state of its pager. Each bookmark holds the requests that its page adds
/// to those that must not be repeated.
package struct PagerBookmark: Hashable, Sendable {
  /// The position of the next page.
  enum Position: Hashable, Sendable {
    /// Value of the item, and its value for the page before, for `number` and `offset`.
    case item(Int, after: Int, isUneven: Bool)
    /// Cursor as JSON text, for `cursor`; names stand for secrets (`SecretNames`).
    case cursor(String)
    /// URL, for `next` and `link`; names stand for secrets.
    case url(String)
    case end(Pager.End)
  }

  /// Number of pages so far.
  package let page: Int
  let tally: PagingCounters
  /// Content of the page, to compare the next page with.
  let content: PageContent
  /// Content of page one.
  let beginning: PageContent
  /// JSON text of the value with the column names, in the bookmark of page one; names stand for secrets.
  let columns: String?
  let position: Position
  /// Fingerprints of requests that this page adds.
  let visited: [Int]
  /// True if the stream began without the saved mark, which the server no longer knew.
  package var forgetsMark = false
  /// What is left of a window that was halved (`WindowParts`), after one of its parts.
  package var parts: JSONValue?

  /// Returns the bookmark of a whole window after one of its parts, whose own bookmark this is.
  package func after(_ parts: WindowParts) -> PagerBookmark {
    var bookmark = PagerBookmark(
      page: parts.pages, tally: tally, content: content, beginning: beginning, columns: nil, position: position,
      visited: [])
    (bookmark.forgetsMark, bookmark.parts) = (forgetsMark, parts.json)
    return bookmark
  }
}

extension PagerBookmark {
  /// The bookmark as one JSON object, which `init(_:)` reads.
  package var json: JSONValue { MemberWriter.object { write(to: &$0) } }

  /// Writes the members of that object.
  package func write(to members: inout MemberWriter) {
    members.add("page", page)
    members.add("records", tally.records)
    if tally.uncertain > 0 { members.add("uncertain", tally.uncertain) }
    members.add("first", tally.firstRecords)
    if let total = tally.totals.pages { members.add("totalPages", total) }
    if let total = tally.totals.records { members.add("totalRecords", total) }
    if let most = tally.totals.mostPages, most != tally.totals.pages { members.add("mostPages", most) }
    if let most = tally.totals.mostRecords, most != tally.totals.records { members.add("mostRecords", most) }
    if !tally.announced.isEmpty { members.add("announced", tally.announced.json) }
    if tally.received != tally.records { members.add("received", tally.received) }
    if let kind = tally.contentKind { members.add("kind", JSONValue(kind.rawValue)) }
    if tally.emptyPages > 0 { members.add("emptyPages", tally.emptyPages) }
    if tally.pagesWithoutRecords > 0 { members.add("withoutRecords", tally.pagesWithoutRecords) }
    if tally.knowsDone { members.add("knowsDone", JSONValue(true)) }
    if tally.lastRecord != 0 { members.add("lastRecord", tally.lastRecord) }
    if tally.hasEqual { members.add("equal", JSONValue(true)) }
    if tally.endsKnown { members.add("endsKnown", JSONValue(true)) }
    if tally.isUnsorted { members.add("unsorted", JSONValue(true)) }
    if let size = tally.pageSize { members.add("size", size) }
    if tally.extraPages != 0 { members.add("extraPages", tally.extraPages) }
    members.add("count", content.recordCount)
    members.add("hash", content.hash)
    members.add("firstCount", beginning.recordCount)
    members.add("firstHash", beginning.hash)
    if let columns { members.add("columns", JSONValue(columns)) }
    position.write(to: &members)
    members.add("visited", visited)
    if forgetsMark { members.add("withoutMark", JSONValue(true)) }
    if let parts { members.add("parts", parts) }
  }

  /// Parses a bookmark; nil if the object is not one.
  package init?(_ json: JSONValue) {
    func integer(_ name: String) -> Int? { json[name]?.integer }
    guard let page = integer("page"), let records = integer("records"), let first = integer("first"),
      let count = integer("count"), let hash = integer("hash"), let firstCount = integer("firstCount"),
      let firstHash = integer("firstHash"), let visited = json["visited"],
      let position = Position(json)
    else { return nil }
    let totals = PageTotals(
      pages: integer("totalPages"), records: integer("totalRecords"),
      mostPages: integer("mostPages") ?? integer("totalPages"),
      mostRecords: integer("mostRecords") ?? integer("totalRecords"))
    let tally = PagingCounters(
      totals: totals, announced: AnnouncedTotals(json["announced"]), received: integer("received") ?? records,
      records: records,
      uncertain: integer("uncertain") ?? 0, firstRecords: first,
      pageSize: integer("size"), extraPages: integer("extraPages") ?? 0,
      contentKind: json["kind"]?.string.flatMap { ContentKind(rawValue: $0) },
      knowsDone: json["knowsDone"]?.boolean == true,
      emptyPages: integer("emptyPages") ?? 0, pagesWithoutRecords: integer("withoutRecords") ?? 0,
      endsKnown: json["endsKnown"]?.boolean == true, isUnsorted: json["unsorted"]?.boolean == true,
      lastRecord: integer("lastRecord") ?? 0, hasEqual: json["equal"]?.boolean == true)
    self.init(
      page: page, tally: tally,
      content: PageContent(recordCount: count, hash: hash),
      beginning: PageContent(recordCount: firstCount, hash: firstHash),
      columns: json["columns"]?.string, position: position,
      visited: visited.elements.compactMap(\.integer))
    forgetsMark = json["withoutMark"]?.boolean == true
    parts = json["parts"].map { JSONValue(validated: Array($0.bytes)[...]) }
  }
}

extension PagerBookmark.Position {
  func write(to members: inout MemberWriter) {
    switch self {
    case .item(let value, let previous, let isUneven):
      members.add("item", value)
      members.add("itemBefore", previous)
      members.add("uneven", JSONValue(isUneven))
    case .cursor(let text): members.add("cursor", JSONValue(text))
    case .url(let text): members.add("url", JSONValue(text))
    case .end(let end): end.write(to: &members)
    }
  }

  init?(_ json: JSONValue) {
    if let value = json["item"]?.integer, let previous = json["itemBefore"]?.integer {
      self = .item(value, after: previous, isUneven: json["uneven"]?.boolean == true)
    } else if let text = json["cursor"]?.string {
      self = .cursor(text)
    } else if let text = json["url"]?.string {
      self = .url(text)
    } else {
      guard let end = Pager.End(json) else { return nil }
      self = .end(end)
    }
  }
}

extension Pager.End {
  fileprivate func write(to members: inout MemberWriter) {
    switch self {
    case .single: members.add("end", JSONValue("single"))
    case .complete(let reason):
      members.add("end", JSONValue("complete"))
      members.add("reason", JSONValue(reason))
    case .capped(let limit):
      members.add("end", JSONValue("capped"))
      members.add("limit", limit)
    case .short(let reason):
      members.add("end", JSONValue("short"))
      members.add("reason", JSONValue(reason))
    }
  }

  fileprivate init?(_ json: JSONValue) {
    let reason = json["reason"]?.string ?? ""
    switch json["end"]?.string {
    case "single": self = .single
    case "complete": self = .complete(reason)
    case "short": self = .short(reason)
    case "capped": self = .capped(limit: json["limit"]?.integer ?? 1)
    default: return nil
    }
  }
}

// Pages of another size, after larger ones have failed: `smaller`.

extension Pager {
  /// The size of the next page, and the one with which it is asked for after a failure, with the item's value for it.
  private var smaller: (item: Pages.PageItem, name: String, size: Int, next: (size: Int, position: Int))? {
    guard let pages, let smallest = pages.smallest, case .next(let request) = step,
      let found = RequestedPage(request).settableSize(beside: pages.kind.items), found.value > smallest
    else { return nil }
    let sizes = smallest...max(smallest, found.value / 2)
    guard case .numbered(let numbered) = paging else {
      // Of another size, the page of this number would begin at another record.
      if let number = RequestedPage(request).pageNumber, number > 1 || pageCount > 0 { return nil }
      return (found.item, found.name, found.value, (sizes.upperBound, 0))
    }
    return numbered.resized(from: found.value, to: sizes).map { (found.item, found.name, found.value, $0) }
  }

  /// True if the next page can be asked for with a smaller size.
  package var canShrink: Bool { smaller != nil }

  /// Asks for the next page with a smaller size; returns the request, and a sentence about it.
  package mutating func shrink() -> (request: Request, note: String)? {
    guard let (_, name, size, next) = smaller, case .next(var request) = step else { return nil }
    var extra = 0
    if case .numbered(var numbered) = paging {
      extra = next.position - numbered.position
      guard let moved = numbered.resize(to: next.size, at: next.position) else { return nil }
      (paging, request) = (.numbered(numbered), moved)
    }
    tally.resize(to: next.size, extraPages: extra)
    request = sized(request)
    step = .next(request)
    return (request, "'\(name)' is \(next.size) from now on, after a page of \(size) failed")
  }

  /// Returns a request with the size that pages are asked for with.
  func sized(_ request: Request) -> Request {
    request.asking(forPageOf: tally.pageSize, beside: pages?.kind.items ?? [])
  }
}

extension Request {
  /// Returns the request with a size in the item that gives one; the request itself without a size or such an item.
  func asking(forPageOf size: Int?, beside others: [Pages.PageItem]) -> Request {
    guard let size, let item = RequestedPage(self).settableSize(beside: others)?.item else { return self }
    return ItemRequest(self, item).carrying(size) ?? self
  }
}

/// Number and hash of a page's records, to compare two pages.
struct PageContent: Hashable, Sendable {
  let recordCount: Int
  let hash: Int
}

extension PageContent {
  init(_ page: PageFacts) {
    self.init(recordCount: page.body.recordCount, hash: page.body.contentHash)
  }
}

extension Template.Hole {
  /// The names among which the value that leads to the next page stands.
  func names(in page: PageFacts) -> Set<String> {
    switch root {
    case .headers: return Set(page.fields.all.map { PageHint.normalized($0.name) })
    case .body:
      let parent = path.steps.dropLast().map(\.name)
      let values = PageHints.values(beside: page.body.outline).filter { $0.path.dropLast() == parent[...] }
      return Set(values.map { PageHint.normalized($0.path.last ?? "") })
    default: return []
    }
  }
}

extension PageFacts {
  /// True if the page has several records, which are objects.
  var recordsHaveNames: Bool { body.recordCount > 1 && body.isOfObjects }
}

// Names in place of secrets, for texts that are written to disk: a server's text may repeat the secrets that it got.

/// The named secrets of a job, for texts that another process will read.
struct SecretNames: Sendable {
  /// The first part of every name: where the secret comes from.
  enum Source: String, CaseIterable {
    case env, auth, param

    func name(_ rest: some CustomStringConvertible) -> String { "\(rawValue).\(rest)" }
  }

  /// Values and the spellings that replace them, the longest value first.
  private let forms: [(value: [UInt8], spelling: [UInt8])]
  let secrets: SecretStore

  /// Creates the table of names.
  ///
  /// - Parameters:
  ///   - values: secrets by their names (`env.KEY`); another process that reads the same spec uses the same names.
  ///   - secrets: all secrets that a written text must not show.
  init(_ values: [String: String], secrets: SecretStore) {
    var forms: [(value: [UInt8], spelling: [UInt8])] = []
    for (name, value) in values where !value.isEmpty {
      forms.append((Array(value.utf8), Array("${\(name)}".utf8)))
      // Even if this value needs no encoding, the value in another process may.
      forms.append((Array(value.percentEncoded.utf8), Array("${\(name)%}".utf8)))
    }
    self.forms = forms.sorted { ($1.value.count, $0.spelling.count) < ($0.value.count, $1.spelling.count) }
    self.secrets = secrets
  }

  /// Returns the text with `${env.NAME}` for each value, or `${env.NAME%}` if the value is percent-encoded.
  ///
  /// Nil if a secret remains, or if the result could be confused with the server's own text.
  func hiding(_ text: String) -> String? {
    guard !Source.allCases.contains(where: { text.contains("${\($0.name(""))") }) else { return nil }
    let hidden = Self.replacing(forms.map { ($0.value, $0.spelling) }, in: text)
    return secrets.redacting(hidden) == hidden ? hidden : nil
  }

  /// Returns the original text.
  func revealing(_ text: String) -> Redactable {
    let shown = Self.replacing(forms.map { ($0.spelling, Array("***".utf8)) }, in: text)
    return Redactable(Self.replacing(forms.map { ($0.spelling, $0.value) }, in: text), redacted: shown)
  }

  /// Replaces in one pass, so that inserted text is not searched again.
  private static func replacing(_ pairs: [(old: [UInt8], new: [UInt8])], in text: String) -> String {
    var rest = Array(text.utf8)[...]
    var replaced: [UInt8] = []
    while let byte = rest.first {
      if let pair = pairs.first(where: { rest.starts(with: $0.old) }) {
        replaced += pair.new
        rest = rest.dropFirst(pair.old.count)
      } else {
        replaced.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: replaced, as: UTF8.self)
  }
}
