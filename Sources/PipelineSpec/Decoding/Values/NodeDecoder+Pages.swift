// Decodes `pages`.

import YAMLText

internal import Diagnostics
internal import JSONText
internal import Primitives

extension NodeDecoder {
  private static let kinds = ["number", "offset", "cursor", "next", "link"]
  /// Map to write instead of a bare kind.
  private static let examples = [
    "number": "{ number: page }", "offset": "{ offset: offset }",
    "next": "{ next: \"${body.next}\" }", "cursor": "{ cursor: cursor, from: \"${body.next_cursor}\" }",
  ]
  /// Keys that have a meaning with some kinds only.
  private static let companions = [
    "from": ["cursor"], "then": ["cursor"], "scroll": ["cursor"],
  ]

  mutating func pages(_ node: Node) -> Pages? {
    let before = mistakes.count
    let place = source.place(at: node.range.lowerBound)
    if case .string(let text) = node.content {
      if text == "one" { return Pages(kind: .single, place: place) }
      if text == "link" { return Pages(kind: .link(relation: LinkDraft().relation, in: nil), place: place) }
      refuse(
        node, expected: "'link', 'one' or a map",
        advice: Self.examples[text].map { "write '\($0)'" } ?? "its keys are \(Self.kinds.joined(separator: ", "))")
      return nil
    }
    var draft = PagesDraft()
    if let entries = entries(of: node), entries.count == 1, entries[0].key == "limit", sourceText(of: entries[0].value) == "1" {
      refuse("'pages' has no key 'limit'", at: entries[0].keyRange, advice: "write 'pages: one'")
      return nil
    }
    let hint = formerKeys(FormerKeys.pages, in: node)
    guard let entries = map(node, keys: SpecKeys.pagesKeys, into: &draft, hint: hint) else { return nil }
    let kinds = entries.filter { Self.kinds.contains($0.key) }
    refuseAll(butFirstOf: kinds, draft)
    if kinds.count == 1 { checkCompanions(of: kinds[0], among: entries) }
    guard mistakes.count == before else { return nil }
    guard let kind = kinds.first.flatMap({ draft.kind($0.key) }) else {
      let advice = "add one of \(Self.kinds.joined(separator: ", ")); 'pages: one' says that one page is all"
      refuse("'pages' does not say how to get the next page", at: entries.first?.keyRange ?? node.range, advice: advice)
      return nil
    }
    var pages = Pages(kind: kind, place: place)
    pages.then = draft.then
    (pages.totalPages, pages.totalRecords) = (draft.totalPages, draft.totalRecords)
    (pages.more, pages.done, pages.until) = (draft.more, draft.done, draft.until)
    pages.isScroll = draft.isScroll ?? false
    return pages
  }

  private mutating func refuseAll(butFirstOf kinds: [Node.Entry], _ draft: PagesDraft) {
    for kind in kinds.dropFirst() {
      let isFrom = kinds[0].key == "cursor" && kind.key == "next" && draft.from == nil
      let list = "'pages' has one of \(Self.kinds.joined(separator: ", "))"
      refuse(
        "'\(kind.key)' beside '\(kinds[0].key)'", at: kind.keyRange,
        advice: isFrom ? "where a page has the cursor says 'from'" : list)
    }
  }

  private mutating func checkCompanions(of kind: Node.Entry, among entries: [Node.Entry]) {
    for entry in entries {
      guard let owners = Self.companions[entry.key], !owners.contains(kind.key) else { continue }
      let owner = owners.map { "'\($0)'" }.joined(separator: " and ")
      refuse(
        "'\(entry.key)' means nothing with '\(kind.key)'", at: entry.keyRange,
        advice: "leave it out: it belongs to \(owner)")
    }
    if kind.key == "cursor", !entries.contains(where: { $0.key == "from" }), !suggested.contains("from") {
      let advice = "add 'from' with where a page has the cursor, such as 'from: \"${body.next_cursor}\"'"
      refuse("'cursor' without 'from'", at: kind.keyRange, advice: advice)
    }
  }

  // MARK: Values

  /// Returns the request of the later pages.
  mutating func laterRequest(_ node: Node) -> LaterRequest? {
    var draft = JobDraft()
    let before = mistakes.count
    draft.read(node, keys: SpecKeys.thenKeys, &self)
    checkBody(draft)
    guard mistakes.count == before else { return nil }
    guard let endpoint = draft.job.endpoint else {
      let advice = "write the URL of the later pages, such as 'endpoint: list/continue'"
      refuse("no 'endpoint' in 'then'", at: node.range, advice: advice)
      return nil
    }
    let job = draft.job
    return LaterRequest(
      endpoint: endpoint, method: job.method, query: job.query, body: job.body, form: job.form, text: job.text)
  }

  /// Returns the item of a cursor, which may be a header field.
  mutating func cursorItem(_ node: Node) -> Pages.PageItem? {
    guard case .map(let entries) = node.content else { return pageItem(node) }
    guard entries.count == 1, entries[0].key == "header", case .string(let name) = entries[0].value.content else {
      refuse(
        node, expected: "a query item, a JSON Pointer into 'body', or a header field",
        advice: "write '{ header: x-continuation }' for a header field")
      return nil
    }
    return checkHeaderName(name, at: entries[0].value.range) ? .header(name) : nil
  }

  mutating func pageItem(_ node: Node) -> Pages.PageItem? {
    if case .string(let text) = node.content, text.contains("${") {
      refuse(
        "no template can stand here", at: node.range,
        advice: "it is the item's name in the request; where a page has the cursor says 'from', as in "
          + "'{ cursor: cursor, from: \"\(text.printable)\" }'")
      return nil
    }
    guard
      let text = name(
        node, expected: "a query item, or a JSON Pointer into 'body'", advice: "write 'page' or '/variables/page'")
    else { return nil }
    guard text.utf8.first == UInt8(ascii: "/") else { return .query(text) }
    return bodyPath(text, node).map { .body($0) }
  }

  /// Returns the path of an array of links in a response body.
  mutating func linksPath(_ node: Node) -> JSONPath? {
    guard let text = name(node, expected: "a path", advice: "write 'links', or 'meta.links'") else { return nil }
    guard text.utf8.first == UInt8(ascii: "/") else {
      let path = JSONPath(text.split(separator: ".").map(String.init))
      return path.steps.contains { $0.name == "*" } ? bodyPath("/*", node) : path
    }
    return bodyPath(text, node)
  }

  private mutating func bodyPath(_ text: String, _ node: Node) -> JSONPath? {
    guard let path = JSONPath(pointer: text) else {
      refuse("'~' in a JSON Pointer is '~0' or '~1'", at: node.range, advice: "'~0' is '~', '~1' is '/'")
      return nil
    }
    guard !path.steps.contains(where: { $0.name == "*" }) else {
      refuse("'*' can't stand in this JSON Pointer", at: node.range, advice: "name the member or the element's number")
      return nil
    }
    return path
  }

  /// Returns the value of `link`: a relation, or where the body has its links.
  mutating func link(_ node: Node) -> LinkDraft? {
    var draft = LinkDraft()
    guard case .map = node.content else {
      guard let relation = relation(node) else { return nil }
      draft.relation = relation
      return draft
    }
    let before = mistakes.count
    return whole(node, keys: SpecKeys.linkKeys, into: &draft) && mistakes.count == before ? draft : nil
  }

  /// Returns a number of pages: a whole number from 1, or a template.
  mutating func count(_ node: Node) -> TemplateValue? {
    if case .string(let text) = node.content, text.contains("${") {
      return template(text, node, .setting).map { .string($0) }
    }
    let number = integer(node, in: 1...(1 << 53), expected: "a whole number from 1")
    return number.map { .constant(JSONValue($0), spelling: "\($0)") }
  }

  /// Returns a relation type (RFC 8288 §2.1): one word, or a URI.
  mutating func relation(_ node: Node) -> String? {
    guard let text = name(node, expected: "a relation such as next") else { return nil }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      refuse("'\(text.printable)' is no relation", at: node.range, advice: "write one of them, such as 'next'")
      return nil
    }
    return text
  }

  /// Returns a template that leads from one page to the next, so it must read the page.
  mutating func nextTemplate(_ node: Node) -> Template? {
    guard let template = pageTemplate(node, example: "body.next", mayCompare: true) else { return nil }
    guard [.body, .headers, .last].contains(where: { template.names($0) }) else {
      let advice = "read the page with '${body.…}', '${headers.…}' or '${last.…}'"
      refuse("it would be the same on every page", at: node.range, advice: advice)
      return nil
    }
    return template
  }

  /// Returns a template about the current page; text without a template would never change.
  ///
  /// - Parameter mayCompare: true if the text is sent, so that the API may read a comparison in it.
  mutating func pageTemplate(
    _ node: Node, example: String = "body.total", mayCompare: Bool = false
  ) -> Template? {
    if case .number(let number) = node.content {
      let advice = "write where a page has it, such as '${\(example)}'; 'maxPages: \(number)' in the job is for at most so many pages"
      refuse(node, expected: "a template", advice: advice)
      return nil
    }
    if case .boolean = node.content {
      refuse(node, expected: "a template", advice: "write where a page has it, such as '${\(example)}'")
      return nil
    }
    guard let text = string(node, expected: "a template"), let template = template(text, node, .pages) else {
      return nil
    }
    guard template.literal == nil else {
      refuse("no template in it", at: node.range, advice: "write '${\(Self.place(in: text) ?? example)}'")
      return nil
    }
    guard mayCompare || !template.comparesSomething else {
      refuse(
        "no comparison can stand beside a template", at: node.range,
        advice:
          "read the value alone, as '\(template.holes[0].spelling)'; 'failure' takes a condition, such as '{ ok: false }'"
      )
      return nil
    }
    return template
  }

  /// Returns the path in a page that a text without a template probably means.
  private static func place(in text: String) -> String? {
    let inside = text.hasPrefix("{{") && text.hasSuffix("}}") ? text.dropFirst(2).dropLast(2) : text[...]
    var path = inside.drop { $0 == " " }.prefix { $0 != " " }
    if path.hasPrefix("$.") { path = path.dropFirst(2) }
    guard path.utf8.first?.isLetter == true || path.hasPrefix("@"), path.utf8.allSatisfy({ $0.isWord || $0 == 0x2E })
    else {
      return nil
    }
    guard path.contains(where: { "._-".contains($0) }) else { return nil }
    if path.hasPrefix("response.") { path = path.dropFirst("response.".count) }
    if ["body.", "headers.", "last."].contains(where: path.hasPrefix) { return String(path) }
    // Header fields have hyphens, members rarely do.
    return path.contains("-") && !path.contains(".") ? "headers.\(path)" : "body.\(path)"
  }

  mutating func endStatus(_ node: Node) -> Int? {
    guard let status = self.status(node) else { return nil }
    guard status == 204 || status >= 300 else {
      refuse(
        "a reply with status \(status) brings a page, so it can't be what ends them", at: node.range,
        advice: "write 204, or the status of an error, such as 404")
      return nil
    }
    guard ![301, 302, 303, 307, 308].contains(status) else {
      refuse(
        "a redirect is followed, so status \(status) can't be what ends the pages", at: node.range,
        advice: "write the status at the redirect's target, such as 404")
      return nil
    }
    return status
  }

  mutating func until(_ node: Node) -> Pages.Until? {
    guard case .map(let entries) = node.content else {
      if case .string("short") = node.content { return .short }
      if case .string("known") = node.content { return .known }
      if case .string("repeated") = node.content { return .repeated }
      refuse(node, expected: "'short', 'known', 'repeated', {below: N} or {status: N}")
      return nil
    }
    var until: Pages.Until?
    map(node, keys: SpecKeys.untilKeys, into: &until)
    guard entries.count == 1 else {
      refuse(
        "'until' takes one of 'below' and 'status'", at: node.range, advice: "write '{ below: 1 }' or '{ status: 404 }'"
      )
      return nil
    }
    return until
  }
}

extension Template {
  /// True if the text around the templates compares them, as conditions of other tools do.
  fileprivate var comparesSomething: Bool {
    pieces.contains { piece in
      guard case .text(let text) = piece else { return false }
      return [" == ", " != ", " > ", " < ", " >= ", " <= ", " && ", " || "].contains { text.contains($0) }
    }
  }
}

// Decodes `empty`: answers that mean that there are no records.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func empty(_ node: Node) -> Job.Empty? {
    guard case .map(let entries) = node.content else {
      return emptyStatuses(node).map { Job.Empty(statuses: $0, condition: nil) }
    }
    let before = mistakes.count
    var draft = EmptyDraft()
    map(node, keys: SpecKeys.emptyKeys, into: &draft)
    if entries.isEmpty {
      refuse("neither 'status' nor 'when' in 'empty'", at: node.range, advice: "write '404' for a status")
    }
    guard mistakes.count == before else { return nil }
    return Job.Empty(statuses: draft.statuses ?? [], condition: draft.condition)
  }

  mutating func emptyStatuses(_ node: Node) -> [Int]? {
    let nodes = elements(of: node)
    if nodes.isEmpty { refuse("an empty list of statuses", at: node.range, advice: "write '[403, 404]'") }
    let statuses = nodes.compactMap { emptyStatus($0) }
    return statuses.count == nodes.count ? statuses : nil
  }

  private mutating func emptyStatus(_ node: Node) -> Int? {
    guard let status = self.status(node) else { return nil }
    switch status {
    case 401:
      refuse("401 always stops", at: node.range, advice: "leave it out: refused credentials say nothing about records")
    case 429: refuse("429 is a limit", at: node.range, advice: "leave it out: the records may be there; see 'retry'")
    case ..<400:
      refuse("\(status) is no error", at: node.range, advice: "statuses that can mean 'no records' are 400 to 599")
    default: return status
    }
    return nil
  }
}

// Decodes `contentIdentifier`.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func contentIdentifier(_ node: Node) -> Template? {
    let advice = "write 'items', or '/data/items'"
    guard let template = template(node, .request, expected: "a root key or a JSON Pointer", advice: advice) else {
      return nil
    }
    // RFC 6901 §3.
    guard let shape = template.pointerShape, JSONPath(pointer: shape) == nil else { return template }
    refuse("'~' in a JSON Pointer is '~0' or '~1'", at: node.range, advice: "'~0' is '~', '~1' is '/'")
    return nil
  }
}

extension Template {
  /// The text as a JSON Pointer, if it begins with `/`.
  ///
  /// A letter replaces each hole, since a hole is a piece of a name.
  var pointerShape: String? {
    guard case .text(let start)? = pieces.first, start.utf8.first == UInt8(ascii: "/") else { return nil }
    return pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
  }
}
