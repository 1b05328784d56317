// Keys about the input records, and about joining fetched records to them.

internal import Diagnostics

extension SpecKeys {
  static let joiningKeys: [Key<JobDraft>] = [
    Key(
      "each", "a map of members and their values", standard: "none", "input records from the spec itself",
      besideSteps: .nothing
    ) {
      node, draft, decoder in
      draft.job.each = decoder.each(node)
    },
    Key(
      "when", "a condition on the input", standard: "every input record",
      "a request is made for the input records for which it holds; the others have fetched nothing",
      besideSteps: .nothing
    ) { node, draft, decoder in
      draft.job.when = decoder.condition(node, about: .input)
    },
    Key(
      "attach", "a member's name, or {one: NAME}", standard: "none",
      "puts the fetched records into this member of the input record",
      besideSteps: .nothing
    ) {
      node, draft, decoder in
      draft.job.attach = decoder.attach(node)
    },
    Key(
      "match", "a map of paths in fetched records to paths in input records", standard: "none",
      "fetches once (with `batch`: once for each batch), and gives each input record the fetched records that match",
      besideSteps: .nothing
    ) { node, draft, decoder in
      if let pairs = decoder.matchPairs(node) { draft.job.match = pairs }
    },
    Key(
      "batch", "a whole number from 1 to 10000", standard: "a request for each input record",
      "puts up to that many input records into one request, as `${inputs.NAME}`"
    ) { node, draft, decoder in
      draft.job.batch = decoder.integer(node, in: 1...10_000, expected: "a whole number from 1 to 10000")
    },
    Key(
      "count", "a member's name", standard: "none", "the member that gets the number of matching records",
      besideSteps: .nothing
    ) {
      node, draft, decoder in
      draft.job.count = decoder.givenName(node, expected: "a member's name")
    },
    Key(
      "set", "a map of members and their values", standard: "none",
      "adds members to every fetched record; without `endpoint`, to the input records, which pass through"
    ) { node, draft, decoder in
      if let members = decoder.setMembers(node) { draft.job.set = members }
    },
    Key("download", "a map", standard: "none", "saves a file for each record", besideSteps: .nothing) {
      node, draft, decoder in
      decoder.download(node, into: &draft.job)
    },
    Key(
      "incremental", "a mark, or a map", standard: "none",
      "keeps the highest mark that a run saw, which is `${since}` in the next run"
    ) { node, draft, decoder in
      draft.job.incremental = decoder.incremental(node)
    },
  ]

  static let downloadKeys: [Key<DownloadDraft>] = [
    Key("url", "a URL, absolute or relative to 'base'", "the file's URL", isRequired: true) { node, draft, decoder in
      draft.url = decoder.template(node, .endpoint, expected: "a URL")
    },
    Key(
      "to", "a path below '--dir'", "where the file is saved; one that ends with `/` gets the URL's last segment",
      isRequired: true
    ) {
      node, draft, decoder in
      draft.path = decoder.savePath(node)
    },
  ]

  static let attachKeys: [Key<Job.Attach?>] = [
    Key("one", "a member's name", "attaches the only record, or null") { node, attach, decoder in
      attach = decoder.givenName(node, expected: "a member's name").map { .one($0) }
    }
  ]

  static let spanKeys: [Key<SpanDraft>] = [
    Key("from", "a date, time or whole number", "the first value", isRequired: true) { node, span, decoder in
      span.from = decoder.bound(node)
    },
    Key("to", "a date, time or whole number", "the last value", isRequired: true) { node, span, decoder in
      span.to = decoder.bound(node)
    },
    Key(
      "step", "a step such as 1d, 1mo, 15m or 10", standard: "`1d` for dates, 1 for whole numbers",
      "points: the distance from one value to the next"
    ) {
      node, span, decoder in
      span.step = decoder.step(node)
    },
    Key(
      "window", "a step such as 1d, 1mo, 15m or 10", standard: "none",
      "windows of this length: each value has `start`, `end` (the last unit before the next start) and `next`"
    ) {
      node, span, decoder in
      span.window = decoder.step(node)
    },
    Key("as", "a form of times", standard: "as they are given", "how dates and times are spelled") {
      node, span, decoder in
      span.form = decoder.timeForm(node)
    },
  ]
}
