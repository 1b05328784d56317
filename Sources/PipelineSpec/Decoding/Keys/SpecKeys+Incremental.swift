// Keys of `incremental`: the marks that a run saves for the next one.

internal import Diagnostics

extension SpecKeys {
  static let incrementalKeys: [Key<IncrementalDraft>] = [
    Key(
      "mark", "a member's name, a JSON Pointer, or a template",
      "the member whose highest value is remembered; "
        + "`${record.until}` is of the input record", isRequired: true
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
      "only", "'new' or 'since'", standard: "all that comes",
      "leaves out records that are not above the mark ('new'), or those below it ('since')"
    ) { node, draft, decoder in
      draft.only = decoder.only(node)
    },
  ]
}
