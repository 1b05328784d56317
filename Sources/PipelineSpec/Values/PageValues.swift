// Readers of `contentIdentifier` and `pages`.

internal import Diagnostics
internal import JSONText

/// `pages` while it is read.
struct PagesDraft {
  var item: Pages.PageItem?
  var start: Int?
  var limit: Int?
  var totalPages: Template?
  var totalRecords: Template?
  var more: Template?
  var done: Template?
  var until: Pages.Until?
  var repeats: Bool?
}

extension NodeDecoder {
  // MARK: contentIdentifier

  mutating func contentIdentifier(_ node: Node) -> Template? {
    guard let template = template(node, .request, expected: "a root key or a JSON Pointer") else { return nil }
    guard case .text(let start)? = template.pieces.first, start.utf8.first == UInt8(ascii: "/") else { return template }
    // A hole stands for one whole piece of a name; any letter does for it.
    let shape = template.pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
    return pointer(shape, node) == nil ? nil : template
  }

  /// The path of a pointer (RFC 6901 §3). `*` means nothing yet, and is refused so that it can come to mean something.
  private mutating func pointer(_ text: String, _ node: Node) -> JSONPath? {
    guard let path = JSONPath(pointer: text) else {
      refuse("'~' in a JSON Pointer is '~0' or '~1'", at: node.range, advice: "'~0' is '~', '~1' is '/'")
      return nil
    }
    guard !path.steps.contains(where: { $0.name == "*" }) else {
      refuse(
        "'*' in a JSON Pointer is not understood", at: node.range, advice: "name the member or the element's number")
      return nil
    }
    return path
  }

  // MARK: pages

  mutating func pages(_ node: Node) -> Pages? {
    let before = mistakes.count
    var draft = PagesDraft()
    guard let entries = map(node, keys: SpecKeys.pagesKeys, into: &draft), mistakes.count == before else { return nil }
    var pages = Pages(kind: .single, place: source.place(at: node.range.lowerBound))
    if let item = draft.item {
      pages.kind = .number(item: item, start: draft.start ?? 1)
    } else if entries.count != 1 || draft.limit != 1 {
      let advice =
        "add 'number: page', where 'page' is the query item; '{ limit: 1 }' alone says that one page is meant"
      refuse("'pages' does not say how to get the next page", at: entries.first?.keyRange ?? node.range, advice: advice)
      return nil
    }
    pages.limit = draft.limit
    (pages.totalPages, pages.totalRecords) = (draft.totalPages, draft.totalRecords)
    (pages.more, pages.done, pages.until) = (draft.more, draft.done, draft.until)
    pages.repeats = draft.repeats ?? false
    return pages
  }

  mutating func pageItem(_ node: Node) -> Pages.PageItem? {
    guard let text = name(node, expected: "a query item, or a JSON Pointer into 'body'") else { return nil }
    guard text.utf8.first == UInt8(ascii: "/") else { return .query(text) }
    return pointer(text, node).map { .body($0) }
  }

  /// A template about the page that came; text without one would always be the same.
  mutating func pageTemplate(_ node: Node) -> Template? {
    guard let text = string(node, expected: "a template"), let template = template(text, node, .pages) else {
      return nil
    }
    guard template.literal == nil else {
      let looksLikePath = ["body.", "headers.", "last."].contains { text.hasPrefix($0) }
      let example = looksLikePath ? text.printable : "body.total"
      refuse("no template in it", at: node.range, advice: "write '${\(example)}'")
      return nil
    }
    return template
  }

  mutating func until(_ node: Node) -> Pages.Until? {
    guard case .map(let entries) = node.content else {
      if case .string("short") = node.content { return .short }
      refuse(node, expected: "'short', {below: N} or {status: N}")
      return nil
    }
    var until: Pages.Until?
    map(node, keys: SpecKeys.untilKeys, into: &until)
    guard entries.count == 1 else {
      refuse("'until' takes one of 'below' and 'status'", at: node.range)
      return nil
    }
    return until
  }
}
