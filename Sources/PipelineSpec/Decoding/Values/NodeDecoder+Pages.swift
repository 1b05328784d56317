// Decodes `pages`.

import YAMLText

internal import Diagnostics
internal import JSONText
internal import Primitives

extension NodeDecoder {
  private static let kinds = SpecKeys.pagers
  /// Map to write instead of a bare kind.
  private static let examples = [
    "number": "{ number: page }", "offset": "{ offset: offset }",
    "next": "{ next: body.next }", "cursor": "{ cursor: cursor, from: body.next_cursor }",
  ]
  /// Keys that have a meaning with some kinds only.
  private static let companions = [
    "from": ["cursor"], "then": ["cursor", "from"], "scroll": ["cursor", "from"],
  ]

  mutating func pages(_ node: Node) -> Pages? {
    let before = mistakes.count
    let position = source.position(at: node.range.lowerBound)
    if case .string(let text) = node.content {
      if text == "auto" { return Pages(kind: .auto, position: position) }
      if text == "one" { return Pages(kind: .single, position: position) }
      if text == "link" { return Pages(kind: .link(relation: LinkDraft().relation, in: nil), position: position) }
      refuse(
        node, expected: "'auto', 'link', 'one' or a map",
        advice: Self.examples[text].map { "write '\($0)'" } ?? "its keys are \(Self.kinds.joined(separator: ", "))")
      return nil
    }
    if case .number(let number) = node.content {
      refuse(
        node, expected: "'auto', 'link', 'one' or a map",
        advice: "write 'maxPages: \(number)' beside 'pages' for at most so many pages")
      return nil
    }
    let item = namedItem(in: node)
    let isTyped = refusesType(in: node, kinds: Self.kinds) { kind in
      let example = Self.examples[kind] ?? "{ link: next }"
      guard let item, let name = example.firstRange(of: "\(kind): ") else { return example }
      return example[..<name.upperBound] + item + example[name.upperBound...].drop { $0 != "," && $0 != " " }
    }
    if isTyped { return nil }
    var draft = PagesDraft()
    let hint = guessedKeys(GuessedKeys.pages, in: node)
    guard let entries = map(node, keys: SpecKeys.pagesKeys, into: &draft, hint: hint) else { return nil }
    let kinds = entries.filter { Self.kinds.contains($0.key) || $0.namesItems }
    refuseAll(butFirstOf: kinds, draft)
    if kinds.count == 1 { checkCompanions(of: kinds[0], among: entries) }
    guard mistakes.count == before else { return nil }
    guard let kind = kinds.first.flatMap({ draft.kind($0.key) }) else {
      let advice = "add one of \(Self.kinds.joined(separator: ", ")); 'pages: one' says that one page is all"
      refuse("'pages' does not say how to get the next page", at: entries.first?.keyRange ?? node.range, advice: advice)
      return nil
    }
    checkEncoded(kind, draft.from)
    var pages = Pages(kind: kind, position: position)
    pages.then = draft.then
    (pages.totalPages, pages.totalRecords) = (draft.totalPages, draft.totalRecords)
    (pages.more, pages.until) = (draft.more, draft.until)
    (pages.isScroll, pages.smallest) = (draft.isScroll ?? false, draft.smallest)
    return pages
  }

  /// Returns the item that another tool's key names, such as `cursor_param: after`.
  private func namedItem(in node: Node) -> String? {
    let words = ["param", "name", "field"]
    let entry = entries(of: node)?.first { entry in words.contains { entry.key.contains($0) } }
    return entry.map { sourceText(of: $0.value) }
  }

  private mutating func refuseAll(butFirstOf kinds: [Node.Entry], _ draft: PagesDraft) {
    for kind in kinds.dropFirst() {
      if let cursor = [kinds[0], kind].first(where: { $0.key == "cursor" }),
        let from = [kinds[0], kind].first(where: \.namesItems)
      {
        let advice = "leave 'cursor' out, or write where a page has its value: 'from: body.next_cursor'"
        refuse(
          "'cursor' beside a map of 'from', which names the items",
          at: (cursor.keyRange.lowerBound > from.keyRange.lowerBound ? cursor : from).keyRange, advice: advice)
        continue
      }
      let isFrom = kinds[0].key == "cursor" && kind.key == "next" && draft.from == nil
      let list = "'pages' has one of \(Self.kinds.joined(separator: ", "))"
      refuse(
        "'\(kind.key)' beside '\(kinds[0].key)'", at: kind.keyRange,
        advice: isFrom ? "where a page has the cursor says 'from'" : list)
    }
  }

  private mutating func checkCompanions(of kind: Node.Entry, among entries: [Node.Entry]) {
    for entry in entries {
      guard let owners = Self.companions[entry.key], !owners.contains(kind.key), entry.key != kind.key else { continue }
      let owner = owners.map { "'\($0)'" }.joined(separator: " and ")
      refuse(
        "'\(entry.key)' means nothing with '\(kind.key)'", at: entry.keyRange,
        advice: "leave it out: it belongs to \(owner)")
    }
    if kind.key == "cursor", !entries.contains(where: { $0.key == "from" }), !suggested.contains("from") {
      let advice = "add 'from' with where a page has the cursor, such as 'from: body.next_cursor'"
      refuse("'cursor' without 'from'", at: kind.keyRange, advice: advice)
    }
  }

  /// Refuses a cursor that is percent-encoded already where nothing is percent-encoded.
  private mutating func checkEncoded(_ kind: Pages.Kind, _ from: Template?) {
    for hole in from?.holes ?? [] where hole.isEncoded {
      if from?.onlyHole == nil {
        refuse(
          "':encoded' beside other text", at: range(of: hole), advice: "write the template alone, or 'next: \"?…\"'")
      } else if case .query? = kind.items.first {
        continue
      } else {
        refuse(
          "':encoded' outside of a query", at: range(of: hole), advice: "leave it out: only a URL is percent-encoded")
      }
    }
  }

  // MARK: Values

  /// Returns the request of the later pages.
  mutating func laterRequest(_ node: Node) -> LaterRequest? {
    var draft = JobDraft()
    let before = mistakes.count
    draft.read(node, keys: SpecKeys.thenKeys, &self)
    checkCompanions(SpecKeys.then, draft.ownInOrder, at: node.range)
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

  /// Returns the pager's item: the name of a query item, or `{ body: PATH }`, `{ form: NAME }` or `{ header: NAME }`.
  mutating func pageItem(_ node: Node) -> Pages.PageItem? {
    guard case .map(let entries) = node.content else { return queryItem(node) }
    let advice =
      "write '{ body: variables.after }', '{ form: page }', '{ header: x-continuation }' or '{ endpoint: page }'"
    guard entries.count == 1, let entry = entries.first else {
      refuse(node, expected: "one item of the request", advice: advice)
      return nil
    }
    switch entry.key {
    case "body":
      return path(entry.value, example: "variables.after", single: "pages").map { .body($0) }
    case "form":
      return name(entry.value, expected: "the name of an item").map { .body(JSONPath(rootKey: $0)) }
    case "header":
      guard let name = name(entry.value, expected: "the name of a header field") else { return nil }
      return checkHeaderName(name, at: entry.value.range) ? .header(name) : nil
    case "endpoint":
      guard case .string("page") = entry.value.content else {
        refuse(
          entry.value, expected: "'page'",
          advice: "write '{ endpoint: page }', and '${page}' where the number stands in it")
        return nil
      }
      return .endpoint
    default:
      refuse(
        "unknown key '\(entry.key.printable)'", at: entry.keyRange,
        advice: entry.key == "query" ? "a query item is written as its name alone" : advice)
      return nil
    }
  }

  /// Returns the items that a map of `from` names, each with where a page has its value.
  mutating func cursors(_ entries: [Node.Entry], _ node: Node) -> [Pages.Cursor] {
    let advice = "write '{ body.pit.id: body.pit_id, body.search_after: last.sort }'"
    if entries.isEmpty { refuse("'from' names no item", at: node.range, advice: advice) }
    var hasHeader = false
    return entries.compactMap { entry in
      guard let item = requestItem(entry) else { return nil }
      if case .header = item {
        if hasHeader {
          refuse(
            "a second header in 'from'", at: entry.keyRange,
            advice: "a page can set one: put the other one into the query")
        }
        hasHeader = true
      }
      return nextTemplate(entry.value).map { Pages.Cursor(item: item, from: $0) }
    }
  }

  /// Returns the item that a name such as `body.pit.id`, `query.after` or `after` stands for.
  private mutating func requestItem(_ entry: Node.Entry) -> Pages.PageItem? {
    let root = entry.key.prefix { $0 != "." && $0 != "[" }
    let rest = entry.key.dropFirst(root.count)
    let name = String(rest.hasPrefix(".") ? rest.dropFirst() : rest)
    let known = ["body", "form", "query", "headers"]
    if entry.key.contains("${") {
      refuse("no template can stand here", at: entry.keyRange, advice: "it is the item's name in the request")
      return nil
    }
    if root == "header" {
      refuse(
        "unknown item '\(entry.key.printable)'", at: entry.keyRange, advice: "write 'headers\(String(rest).printable)'")
      return nil
    }
    guard known.contains(String(root)) else { return .query(entry.key) }
    guard !name.isEmpty else {
      refuse("'\(root)' is not an item of the request", at: entry.keyRange, advice: "write '\(root).NAME'")
      return nil
    }
    switch root {
    case "body": return path(name, at: entry.keyRange, example: "search_after", single: "pages").map { .body($0) }
    case "form": return .body(JSONPath(rootKey: name))
    case "headers": return checkHeaderName(name, at: entry.keyRange) ? .header(name) : nil
    default: return .query(name)
    }
  }

  private mutating func queryItem(_ node: Node) -> Pages.PageItem? {
    if case .string(let text) = node.content, text.contains("${") {
      refuse(
        "no template can stand here", at: node.range,
        advice: "it is the item's name in the request; where a page has the cursor says 'from', as in "
          + "'{ cursor: cursor, from: \(String(text.dropFirst(2).prefix { $0 != "}" }).printable) }'")
      return nil
    }
    let expected = "the name of a query item, or a map of one item"
    guard let text = name(node, expected: expected, advice: "write 'page', or '{ body: variables.page }'") else {
      return nil
    }
    guard text.utf8.first == UInt8(ascii: "/"), let path = PathError(text).likely else { return .query(text) }
    let form = path.steps.count == 1 ? ", or '{ form: \(path.steps[0].name.printable) }' for an item of 'form'" : ""
    refuse(
      "'\(text.printable)' is a JSON Pointer", at: node.range,
      advice: "write '{ body: \(path.description.printable) }'" + form)
    return nil
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

  /// Returns a relation type (RFC 8288 §2.1): one word, or a URI.
  mutating func relation(_ node: Node) -> String? {
    let advice = "write 'next', or 'pages: link'"
    guard let text = name(node, expected: "a relation such as next", advice: advice) else { return nil }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      refuse("'\(text.printable)' is not a relation", at: node.range, advice: "write one of them, such as 'next'")
      return nil
    }
    return text
  }

  /// Returns a template that leads from one page to the next, so it must read the page.
  mutating func nextTemplate(_ node: Node) -> Template? {
    guard let template = pageTemplate(node, example: "body.next", mayCompare: true) else { return nil }
    guard [.body, .headers, .last].contains(where: { template.names($0) }) else {
      let advice = "read the page: begin with 'body.', 'headers.' or 'last.'"
      refuse("it would be the same on every page", at: node.range, advice: advice)
      return nil
    }
    return template
  }

  /// Returns a path or a template about the current page.
  ///
  /// - Parameter mayCompare: true if the text is sent, so that the API may read a comparison in it.
  mutating func pageTemplate(
    _ node: Node, example: String = "body.total", mayCompare: Bool = false
  ) -> Template? {
    if case .number(let number) = node.content {
      let advice =
        "write where a page has it, such as '\(example)'; 'maxPages: \(number)' in the step is for at most so many pages"
      refuse(node, expected: "a path", advice: advice)
      return nil
    }
    guard case .string(let text) = node.content else {
      refuse(node, expected: "a path", advice: "write where a page has it, such as '\(example)'")
      return nil
    }
    guard let template = answerTemplate(text, node, example: example) else { return nil }
    guard mayCompare || !template.comparesSomething else {
      let spelling = template.holes[0].spelling
      let path = spelling.hasPrefix("${") ? String(spelling.dropFirst(2).dropLast()) : spelling
      refuse(
        "no comparison can stand beside a template", at: node.range,
        advice: "read the value alone, as '\(path)'; 'failure' takes a condition, such as '{ ok: false }'")
      return nil
    }
    return template
  }

  private mutating func refuseEnd(byStatus node: Node, at range: Range<Int>) {
    refuse(
      "a status says that an answer has no records", at: range,
      advice: "write 'empty: \(node.spelling.printable)' in the step, beside 'pages'")
  }

  /// Returns what ends the pages: words, conditions, or a list of them.
  mutating func until(_ node: Node) -> [Pages.Until] {
    let nodes = if case .list(let nodes) = node.content { nodes } else { [node] }
    if nodes.isEmpty { refuse("an empty list ends nothing", at: node.range, advice: "write 'short', or a condition") }
    return nodes.compactMap { node in
      switch node.content {
      case .string("short"): return .short
      case .string("known"): return .known
      case .string("repeated"): return .repeated
      case .string("empty"):
        refuse(
          "an empty page ends the pages by itself", at: node.range,
          advice: "leave it out; 'until: short' ends them at a page with fewer records than the first")
        return nil
      case .string(let text) where !text.contains(where: { ".[$".contains($0) }):
        let near = suggestion(for: text, among: ["short", "known", "repeated"])
        refuse(
          "expected 'short', 'known', 'repeated' or a condition, found '\(text.printable)'", at: node.range,
          advice: near.map { "did you mean '\($0)'?" } ?? "write 'body.\(text.printable)' for a member of the answer")
        return nil
      case .map(let entries) where entries.count == 1 && entries[0].key == "below":
        refuse(
          "'until' has no 'below'", at: node.range,
          advice:
            "write 'short' for a page with fewer records than the first; an empty page ends pages by number and offset")
        return nil
      case .map(let entries) where entries.count == 1 && entries[0].key == "status":
        refuseEnd(byStatus: entries[0].value, at: node.range)
        return nil
      case .number:
        refuseEnd(byStatus: node, at: node.range)
        return nil
      default:
        return condition(node, about: .answer()).map { .condition($0) }
      }
    }
  }
}

extension Node.Entry {
  /// True for `from` with a map, which names the items of the request.
  var namesItems: Bool {
    if key == "from", case .map = value.content { true } else { false }
  }
}

extension Pages {
  /// Reads the value of `pages` as YAML spells it; nil if it is none.
  package init?(value: String) {
    let source = SourceText(name: "pages", bytes: Array(value.utf8))
    let (node, unread) = Node.read(source)
    var decoder = NodeDecoder(source: source)
    guard unread.isEmpty, let pages = decoder.pages(node), decoder.mistakes.isEmpty else { return nil }
    self = pages
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
    let before = mistakes.count
    let nodes = if case .list(let nodes) = node.content { nodes } else { [node] }
    if nodes.isEmpty { refuse("an empty list of answers", at: node.range, advice: "write '[403, 404]'") }
    var empty = Job.Empty()
    for node in nodes {
      switch node.content {
      case .string("missing"): empty.isMissing = true
      case .string(let text) where !text.contains(where: { ".[$".contains($0) }):
        let near = suggestion(for: text, among: ["missing"])
        refuse(
          "expected a status, 'missing' or a condition, found '\(text.printable)'", at: node.range,
          advice: near.map { "did you mean '\($0)'?" } ?? "write '404', 'missing' or 'body.\(text.printable)'")
      default:
        guard let clauses = alternative(node, about: .answer()), !clauses.isEmpty else { continue }
        checkEmpty(clauses, node)
        empty.alternatives.append(clauses)
      }
    }
    return mistakes.count == before ? empty : nil
  }

  /// Refuses statuses that never mean that there are no records.
  private mutating func checkEmpty(_ clauses: [Condition.Clause], _ node: Node) {
    let statuses = clauses.filter(\.isAboutStatus).flatMap(\.statuses)
    for status in statuses {
      switch status {
      case 401:
        refuse(
          "401 always stops", at: node.range, advice: "leave it out: refused credentials say nothing about records")
      case 429:
        refuse("429 is a limit", at: node.range, advice: "leave it out: the records may be there; see 'retry'")
      case 300..<400 where status != 304:
        refuse(
          "a redirect is followed", at: node.range, advice: "write the status at the redirect's target, such as 404")
      case ..<300 where clauses.count == 1 && status != 204:
        refuse(
          "\(status) brings records", at: node.range,
          advice: "statuses that can mean 'no records' are 304 and 400 to 599")
      default: break
      }
    }
  }
}
