// Keys of `pages`: how to request further pages, and when they end.

internal import Diagnostics

extension SpecKeys {
  static let pagesKeys: [Key<PagesDraft>] = [
    Key("number", "an item of the request", "the item goes up by 1") { node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key("offset", "an item of the request", "the item goes up by the records received") {
      node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key(
      "cursor", "an item of the request",
      "the item carries `from`; a name is a query item, others are `{ body: PATH }`, `{ form: NAME }` and `{ header: NAME }`"
    ) { node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key("from", "a path, or a text with templates", "with `cursor`: where a page has it") { node, draft, decoder in
      draft.from = decoder.nextTemplate(node)
    },
    Key(
      "then", "a map", standard: "the first page's request",
      "with `cursor`: the request of the later pages, if it is another one"
    ) { node, draft, decoder in
      draft.then = decoder.laterRequest(node)
    },
    Key(
      "next", "a path, or a text with templates", "the URL of the next page, resolved against the current one"
    ) { node, draft, decoder in
      draft.next = decoder.nextTemplate(node)
    },
    Key(
      "link", "a relation such as next, or a map of 'in' and 'rel'",
      "the target of that relation: in the `Link` header, or in an array of the body"
    ) { node, draft, decoder in
      draft.link = decoder.link(node)
    },
    Key("totalPages", "a path", standard: "none", "how many pages there are") { node, draft, decoder in
      draft.totalPages = decoder.pageTemplate(node)
    },
    Key("totalRecords", "a path", standard: "none", "how many records there are") { node, draft, decoder in
      draft.totalRecords = decoder.pageTemplate(node)
    },
    Key(
      "more", "a condition on the answer", standard: "none",
      "the pages end where it does not hold; a bare path that holds says that there is another page"
    ) {
      node, draft, decoder in
      draft.more = decoder.condition(node, about: .answer())
    },
    Key(
      "until", "'short', 'known', 'repeated', a condition on the answer, or a list of these", standard: "none",
      "this page is the last: it has fewer records than the first (`short`), a record that is not new (`known`), it comes "
        + "again (`repeated`), or the condition holds; a bare path takes true, false, 1 and 0"
    ) { node, draft, decoder in
      draft.until = decoder.until(node)
    },
    Key(
      "scroll", "true or false", standard: "false",
      "with `cursor`; true: the server keeps the position, and the same request gives the next page"
    ) { node, draft, decoder in
      draft.isScroll = decoder.boolean(node)
    },
  ]

  static let linkKeys: [Key<LinkDraft>] = [
    Key("in", "a path", "an array of links in the body", isRequired: true) { node, draft, decoder in
      draft.path = decoder.path(node, example: "links", single: "in")
    },
    Key("rel", "a relation such as next", standard: "next", "the relation of the link to the next page") {
      node, draft, decoder in
      if let relation = decoder.relation(node) { draft.relation = relation }
    },
  ]

  static let thenKeys: [Key<JobDraft>] = requestKeys.filter {
    ["endpoint", "method", "query", "body", "form", "text"].contains($0.entry.name)
  }
}

// Keys of `incremental`: the marks that a run saves for the next one.

internal import Diagnostics

extension SpecKeys {
  static let incrementalKeys: [Key<IncrementalDraft>] = [
    Key(
      "mark", "a path, or a template",
      "the member whose highest value is remembered; or a value: `${input.until}` of the input record, `${now}`, or "
        + "`${body.token}` of the last page", isRequired: true
    ) { node, draft, decoder in
      draft.mark = decoder.mark(node)
    },
    Key("start", "text or a number", standard: "none", "the value of `${since}` in the first run") {
      node, draft, decoder in
      draft.start = decoder.start(node)
    },
    Key("as", "a form of times", standard: "none", "how the API spells marks that are times but not RFC 3339") {
      node, draft, decoder in
      draft.form = decoder.readableForm(node)
    },
    Key(
      "by", "a path, or a list of paths", standard: "one mark",
      "keeps a mark for each value of these members of the input record"
    ) { node, draft, decoder in
      draft.by = decoder.markPaths(node)
    },
    Key(
      "only", "'new' or 'all'", standard: "what is not known",
      "leaves out records that are not above the mark ('new'), or none ('all'); by default those that the last run has "
        + "written with the same mark and the same bytes"
    ) { node, draft, decoder in
      draft.only = decoder.only(node)
    },
    Key(
      "expired", "a condition on the answer", standard: "none",
      "the answer that says that the mark is too old: it is forgotten, and everything is fetched again"
    ) { node, draft, decoder in
      draft.expired = decoder.condition(node, about: .answer())
    },
  ]
}
