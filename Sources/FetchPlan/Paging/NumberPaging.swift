// Pages by number and by offset: their requests may be known before earlier pages have arrived.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// The requests of `number`, whose item grows by 1, and of `offset`, whose item grows by the records received.
struct NumberPaging: Sendable {
  private let requests: ItemRequest
  private let item: Pages.PageItem
  private let isOffset: Bool
  private let start: Int
  /// Value of the item for the next page.
  private(set) var position: Int
  /// Value of the item for the last page.
  private(set) var previous: Int
  /// Number of records on page one, or on a full page of another size since then.
  private var size: Int?
  private(set) var isUneven = false

  init(_ requests: ItemRequest, _ item: Pages.PageItem, start: Int, isOffset: Bool) {
    self.requests = requests
    self.item = item
    self.isOffset = isOffset
    self.start = start
    (position, previous) = (start, start)
  }

  /// Continues from another pager's state, and returns the request for the next page.
  mutating func resume(at position: Int, after previous: Int, size: Int, isUneven: Bool) -> Request? {
    (self.position, self.previous, self.size, self.isUneven) = (position, previous, size, isUneven)
    return requests.carrying(position)
  }

  /// Returns the largest size up to a limit with which a page can begin at the next record, and the item's value for it.
  ///
  /// Nil if there is none, or if nothing says at which record the next page begins.
  ///
  /// - Parameter size: the size that the request has now.
  func resized(from size: Int, to sizes: ClosedRange<Int>) -> (size: Int, position: Int)? {
    if isOffset { return (sizes.upperBound, position) }
    // The server counts from 0 or 1, and a page has as many records as it was asked for.
    guard start <= 1 else { return nil }
    if position == start { return (sizes.upperBound, position) }
    guard self.size == size else { return nil }
    let (offset, overflow) = (position - start).multipliedReportingOverflow(by: size)
    guard !overflow, let fit = sizes.reversed().first(where: { offset.isMultiple(of: $0) }) else { return nil }
    return (fit, start + offset / fit)
  }

  /// Continues at the same record with pages of another size, and returns the next request; its size is not set.
  mutating func resize(to size: Int, at position: Int) -> Request? {
    self.size = self.size.map { min($0, size) }
    self.position = position
    return requests.carrying(position)
  }

  /// The request of the last page.
  var requestBefore: Request? { requests.carrying(previous) }

  /// Returns the request after a page.
  mutating func request(after page: PageFacts) throws(PagingError) -> Request {
    if page.number > 1, page.body.itemCount != size { isUneven = true }
    if page.number == 1 { size = page.body.itemCount }
    // Content that is `null` stands for as many records as page one has.
    let received = page.body.hasNullContent ? size ?? 0 : page.body.itemCount
    guard !isOffset || received > 0 else {
      throw PagingError(
        page,
        "page \(page.number) is empty, but 'more' or 'until' says that there is more, and the next offset would be the same: "
          + "leave 'more' or 'until' out, or page by 'number'")
    }
    let (next, overflow) = position.addingReportingOverflow(isOffset ? received : 1)
    guard !overflow else { throw PagingError(page, "there is no page number after \(Int.max)") }
    guard let request = requests.carrying(next) else { throw PagingError(page, "\(item.name) has no place in 'body'") }
    (previous, position) = (position, next)
    return request
  }

  /// Returns the request of a page (from 1) if it does not depend on pages that have not arrived; nil otherwise.
  ///
  /// An offset depends on them unless all pages so far had as many records as page one.
  func request(ofPage number: Int, _ totals: PageTotals) -> Request? {
    guard number > 1 else { return number == 1 ? requests.carrying(start) : nil }
    guard number <= totals.pages ?? .max else { return nil }
    let (before, isBeyond) = (number - 1).multipliedReportingOverflow(by: size ?? 1)
    // Without a number of pages, the total of records limits it.
    if size != nil, totals.pages == nil, isBeyond || before >= totals.records ?? .max { return nil }
    if isOffset, isUneven || (size ?? 0) == 0 { return nil }
    let (value, overflow) = start.addingReportingOverflow(isOffset ? before : number - 1)
    return isBeyond || overflow ? nil : requests.carrying(value)
  }
}

extension NumberPaging {
  /// True if the item is in the URL, so that each page has its own URL.
  var pagesByURL: Bool {
    switch item {
    case .query, .endpoint: true
    case .body, .header: false
    }
  }

  /// Reports that a redirect leads to the same path without the page's item, so that all pages have one URL.
  func isLost(from request: Request, in url: Redactable) -> Bool {
    guard case .query(let name) = item else { return false }
    let (asked, answered) = (SplitURL(request.url), SplitURL(url))
    return asked.path == answered.path && asked.values(of: name) != answered.values(of: name)
  }

  /// Returns the error for such a redirect.
  func lost(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) was redirected to '\(page.url.redacted)', without \(item.name), and has the content of "
        + "page 1; say where the pages end, or write 'ignore: repeats' in the step if pages may be the same",
      isCircle: true, isSamePage: true)
  }

  /// Returns a sentence about a page with records of the page before it.
  ///
  /// - Parameters:
  ///   - shared: number of these records.
  ///   - count: number of the page's records.
  ///   - isHalf: whether they are more than half of a page.
  func overlaps(_ page: PageFacts, _ shared: Int, of count: Int, isHalf: Bool) -> String {
    let found = "page \(page.number) has \(shared) of its \(count) records from page \(page.number - 1)"
    if isHalf, !isOffset {
      return "\(found): \(item.name) seems to count records, and not pages; page by 'offset', if that is so"
    }
    return
      "\(found): the list moved meanwhile, or the server counts otherwise; others may be missing. Fetch again in an order "
      + "that new records do not change, by a member that is unique; or page by 'cursor' or 'next', if the API can"
  }

  /// Returns the error for a page with the content of the page before it.
  func sameContent(_ page: PageFacts) -> PagingError {
    let remedy: String
    if page.number > 2 {
      remedy =
        "earlier pages differ, so the server may repeat its last page; write 'until: repeated' in 'pages', or say where the "
        + "pages end, by 'until: short', 'more', 'totalPages' or 'totalRecords'"
    } else if start == 0, !isOffset {
      remedy =
        "the first two, 0 and 1, may be one page for the server; leave the 0 out of the request if it counts from 1"
    } else if let name = requests.queryItemBesideBody {
      remedy = "the server seems to ignore \(item.name); an item of the request's body is written '/\(name)'"
    } else {
      remedy =
        "the server seems to ignore \(item.name); see how it calls the \(isOffset ? "offset" : "page number")"
    }
    return PagingError(
      page,
      "page \(page.number) has the same content as page \(page.number - 1): \(remedy); or, if pages may be the same, write "
        + "'ignore: repeats' in the step", isCircle: true)
  }
}

extension Pages.PageItem {
  var name: String {
    switch self {
    case .query(let name): "the query item '\(name)'"
    case .body(let path): "'\(path)' of the body"
    case .header(let name): "the header '\(name)'"
    case .endpoint: "'${page}' of 'endpoint'"
    }
  }
}

// MARK: The pager's item in a request: a query item, or a value in the JSON body

/// The requests of one stream, which differ only in the pager's item; their URL is split only once.
struct ItemRequest: Sendable {
  private let request: Request
  private let item: Pages.PageItem
  private let url: (before: Redactable, after: Redactable)
  /// True if cursors are percent-encoded already.
  private let isEncoded: Bool

  init(_ request: Request, _ item: Pages.PageItem, isEncoded: Bool = false) {
    self.request = request
    self.item = item
    self.isEncoded = isEncoded
    url =
      switch item {
      case .query(let name): SplitURL(request.url).around(name)
      case .endpoint: request.pageURL?.aroundPage ?? (request.url, Redactable(""))
      case .body, .header: (request.url, Redactable(""))
      }
  }

  /// The query item's name, if the request has a body, too.
  var queryItemBesideBody: String? {
    if case .query(let name) = item, request.body != nil { name } else { nil }
  }

  /// Returns the request with a number in its item; nil if the body has no place for it.
  func carrying(_ number: Int) -> Request? {
    switch item {
    case .body(let path): request.setting(path, to: RedactableJSON(JSONValue(number)))
    case .query(let name): carrying([Redactable(String(number))], as: name)
    case .endpoint: carrying([Redactable(String(number))], as: "")
    case .header: carrying(RedactableJSON(JSONValue(number)))
    }
  }

  /// Returns the request with a cursor in its item; nil if there is no place for it.
  ///
  /// A body gets the cursor unchanged. A query gets it as text, and an array repeats the item.
  func carrying(_ cursor: RedactableJSON) -> Request? {
    switch item {
    case .body(let path):
      return request.setting(path, to: cursor)
    case .query(let name):
      guard let texts = isEncoded ? cursor.encodedTexts : cursor.queryTexts, !texts.isEmpty else { return nil }
      return carrying(texts, as: name)
    case .endpoint: return nil
    case .header(let name):
      // A line end would begin another field, and spaces around a value are no part of it (RFC 9110 §5.5).
      guard let text = ResolvedValue(cursor.value).text, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
        text.utf8.first != 0x20, text.utf8.last != 0x20
      else { return nil }
      var carrying = request
      carrying.fields.set(name, Redactable(text, redacted: cursor.isSecret ? "***" : nil))
      return carrying
    }
  }

  /// Returns the request with values that are already percent-encoded.
  private func carrying(_ texts: [Redactable], as name: String) -> Request {
    var text = url.before
    for (index, value) in texts.enumerated() {
      if index > 0 { text += Redactable("&\(name.percentEncoded)=") }
      text += value
    }
    text += url.after
    var carrying = request
    carrying.url = text
    return carrying
  }
}

/// The requests of later pages, with a cursor in one item or in several.
struct CursorRequest: Sendable {
  private let request: Request
  private let cursors: [Pages.Cursor]
  private let only: ItemRequest?

  init(_ request: Request, _ cursors: [Pages.Cursor]) {
    (self.request, self.cursors) = (request, cursors)
    only = cursors.count == 1 ? ItemRequest(request, cursors[0]) : nil
  }

  /// Returns the request with a cursor; nil if an item has no place for its value.
  ///
  /// The cursor of several items is an array of their values. An item whose value is null stays as the request has it.
  func carrying(_ cursor: RedactableJSON) -> Request? {
    if let only { return only.carrying(cursor) }
    let values = Array(cursor.value.elements)
    let redacted = Array(cursor.redacted.elements)
    guard values.count == cursors.count else { return nil }
    var carrying = request
    for (index, item) in cursors.enumerated() where !values[index].isNull {
      // A cursor that is a secret as a whole is one in each part.
      let shown = index < redacted.count ? redacted[index] : JSONValue("***")
      guard let next = ItemRequest(carrying, item).carrying(RedactableJSON(values[index], redacted: shown)) else {
        return nil
      }
      carrying = next
    }
    return carrying
  }
}

extension ItemRequest {
  /// Creates the requests with a cursor.
  fileprivate init(_ request: Request, _ cursor: Pages.Cursor) {
    self.init(request, cursor.item, isEncoded: cursor.from.onlyHole?.isEncoded == true)
  }
}

extension [Pages.Cursor] {
  /// Returns the values of the next page as one array; nil if one of them names no page.
  ///
  /// The value of a template with a `?` may be missing, and is null then.
  func pageCursor(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    var values: [RedactableJSON] = []
    for cursor in self {
      if let value = try cursor.from.pageCursor(in: scope) {
        values.append(value)
      } else if cursor.from.onlyHole?.isOptional == true {
        values.append(RedactableJSON(.null))
      } else {
        return nil
      }
    }
    guard values.contains(where: { !$0.value.isNull }) else { return nil }
    return RedactableJSON(
      JSONValue(elements: values.map(\.value)), redacted: JSONValue(elements: values.map(\.redacted)))
  }
}

extension Redactable {
  /// The URL before and after what stands in it for the number of the page.
  fileprivate var aroundPage: (before: Redactable, after: Redactable) {
    func parts(_ text: String) -> (String, String)? {
      text.firstRange(of: StandIn.page).map { (String(text[..<$0.lowerBound]), String(text[$0.upperBound...])) }
    }
    guard let own = parts(text) else { return (self, Redactable("")) }
    // A URL that is a secret as a whole is shown without the number, too.
    let shown = parts(redacted) ?? (redacted, "")
    return (Redactable(own.0, redacted: shown.0), Redactable(own.1, redacted: shown.1))
  }
}

extension RedactableJSON {
  /// Values of query items, percent-encoded: one, or one for each element; nil if a value can't be text.
  var queryTexts: [Redactable]? {
    guard value.kind == .array else { return queryText.map { [$0] } }
    var texts: [Redactable] = []
    for element in value.elements where !element.isNull {
      guard let text = Self(element).queryText else { return nil }
      texts.append(isSecret ? .secret(text.text) : text)
    }
    return texts
  }

  /// The value of a query item, which is percent-encoded already; nil if it is not.
  var encodedTexts: [Redactable]? {
    guard let text = ResolvedValue(value).text, text.isEncodedItem else { return nil }
    return [Redactable(text, redacted: isSecret ? "***" : nil)]
  }

  private var queryText: Redactable? {
    guard let text = ResolvedValue(value).text else { return nil }
    return Redactable(text.percentEncoded, redacted: isSecret ? "***" : nil)
  }
}

extension Request {
  /// Returns this request with another value in its body; nil if there is no place for it.
  func setting(_ path: JSONPath, to value: RedactableJSON) -> Request? {
    guard let body = body?.setting(path, to: value) else { return nil }
    var request = self
    request.body = body
    return request
  }
}

/// What a request has for the item that a pager counts.
enum FirstNumber {
  case number(Int)
  /// The request has no value: the item is missing, null or empty.
  case none
  /// Another text, redacted.
  case text(String)

  init(of item: Pages.PageItem, in request: Request) {
    switch item {
    case .query(let name): self.init(SplitURL(request.url), name)
    case .header(let name):
      guard let text = request.fields[name], !text.isEmpty else { self = .none; return }
      let isSecret = request.fields.all.contains { $0.isNamed(name) && $0.value.isSecret }
      self = Self.number(text) ?? .text(isSecret ? "***" : text)
    case .endpoint: self = .none
    case .body(let path):
      guard let body = request.body else { self = .none; return }
      guard body.format == .json else {
        let text = String(decoding: body.bytes, as: UTF8.self)
        self.init(SplitURL(Redactable("?" + text, redacted: "?" + body.redacted)), path.steps.first?.name ?? "")
        return
      }
      self.init(JSONValue(validated: body.bytes[...])[path], redacted: body.redacted)
    }
  }

  private init(_ url: SplitURL, _ name: String) {
    guard let value = url.values(of: name).first, !value.isEmpty else { self = .none; return }
    self = Self.number(String(value)) ?? .text(url.url.isSecret ? "***" : String(value))
  }

  private init(_ value: JSONValue?, redacted: String) {
    guard let value, !value.isNull, value.string != "" else { self = .none; return }
    let text = value.string ?? value.text
    self = Self.number(text) ?? .text(redacted.contains("***") ? "***" : text)
  }

  private static func number(_ text: String) -> FirstNumber? {
    guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), number <= 1 << 53 else {
      return nil
    }
    return .number(number)
  }
}
