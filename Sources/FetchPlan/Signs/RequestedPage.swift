// The part of a list that a request asks for: a page that is as full may have others behind it.

import JSONText
import PipelineSpec
import Primitives
package import Wire

/// The items of a request that say how many records it asks for, and from where on.
package struct RequestedPage {
  struct Item {
    let item: RequestItem
    let value: String
    /// True for an argument of a GraphQL query.
    var isInText = false

    /// Name of the item; its path in a body.
    var name: String { item.name }

    /// The last part of the name, as names are compared: `pagination[limit]` is `limit`.
    var plain: String { PageHint.normalized(name.split { "[]/.".contains($0) }.last ?? "") }

    /// The item as a pager names it; nil if it is a part of a text, as in a GraphQL query.
    var pageItem: Pages.PageItem? {
      if isInText { return nil }
      switch item.part {
      case .query: return .query(name)
      case .form: return .body(JSONPath(rootKey: name))
      case .body: return (try? JSONPath(name)).map { .body($0) }
      }
    }

    /// The part before the last one, as names are compared; empty without one.
    var group: String { PageHint.normalized(name.split { "[]/.".contains($0) }.dropLast().last ?? "") }
  }

  private static let mostItems = 512
  private static let levels = 4

  private(set) var items: [Item] = []

  private init(query: Substring) { items = Self.items(of: query, in: .query) }

  init(_ request: Request) {
    self.init(query: URLParts(request.url.text).query ?? "")
    guard let body = request.body else { return }
    let text = String(decoding: body.bytes, as: UTF8.self)
    if body.format == .form {
      items += Self.items(of: text[...], in: .form)
    } else if let json = try? JSONValue(parsing: body.bytes) {
      add(json, [], level: 0)
    } else {
      items += graphQLItems(in: text, of: nil)
    }
  }

  private static func items(of query: Substring, in part: RequestItem.Part) -> [Item] {
    func decoded(_ text: Substring) -> String {
      String(decoding: text.replacing("+", with: " ").percentDecoded, as: UTF8.self)
    }
    return QueryItem.items(of: query).prefix(mostItems).flatMap { item -> [Item] in
      let (name, value) = (decoded(item.name), decoded(item.value ?? ""))
      // A GraphQL query in a URL (GraphQL over HTTP).
      let size = name == "query" ? size(inGraphQL: value) : nil
      return [Item(item: RequestItem(in: part, name), value: value)]
        + (size.map { [Item(item: RequestItem($0.name), value: $0.value, isInText: true)] } ?? [])
    }
  }

  private mutating func add(_ value: JSONValue, _ path: [String], level: Int) {
    guard level < Self.levels, items.count < Self.mostItems else { return }
    switch value.kind {
    case .object:
      if let text = value["query"]?.string, text.contains("{") {
        items += graphQLItems(in: text, of: value["variables"])
      }
      for member in value.members where level > 0 || member.name != "query" || member.value.kind != .string {
        add(member.value, path + [member.name], level: level + 1)
      }
    case .string, .number:
      guard !path.isEmpty, value.bytes.count < 200 else { return }
      items.append(Item(item: RequestItem(in: .body, JSONPath(path).description), value: value.string ?? value.text))
    case .array, .boolean, .null: break
    }
  }

  /// The size that the outermost field of a GraphQL query asks for, as a number or a variable.
  private func graphQLItems(in text: String, of variables: JSONValue?) -> [Item] {
    guard let found = Self.size(inGraphQL: text) else { return [] }
    guard found.value.hasPrefix("$") else {
      return [Item(item: RequestItem(found.name), value: found.value, isInText: true)]
    }
    let value = variables?[String(found.value.dropFirst())]
    return value.map { [Item(item: RequestItem(found.name), value: $0.string ?? $0.text, isInText: true)] } ?? []
  }

  /// Returns the first argument of a query that gives a number of records: `first: 10`, `limit: $n`.
  private static func size(inGraphQL text: String) -> (name: String, value: String)? {
    guard text.contains("{") else { return nil }
    let isWord = { (byte: UInt8) in
      byte.isLetterOrDigit || "_$".utf8.contains(byte)
    }
    var name = ""
    var isAfterColon = false
    var rest = text.utf8[...]
    while let byte = rest.first {
      guard isWord(byte) else {
        if byte == UInt8(ascii: ":") { isAfterColon = true } else if byte > 0x20 { (name, isAfterColon) = ("", false) }
        rest = rest.dropFirst()
        continue
      }
      let end = rest.firstIndex { !isWord($0) } ?? rest.endIndex
      let word = String(rest[..<end]) ?? ""
      rest = rest[end...]
      // The declaration of a variable has a type in place of a value.
      if isAfterColon, ["first", "last", "limit", "take", "pageSize", "perPage"].contains(name),
        word.hasPrefix("$") || Int(word) != nil
      {
        return (name, word)
      }
      (name, isAfterColon) = (word, false)
    }
    return nil
  }

  // MARK: What the items mean

  /// The names of answers, without those that a request has for many things, and some of requests alone.
  private static let pageNumbers = Set(PageHint.currentPage).subtracting(["number", "current"]).union(["p", "pg"])
  private static let positions = Set(PageHint.currentOffset).union([
    "resultoffset", "sroffset", "startposition", "startrecord", "firstresult",
  ])
  private static let cursors: Set = ["cursor", "pagetoken", "continuationtoken", "cursormark", "scrollid", "marker"]
  /// Items beside which `from` and `start` are the bounds of a window.
  private static let ends: Set = ["to", "end", "until", "stop", "endtime", "till", "before", "finish", "enddate"]
  /// From here on, a number is rather a time than a position.
  private static let times = 100_000_000

  /// Returns the item that asks for a page of this size, or for no more than that.
  ///
  /// One record is what a search for the best match asks for.
  func size(of counts: Set<Int>) -> Item? {
    items.first { item in
      guard let value = Int(item.value), value > 1, counts.contains(value) else { return false }
      return isSize(item)
    }
  }

  /// True if an item gives the size of a page, whatever it is.
  var hasSize: Bool { items.contains { isSize($0) && Int($0.value).map { $0 > 0 } ?? false } }

  /// Reports that an item asks for more records than a number.
  func asksForMore(than count: Int) -> Bool { items.contains { isSize($0) && Int($0.value) ?? 0 > count } }

  /// The item of the query, the form or the body that gives the size of a page, and the size.
  ///
  /// - Parameter others: items of the pager, which are none, whatever they are called.
  func settableSize(beside others: [Pages.PageItem]) -> (item: Pages.PageItem, name: String, value: Int)? {
    for item in items where isSize(item) {
      guard let value = Int(item.value), value > 0, let pageItem = item.pageItem, !others.contains(pageItem) else {
        continue
      }
      return (pageItem, item.name, value)
    }
    return nil
  }

  private func isSize(_ item: Item) -> Bool { Self.isSize(item) }

  static func isSize(_ item: Item) -> Bool { Pages.isSize(plainName: item.plain) }

  /// The number of the page that the request asks for, where pages are counted, and not records.
  var pageNumber: Int? {
    items.lazy.filter { Self.counted(by: $0) == .page }.compactMap { Int($0.value) }.first {
      (0..<Self.times).contains($0)
    }
  }

  /// Returns the unit that an item counts, judged by its name: `page`, `$skip`, `pagination[page]`.
  static func counted(by item: Item) -> PagesProposal.Counted? {
    if pageNumbers.contains(item.plain) || item.plain == "number" && item.group == "page" { return .page }
    return positions.contains(item.plain) ? .offset : nil
  }

  /// The item that says from where on the request asks.
  var position: Item? {
    let hasEnd = items.contains { Self.ends.contains($0.plain) }
    return items.first { item in
      if Self.cursors.contains(item.plain) { return true }
      guard Self.counted(by: item) != nil, let value = Int(item.value),
        (0..<Self.times).contains(value)
      else { return false }
      return !(hasEnd && ["from", "start", "startat"].contains(item.plain))
    }
  }

  /// True if a URL asks for a page by its number or its offset, and names no cursor.
  package static func isByPosition(_ url: Redactable) -> Bool {
    let asked = RequestedPage(query: URLParts(url.text).query ?? "")
    return asked.position != nil && !asked.items.contains { cursors.contains($0.plain) }
  }

  /// The pager for these items; nil if no item of the request says enough.
  func proposal(like size: Item?) -> PagesProposal? {
    if let item = position {
      // The next value of a cursor is in the answer, also if it is a number.
      guard Int(item.value) != nil, let counted = Self.counted(by: item) else { return nil }
      let pager = PagesProposal.counting(item.item, isOffset: counted == .offset, like: nil)
      return size == nil ? pager : pager?.endingShort ?? pager
    }
    guard let size, let (name, isOffset) = Self.position(beside: size) else { return nil }
    let item = RequestItem(in: size.item.part, name)
    return PagesProposal.counting(item, isOffset: isOffset, like: nil)?.endingShort?
      .with(comment: "'\(name)': see how the API calls it")
  }

  /// Returns the item that usually stands beside one for the size: `offset` beside `limit`, `page` beside `per_page`.
  static func position(beside size: Item) -> (String, isOffset: Bool)? {
    let pairs: [String: (String, Bool)] = [
      "limit": ("offset", true), "top": ("skip", true), "take": ("skip", true), "rows": ("start", true),
      "count": ("offset", true), "num": ("start", true), "maxresults": ("startAt", true), "length": ("start", true),
      "max": ("offset", true), "resultrecordcount": ("resultOffset", true), "maxrows": ("startRow", true),
      "n": ("offset", true), "maxrecords": ("offset", true),
    ]
    if ["first", "last", "maxkeys"].contains(size.plain) { return nil }
    let (name, isOffset) =
      size.group == "page" && size.plain == "size" ? ("number", false) : pairs[size.plain] ?? ("page", false)
    // `$limit` goes with `$offset`, `page[limit]` with `page[offset]`, `paging.limit` with `paging.offset`.
    let own = size.name.split { "[]/.".contains($0) }.last ?? ""
    let sign = own.hasPrefix("$") ? "$" : ""
    let before = size.name.contains("[") || size.item.part == .body && size.name.contains(".")
    let head = before ? size.name.prefix(upTo: own.startIndex) : ""
    let tail = before ? size.name.suffix(from: own.endIndex) : ""
    return (head + sign + name + tail, isOffset)
  }
}
