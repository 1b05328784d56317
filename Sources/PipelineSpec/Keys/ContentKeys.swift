// Keys that say where the content is, what a record looks like, and how to get the rest.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let contentKeys: [Key<JobDraft>] = [
    Key(
      "contentIdentifier", "a root key or a JSON Pointer", standard: "the body itself",
      "where the content is: a root key, literally; or a JSON Pointer if it begins with `/`"
    ) { node, draft, decoder in
      draft.job.contentIdentifier = decoder.contentIdentifier(node)
    },
    Key("model", "a map of members and their types", standard: "anything, verbatim", "what each record must look like")
    {
      node, draft, decoder in
      draft.job.model = decoder.model(node)
    },
    Key("decode", "a map", standard: "anything, verbatim", "key and date strategies") { node, draft, decoder in
      decoder.map(node, keys: decodeKeys, into: &draft.job.decode)
    },
    Key("pages", "a map", standard: "one request", "how to get the rest") { node, draft, decoder in
      draft.job.pages = decoder.pages(node)
    },
  ]

  static let decodeKeys: [Key<Decode>] = [
    Key("keys", "'camelCase' or 'snake_case'", standard: "as they come", "renames members at every depth") {
      node, decode, decoder in
      decode.keys = decoder.word(node, Decode.Keys.self)
    },
    Key(
      "dates", "a map of members and forms", standard: "as they come",
      "reads `seconds`, `milliseconds` or `rfc3339`, writes RFC 3339 in UTC"
    ) { node, decode, decoder in
      let expected = "a map such as {last_updated: seconds}"
      decode.dates = (decoder.named(node, expected: expected) ?? []).compactMap { entry in
        decoder.word(entry.value, Decode.DateForm.self).map { Decode.DateField(name: entry.key, form: $0) }
      }
    },
  ]

  static let pagesKeys: [Key<PagesDraft>] = [
    Key("number", "a query item, or a JSON Pointer into 'body'", "the item goes up by 1") { node, draft, decoder in
      draft.item = decoder.pageItem(node)
    },
    Key("start", "a whole number", standard: "1", "the first page's number") { node, draft, decoder in
      draft.start = decoder.integer(node, in: 0...(1 << 53), expected: "a whole number from 0")
    },
    Key("limit", "a whole number", standard: "none", "most pages; `{limit: 1}` alone says that one page is meant") {
      node, draft, decoder in
      draft.limit = decoder.integer(node, in: 1...(1 << 53), expected: "a whole number from 1")
    },
    Key("totalPages", "a template", standard: "none", "how many pages there are") { node, draft, decoder in
      draft.totalPages = decoder.pageTemplate(node)
    },
    Key("totalRecords", "a template", standard: "none", "how many records there are") { node, draft, decoder in
      draft.totalRecords = decoder.pageTemplate(node)
    },
    Key("more", "a template", standard: "none", "goes on unless false, \"false\", 0, null") { node, draft, decoder in
      draft.more = decoder.pageTemplate(node)
    },
    Key("done", "a template", standard: "none", "ends on true, \"true\", 1") { node, draft, decoder in
      draft.done = decoder.pageTemplate(node)
    },
    Key(
      "until", "'short', {below: N} or {status: N}", standard: "none",
      "ends after a page with fewer records than the first, or than N, or with that status"
    ) { node, draft, decoder in
      draft.until = decoder.until(node)
    },
    Key("repeats", "true or false", standard: "false", "whether two pages may have the same content") {
      node, draft, decoder in
      draft.repeats = decoder.boolean(node)
    },
  ]

  static let untilKeys: [Key<Pages.Until?>] = [
    Key("below", "a whole number", "ends after a page with fewer records") { node, until, decoder in
      until = decoder.integer(node, in: 1...(1 << 53), expected: "a whole number from 1").map { .below($0) }
    },
    Key("status", "an HTTP status", "ends with that status") { node, until, decoder in
      until = decoder.integer(node, in: 100...599, expected: "an HTTP status").map { .status($0) }
    },
  ]
}
