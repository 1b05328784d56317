// Keys about the path of the content, the shape of a record, and further pages.

internal import Diagnostics
internal import JSONText
import YAMLText

extension SpecKeys {
  static let contentKeys: [Key<JobDraft>] = [
    Key(
      "read",
      .init(
        "'json', 'lines', 'sequence', 'csv' or {csv: {…}}",
        .anyOf(
          .words(["json", "lines", "sequence", "csv"]),
          .object([
            ("type", JSONValue("object")), ("properties", .object([("csv", .reference("csv"))])),
            ("required", .texts(["csv"])), ("additionalProperties", JSONValue(false)),
          ]))
      ) { $1.bodyFormat($0) }, \.job.read, standard: "`json`",
      "what a body is: one JSON text, NDJSON, JSON texts one after the other, or CSV"),
    Key(
      "unpack", .word(of: Job.Unpack.self), \.job.unpack, standard: "none",
      "unpacks the body, which is a gzip file or a zip archive of one file; `auto`: which may be a gzip file"),
    Key(
      "contentIdentifier",
      .init(
        "a path, or a list of paths",
        // A list of one has a plain name: YAML reads `["@graph"]` as a list.
        .anyOf(
          .path, .array(of: .path, from: 2), .array(of: .pattern("^[A-Za-z_][A-Za-z0-9_]*\\??$"), from: 1, to: 1))
      ) { $1.contentIdentifier($0) }, \.job.contentIdentifier, standard: "the body itself",
      "where the content is in the body: `data.items`; `*` is every element or member, a `?` at the end says that it may be "
        + "missing, and a list is several lists of one body"),
    Key(
      "empty",
      .init("a condition on the answer, 'missing', or a list of these", .reference("answer")) { $1.empty($0) },
      \.job.empty, standard: "status 204",
      "answers that mean: there are no records; `missing` is an answer without the content's key"),
    Key(
      "key",
      .init("a member's name, or a list of them", .oneOrMore(.filledText)) { $1.memberNames($0, areGiven: true) },
      \.job.keyNames, standard: "none",
      "with a `*` over a map: the member that gets the name of each entry; a list has one for each `*`; with several paths "
        + "of content: the member that gets the path of each record",
      excludes: .init(["columns"], advice: "leave one of them out: 'columns' is for records that are arrays")),
    Key(
      "columns", "a path, or a list of names", .anyOf(.path, .array(of: .filledText, from: 1)), standard: "none",
      "for records that are arrays: the names of their values, or the path to them, such as `columns.*.name`"
    ) { node, draft, decoder in
      if case .list = node.content {
        draft.job.columnNames = decoder.memberNames(node)
      } else {
        draft.job.columns = decoder.columns(node)
      }
    },
    Key(
      "failure", .condition(on: "answer", .answer(hasLines: true)), \.job.failure, standard: "none",
      "finds an error inside an answer whose status is fine"),
  ]

  /// Keys about the shape of a record.
  static let shapeKeys: [Key<JobDraft>] = [
    Key(
      "where", "a condition on the record", .reference("condition"), standard: "all records",
      "keeps the records for which it holds", fits: .records
    ) { node, draft, decoder in
      (draft.job.filter, draft.job.filterTemplates) = decoder.filter(node)
    },
    Key(
      "drop", .paths(mayBeEmpty: true) { $1.memberPaths($0, of: "drop") }, \.job.drop, standard: "none",
      "removes members from the records, before `decode` and `model`", fits: .records),
    Key(
      "keep", .paths("a member, or a list of members") { $1.memberPaths($0, of: "keep", example: "[id, name]") },
      \.job.keep, standard: "all members", "keeps these members of the records, in the records' own order",
      fits: .records,
      excludes: .init(["drop"], advice: "leave one of them out: 'keep' drops all that it doesn't name")),
    Key(
      "flatten", .paths { $1.memberPaths($0, of: "flatten", example: "fields") }, \.job.flatten, standard: "none",
      "puts the members of these objects one level up, in place of the object", fits: .records),
    Key(
      "rename",
      .init("a map of members and their new names", .map(of: .filledText)) { $1.renamedMembers($0) }, \.job.rename,
      standard: "none", "renames members in place, after `decode.keys`", fits: .records),
    Key(
      "model", .init("a map of members and their types", .map(of: .reference("type"))) { $1.model($0) }, \.job.model,
      standard: "anything, verbatim", "what each record must look like", fits: .records),
    Key(
      "unique", .paths { $1.keyPaths($0, of: "unique") }, \.job.uniqueMembers, standard: "none",
      "members that together identify a record: one that comes again on another page is left out, or is a sign that the "
        + "list moved; also for readers that keep tables", fits: .records),
    Key(
      "deleted", .condition(on: "record", .record), \.job.deleted, standard: "none",
      "with `unique`: records for which it holds no longer exist, so that `--merge` removes them from FILE",
      fits: .records,
      needs: .init(["unique"], advice: "name the members that identify a record: 'unique: id'"), mayChange: true),
    Key(
      "decode", "a map", .reference("decode"), standard: "anything, verbatim",
      "names, dates, types and nulls of members", fits: .records
    ) { node, draft, decoder in
      decoder.decode(node, into: &draft.job.decode)
    },
  ]

  /// Keys about the set of records, and its pages.
  static let wholeKeys: [Key<JobDraft>] = [
    Key(
      "least", .integer(from: 1), \.job.least, standard: "none", "the run is `short` if fewer records come",
      mayChange: true),
    Key(
      "ignore",
      .init("a sign, or a list of signs", .anyOf(.ofSign, .array(of: .ofSign))) { $1.signs($0) }, \.job.ignored,
      standard: "none",
      "signs that the records are not the whole set, which are meant; each such message ends with its sign",
      mayChange: true),
    Key(
      "pages",
      .init("'auto', 'link', 'one' or a map", .anyOf(.words(["auto", "link", "one"]), .reference("pages"))) {
        $1.pages($0)
      }, \.job.pages, standard: "one request", "how to get the next page, and where the pages end"),
    Key(
      "maxPages", .integer(from: 1), \.job.maxPages, standard: "none",
      "your own limit: most pages of each list",
      needs: .init(["pages"], advice: "add 'pages', which says how to get the next page")),
  ]

  static let decodeKeys: [Key<Decode>] = [
    Key(
      "keys", .word(of: Decode.Keys.self), \.keys, standard: "as they come", "renames members at every depth"),
    Key(
      "dates", "a map of members and forms", .map(of: .type("string")), standard: "as they come",
      "reads `seconds`, `milliseconds`, `rfc3339`, `date` or a pattern such as `%d/%m/%Y`, writes RFC 3339 in UTC"
    ) { node, decode, decoder in
      decode.members += decoder.readMembers(node, of: "dates", expected: "a map such as {last_updated: seconds}") {
        decoder, node in
        decoder.readableForm(node).map { .date($0) }
      }
    },
    Key(
      "types", "a map of members and their words", .map(of: .words(Decode.ValueType.allCases.map(\.rawValue))),
      standard: "as they come",
      "reads texts as `number`, `integer` or `boolean`, anything as `string`, and writes them as that"
    ) { node, decode, decoder in
      decode.members += decoder.readMembers(node, of: "types", expected: "a map such as {price: number}") {
        decoder, node in
        decoder.word(node, Decode.ValueType.self).map { .type($0) }
      }
    },
    Key(
      "nulls",
      .init("a map of members and their values", .map(of: .oneOrMore(.constant))) { $1.nulls($0) }, \.nulls,
      standard: "as they come", "writes null for these values, before `dates` and `types` read them"),
  ]
}

// Tests of a condition's member, in place of a value, and the keys of `empty`.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let conditionKeys: [Key<[Condition.Test]>] = [
    Key(
      "above", "a number, a date or a time", .type("number", "string"), "holds for a number above it, or a later time"
    ) { node, tests, decoder in
      if let given = decoder.given(node, .above) {
        tests.append(given)
      } else if let bound = decoder.bound(ofTest: node) {
        tests.append(.above(bound))
      }
    },
    Key(
      "below", "a number, a date or a time", .type("number", "string"),
      "holds for a number below it, or an earlier time"
    ) { node, tests, decoder in
      if let given = decoder.given(node, .below) {
        tests.append(given)
      } else if let bound = decoder.bound(ofTest: node) {
        tests.append(.below(bound))
      }
    },
    Key(
      "has", "a text, a number, true or false", .constant,
      "holds for a text that contains it, and for a list with this element"
    ) { node, tests, decoder in
      if let given = decoder.given(node, .has) {
        tests.append(given)
      } else if let element = decoder.element(node) {
        tests.append(.has(element))
      }
    },
    Key(
      "not", "a value, a list of values, or a map of tests",
      .anyOf(.scalar, .array(of: .scalar), .reference("tests")),
      "holds where that does not hold, and for a missing value"
    ) { node, tests, decoder in
      if let inner = decoder.tests(node) { tests.append(.not(inner)) }
    },
  ]
}

// Keys of `read: {csv: …}`: details that RFC 4180 leaves open.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let readKeys: [Key<BodyFormat?>] = [
    Key("csv", "a map of 'delimiter', 'header' and 'quotes'", .reference("csv"), "CSV (RFC 4180)") {
      node, format, decoder in
      var dialect = CSVDialect()
      decoder.map(node, keys: csvKeys, into: &dialect)
      format = .csv(dialect)
    }
  ]

  static let csvKeys: [Key<CSVDialect>] = [
    Key(
      "delimiter", .init("one character", .type("string")) { $1.delimiter($0) }, \.delimiter, standard: "`,`",
      "the character between two fields"),
    Key(
      "header",
      .init(
        "true, false, 'first' or a list of names",
        .anyOf(.type("boolean"), .words(["first"]), .array(of: .type("string")))
      ) { $1.csvHeader($0) }, \.header, standard: "true",
      "`true`: the first line of each page has the names; `first`: only that of the first page; `false`: there are none, and "
        + "records are arrays; a list: the names of a body without a header"),
    Key(
      "quotes", .flag, \.hasQuotes, standard: "true",
      "`false`: a quote is a character like any other, so that no field has a delimiter or a line end in it"),
  ]
}

// MARK: Keys about the input records, and about joining fetched records to them

extension SpecKeys {
  static let joiningKeys: [Key<JobDraft>] = [
    Key(
      "each",
      .init(
        "a map of members and their values",
        .map(
          of: .anyOf(.type("array"), .reference("span"), .pattern("^(input([.\\[]|$)|\\$\\{param\\.)")),
          isFilled: true)
      ) { $1.each($0) }, \.job.each, standard: "none", "input records from the spec itself", besideSteps: .nothing,
      fits: .all),
    Key(
      "when", .condition(on: "input", .input), \.job.when, standard: "every input record",
      "a request is made for the input records for which it holds; the others have fetched nothing",
      besideSteps: .nothing, fits: .requests),
    Key(
      "attach",
      .init("a member's name, or {one: NAME}", .anyOf(.filledText, .reference("attach"))) { $1.attach($0) },
      \.job.attach, standard: "none", "puts the fetched records into this member of the input record",
      besideSteps: .nothing),
    Key(
      "match",
      .init(
        "a map of paths in fetched records to paths in input records",
        .map(of: .anyOf(.type("string"), .type("integer")))
      ) { $1.matchPairs($0) }, \.job.match, standard: "none",
      "fetches once (with `batch`: once for each batch), and gives each input record the fetched records that match",
      besideSteps: .nothing,
      needs: .init(
        ["attach", "count"],
        advice: "add 'attach: NAME' for the records, 'count: NAME' for their number, or both")),
    Key(
      "batch", .integer(from: 1, to: 10_000), \.job.batch, standard: "a request for each input record",
      "puts up to that many input records into one request, as `${inputs.NAME}`"),
    Key(
      "count", .memberName, \.job.count, standard: "none", "the member that gets the number of matching records",
      besideSteps: .nothing,
      needs: .init(["match"], advice: "add 'match: { fetched: input }'")),
    Key(
      "set", .init("a map of members and their values", .map(of: .anything)) { $1.setMembers($0) }, \.job.set,
      standard: "none",
      "adds members to every fetched record; without `endpoint`, to the input records, which pass through",
      fits: .all),
    Key(
      "download", "a map", .reference("download"), standard: "none", "saves a file for each record",
      besideSteps: .nothing, fits: .files
    ) { node, draft, decoder in
      decoder.download(node, into: &draft.job)
    },
    Key(
      "incremental",
      .init("a mark, or a map", .anyOf(.filledText, .reference("incremental"))) { $1.incremental($0) },
      \.job.incremental, standard: "none",
      "keeps the highest mark that a run saw, which is `${since}` in the next run"),
  ]

  static let downloadKeys: [Key<DownloadDraft>] = [
    Key(
      "url", .text("a URL, absolute or relative to 'base'", .endpoint, expected: "a URL"), \.url, "the file's URL",
      isRequired: true),
    Key(
      "to", .init("a path below '--dir'", .filledText) { $1.savePath($0) }, \.path,
      "where the file is saved; one that ends with `/` gets the URL's last segment", isRequired: true),
    Key(
      "name", .word(of: Job.Download.Naming.self), \.naming, standard: "`url`",
      "who names a file whose `to` ends with `/`: its URL, or the server by `Content-Disposition`"),
    Key(
      "size", .init("a template with the size in bytes", .pattern(#"^\$\{[^}]+\}$"#)) { $1.fileSize($0) }, \.size,
      standard: "none",
      "the size that the API says: a file that is there with this size is not requested again"),
  ]

  static let attachKeys: [Key<Job.Attach?>] = [
    Key("one", "a member's name", .filledText, "attaches the only record, or null") { node, attach, decoder in
      attach = decoder.givenName(node, expected: "a member's name").map { .one($0) }
    }
  ]

  static let spanKeys: [Key<SpanDraft>] = [
    Key("from", .bound, \.from, "the first value", isRequired: true),
    Key("to", .bound, \.to, "the last value", isRequired: true),
    Key(
      "step", .step, \.step, standard: "`1d` for dates, 1 for whole numbers",
      "points: the distance from one value to the next"),
    Key(
      "window", .step, \.window, standard: "none",
      "windows of this length: each value has `start`, `end` (the last unit before the next start) and `next`",
      excludes: .init(
        ["step"], advice: "write 'step' for points, or 'window' for windows, which follow one another")),
    Key(
      "as", .init("a form of times", .type("string")) { $1.timeForm($0) }, \.form, standard: "as they are given",
      "how dates and times are spelled"),
    Key(
      "split", .flag, \.splits, standard: "false",
      "with `window`: a window whose total is above what came, or that is refused as too large, is halved"),
  ]
}

extension ValueKind<SpanDraft.Bound> {
  fileprivate static var bound: Self {
    Self("a date, time or whole number", .type("string", "number")) { $1.bound($0) }
  }
}

extension ValueKind<SpanDraft.Step> {
  fileprivate static var step: Self {
    Self(
      "a step such as 1d, 1mo, 15m or 10", .numberOrText("^0*[1-9][0-9]*(s|m|h|d|w|mo|y)?$|\\$\\{")
    ) { $1.step($0) }
  }
}

extension JSONValue {
  fileprivate static let ofSign = JSONValue.words(Sign.ignorable.map(\.rawValue))
}
