// The pager's item in a request: a query item, or a value in the JSON body.

import JSONText
import PipelineSpec
import Wire

/// The requests of one stream, which differ only in the pager's item; their URL is split only once.
struct ItemRequest: Sendable {
  private let request: Request
  private let item: Pages.PageItem
  private let url: (before: Redactable, after: Redactable)

  init(_ request: Request, _ item: Pages.PageItem) {
    self.request = request
    self.item = item
    url = if case .query(let name) = item { SplitURL(request.url).around(name) } else { (request.url, Redactable("")) }
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
      guard let texts = cursor.queryTexts, !texts.isEmpty else { return nil }
      return carrying(texts, as: name)
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
    case .header: self = .none
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
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), number <= 1 << 53 else {
      return nil
    }
    return .number(number)
  }
}
