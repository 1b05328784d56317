// Keys about the path of the content, the shape of a record, and further pages.

internal import Diagnostics
internal import JSONText
import YAMLText

extension SpecKeys {
  static let contentKeys: [Key<JobDraft>] = [
    Key(
      "read", "'json', 'lines', 'sequence', 'csv' or {csv: {…}}", standard: "`json`",
      "what a body is: one JSON text, NDJSON, JSON texts one after the other, or CSV"
    ) { node, draft, decoder in
      if let format = decoder.bodyFormat(node) { draft.job.read = format }
    },
    Key(
      "unpack", "'gzip', 'zip' or 'auto'", standard: "none",
      "unpacks the body, which is a gzip file or a zip archive of one file; `auto`: which may be a gzip file"
    ) { node, draft, decoder in
      draft.job.unpack = decoder.word(node, Job.Unpack.self)
    },
    Key(
      "contentIdentifier", "a path, or a list of paths", standard: "the body itself",
      "where the content is in the body: `data.items`; `*` is every element or member, a `?` at the end says that it may be "
        + "missing, and a list is several lists of one body"
    ) { node, draft, decoder in
      draft.job.contentIdentifier = decoder.contentIdentifier(node)
    },
    Key(
      "empty", "a condition on the answer, 'missing', or a list of these", standard: "status 204",
      "answers that mean: there are no records; `missing` is an answer without the content's key"
    ) { node, draft, decoder in
      draft.job.empty = decoder.empty(node)
    },
    Key(
      "key", "a member's name, or a list of them", standard: "none",
      "with a `*` over a map: the member that gets the name of each entry; a list has one for each `*`; with several paths "
        + "of content: the member that gets the path of each record"
    ) { node, draft, decoder in
      draft.job.keyNames = decoder.memberNames(node, areGiven: true)
    },
    Key(
      "columns", "a path, or a list of names", standard: "none",
      "for records that are arrays: the names of their values, or the path to them, such as `columns.*.name`"
    ) { node, draft, decoder in
      if case .list = node.content {
        draft.job.columnNames = decoder.memberNames(node)
      } else {
        draft.job.columns = decoder.columns(node)
      }
    },
    Key(
      "failure", "a condition on the answer", standard: "none", "finds an error inside an answer whose status is fine"
    ) { node, draft, decoder in
      draft.job.failure = decoder.condition(node, about: .answer(hasLines: true))
    },
    Key("where", "a condition on the record", standard: "all records", "keeps the records for which it holds") {
      node, draft, decoder in
      (draft.job.filter, draft.job.filterTemplates) = decoder.filter(node)
    },
    Key(
      "drop", "a path, or a list of paths", standard: "none",
      "removes members from the records, before `decode` and `model`"
    ) { node, draft, decoder in
      draft.job.drop = decoder.droppedPaths(node)
    },
    Key(
      "keep", "a member, or a list of members", standard: "all members",
      "keeps these members of the records, in the records' own order"
    ) { node, draft, decoder in
      draft.job.keep = decoder.memberPaths(node, of: "keep")
      if draft.job.keep.isEmpty, case .list(let nodes) = node.content, nodes.isEmpty {
        decoder.refuse("no member in 'keep'", at: node.range, advice: "write '[id, name]'")
      }
    },
    Key(
      "flatten", "a path, or a list of paths", standard: "none",
      "puts the members of these objects one level up, in place of the object"
    ) { node, draft, decoder in
      draft.job.flatten = decoder.memberPaths(node, of: "flatten")
      if draft.job.flatten.isEmpty, case .list(let nodes) = node.content, nodes.isEmpty {
        decoder.refuse("no member in 'flatten'", at: node.range, advice: "write 'fields'")
      }
    },
    Key(
      "rename", "a map of members and their new names", standard: "none",
      "renames members in place, after `decode.keys`"
    ) {
      node, draft, decoder in
      draft.job.rename = decoder.renamedMembers(node)
    },
    Key("model", "a map of members and their types", standard: "anything, verbatim", "what each record must look like")
    {
      node, draft, decoder in
      draft.job.model = decoder.model(node)
    },
    Key(
      "unique", "a path, or a list of paths", standard: "none",
      "members that together identify a record: one that comes again on another page is left out, or is a sign that the "
        + "list moved; also for readers that keep tables"
    ) { node, draft, decoder in
      draft.job.uniqueMembers = decoder.uniqueMembers(node)
    },
    Key(
      "deleted", "a condition on the record", standard: "none",
      "with `unique`: records for which it holds no longer exist, so that `--merge` removes them from FILE",
      mayChange: true
    ) { node, draft, decoder in
      draft.job.deleted = decoder.condition(node, about: .record)
    },
    Key("decode", "a map", standard: "anything, verbatim", "names, dates, types and nulls of members") {
      node, draft, decoder in
      decoder.decode(node, into: &draft.job.decode)
    },
    Key(
      "least", "a whole number from 1", standard: "none", "the run is `short` if fewer records come", mayChange: true
    ) { node, draft, decoder in
      draft.job.least = decoder.integer(node, in: 1...(1 << 53), expected: "a whole number from 1")
    },
    Key(
      "ignore", "a sign, or a list of signs", standard: "none",
      "signs that the records are not the whole set, which are meant; each such message ends with its sign",
      mayChange: true
    ) { node, draft, decoder in
      draft.job.ignored = decoder.signs(node)
    },
    Key(
      "pages", "'auto', 'link', 'one' or a map", standard: "one request",
      "how to get the next page, and where the pages end"
    ) { node, draft, decoder in
      draft.job.pages = decoder.pages(node)
    },
    Key("maxPages", "a whole number from 1", standard: "none", "your own limit: most pages of each list") {
      node, draft, decoder in
      draft.job.maxPages = decoder.count(node)
    },
  ]

  static let decodeKeys: [Key<Decode>] = [
    Key("keys", "'camelCase' or 'snake_case'", standard: "as they come", "renames members at every depth") {
      node, decode, decoder in
      decode.keys = decoder.word(node, Decode.Keys.self)
    },
    Key(
      "dates", "a map of members and forms", standard: "as they come",
      "reads `seconds`, `milliseconds`, `rfc3339`, `date` or a pattern such as `%d/%m/%Y`, writes RFC 3339 in UTC"
    ) { node, decode, decoder in
      decode.members += decoder.readMembers(node, of: "dates", expected: "a map such as {last_updated: seconds}") {
        decoder, node in
        decoder.readableForm(node).map { .date($0) }
      }
    },
    Key(
      "types", "a map of members and their words", standard: "as they come",
      "reads texts as `number`, `integer` or `boolean`, anything as `string`, and writes them as that"
    ) { node, decode, decoder in
      decode.members += decoder.readMembers(node, of: "types", expected: "a map such as {price: number}") {
        decoder, node in
        decoder.word(node, Decode.ValueType.self).map { .type($0) }
      }
    },
    Key(
      "nulls", "a map of members and their values", standard: "as they come",
      "writes null for these values, before `dates` and `types` read them"
    ) { node, decode, decoder in
      decode.nulls = decoder.nulls(node)
    },
  ]
}

// Tests of a condition's member, in place of a value, and the keys of `empty`.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let conditionKeys: [Key<[Condition.Test]>] = [
    Key("above", "a number, a date or a time", "holds for a number above it, or a later time") {
      node, tests, decoder in
      if let given = decoder.given(node, .above) {
        tests.append(given)
      } else if let bound = decoder.bound(ofTest: node) {
        tests.append(.above(bound))
      }
    },
    Key("below", "a number, a date or a time", "holds for a number below it, or an earlier time") {
      node, tests, decoder in
      if let given = decoder.given(node, .below) {
        tests.append(given)
      } else if let bound = decoder.bound(ofTest: node) {
        tests.append(.below(bound))
      }
    },
    Key("has", "a text, a number, true or false", "holds for a text that contains it, and for a list with this element")
    {
      node, tests, decoder in
      if let given = decoder.given(node, .has) {
        tests.append(given)
      } else if let element = decoder.element(node) {
        tests.append(.has(element))
      }
    },
    Key(
      "not", "a value, a list of values, or a map of tests", "holds where that does not hold, and for a missing value"
    ) {
      node, tests, decoder in
      if let inner = decoder.tests(node) { tests.append(.not(inner)) }
    },
  ]
}

// Keys of `read: {csv: …}`: details that RFC 4180 leaves open.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let readKeys: [Key<BodyFormat?>] = [
    Key("csv", "a map of 'delimiter', 'header' and 'quotes'", "CSV (RFC 4180)") { node, format, decoder in
      var dialect = CSVDialect()
      decoder.map(node, keys: csvKeys, into: &dialect)
      format = .csv(dialect)
    }
  ]

  static let csvKeys: [Key<CSVDialect>] = [
    Key("delimiter", "one character", standard: "`,`", "the character between two fields") { node, dialect, decoder in
      if let delimiter = decoder.delimiter(node) { dialect.delimiter = delimiter }
    },
    Key(
      "header", "true, false, 'first' or a list of names", standard: "true",
      "`true`: the first line of each page has the names; `first`: only that of the first page; `false`: there are none, and "
        + "records are arrays; a list: the names of a body without a header"
    ) { node, dialect, decoder in
      if let header = decoder.csvHeader(node) { dialect.header = header }
    },
    Key(
      "quotes", "true or false", standard: "true",
      "`false`: a quote is a character like any other, so that no field has a delimiter or a line end in it"
    ) { node, dialect, decoder in
      if let hasQuotes = decoder.boolean(node) { dialect.hasQuotes = hasQuotes }
    },
  ]
}

// MARK: Keys about the input records, and about joining fetched records to them

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
    Key(
      "name", "'url' or 'server'", standard: "`url`",
      "who names a file whose `to` ends with `/`: its URL, or the server by `Content-Disposition`"
    ) { node, draft, decoder in
      draft.naming = decoder.word(node, Job.Download.Naming.self)
    },
    Key(
      "size", "a template with the size in bytes", standard: "none",
      "the size that the API says: a file that is there with this size is not requested again"
    ) { node, draft, decoder in
      draft.size = decoder.fileSize(node)
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
    Key(
      "split", "true or false", standard: "false",
      "with `window`: a window whose total is above what came, or that is refused as too large, is halved"
    ) { node, span, decoder in
      span.splits = decoder.boolean(node)
    },
  ]
}
