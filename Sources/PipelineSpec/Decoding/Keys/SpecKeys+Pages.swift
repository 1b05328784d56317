// Keys of `pages`: how to request further pages, and when they end.

internal import Diagnostics

extension SpecKeys {
  static let pagesKeys: [Key<PagesDraft>] = [
    Key("number", "a query item, or a JSON Pointer into 'body'", "the item goes up by 1") { node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key("offset", "a query item, or a JSON Pointer into 'body'", "the item goes up by the records received") {
      node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key(
      "cursor", "a query item, a JSON Pointer into 'body', or { header: NAME }", "the item carries `from`"
    ) { node, draft, decoder in
      draft.item = decoder.cursorItem(node)
    },
    Key("from", "a template", "with `cursor`: where a page has it") { node, draft, decoder in
      draft.from = decoder.nextTemplate(node)
    },
    Key(
      "then", "a map", standard: "the first page's request",
      "with `cursor`: the request of the later pages, if it is another one"
    ) { node, draft, decoder in
      draft.then = decoder.laterRequest(node)
    },
    Key("next", "a template", "the URL of the next page, resolved against the current one") { node, draft, decoder in
      draft.next = decoder.nextTemplate(node)
    },
    Key(
      "link", "a relation such as next, or a map of 'in' and 'rel'",
      "the target of that relation: in the `Link` header, or in an array of the body"
    ) { node, draft, decoder in
      draft.link = decoder.link(node)
    },
    Key("totalPages", "a template", standard: "none", "how many pages there are") { node, draft, decoder in
      draft.totalPages = decoder.pageTemplate(node)
    },
    Key("totalRecords", "a template", standard: "none", "how many records there are") { node, draft, decoder in
      draft.totalRecords = decoder.pageTemplate(node)
    },
    Key("more", "a template", standard: "none", "the pages continue unless it is false, \"false\", 0, \"\" or null") {
      node, draft, decoder in
      draft.more = decoder.pageTemplate(node)
    },
    Key(
      "done", "a template", standard: "none",
      "the pages end if it is true, \"true\" or 1; they continue if it is false, \"false\", 0, \"\" or null"
    ) {
      node, draft, decoder in
      draft.done = decoder.pageTemplate(node)
    },
    Key(
      "until", "'short', 'known', 'repeated', {below: N} or {status: N}", standard: "none",
      "the last page has fewer records than the first (`short`) or than N (`below`), that status, or a record that is not new (`known`); or it comes again (`repeated`)"
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
      draft.path = decoder.linksPath(node)
    },
    Key("rel", "a relation such as next", standard: "next", "the relation of the link to the next page") {
      node, draft, decoder in
      if let relation = decoder.relation(node) { draft.relation = relation }
    },
  ]

  static let thenKeys: [Key<JobDraft>] = requestKeys.filter {
    ["endpoint", "method", "query", "body", "form", "text"].contains($0.entry.name)
  }

  static let untilKeys: [Key<Pages.Until?>] = [
    Key("below", "a whole number from 1", "ends after a page with fewer records") { node, until, decoder in
      until = decoder.integer(node, in: 1...(1 << 53), expected: "a whole number from 1").map { .below($0) }
    },
    Key("status", "an HTTP status", "ends with that status") { node, until, decoder in
      until = decoder.endStatus(node).map { .status($0) }
    },
  ]
}

// Keys of `incremental`: the marks that a run saves for the next one.

internal import Diagnostics

extension SpecKeys {
  static let incrementalKeys: [Key<IncrementalDraft>] = [
    Key(
      "mark", "a member's name, a JSON Pointer, or a template",
      "the member whose highest value is remembered; or a value: `${record.until}` of the input record, `${now}`, or "
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
      "by", "a member's name, a JSON Pointer, or a list of them", standard: "one mark",
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
  ]
}
