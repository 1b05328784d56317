// Keys about the request.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let requestKeys: [Key<JobDraft>] = [
    Key(
      "name", .init("a name", .filledText) { $1.printableName($0) }, \.job.name,
      standard: "the file's name, `FILE#2` for unnamed steps", "names the step in messages and summaries",
      besideSteps: .nothing, fits: .all, mayChange: true),
    Key(
      "base", .init("an absolute URL ending in '/'", .type("string")) { $1.base($0) }, \.job.base, standard: "none",
      "the URL to which `endpoint` is relative; `${param.url}/` may supply scheme and host, and `unix:SOCKET:/` a socket of "
        + "this machine", besideSteps: .setting, fits: .requests),
    Key(
      "endpoint", .text("a URL, absolute or relative to 'base'", .endpoint, expected: "a URL"), \.job.endpoint,
      standard: "required, but see `download` and `set`",
      "the URL to fetch; a query in it is sent unchanged, and `query` is added", besideSteps: .nothing, fits: .requests),
    Key(
      "method", .method, \.job.method, standard: "`GET`, or `POST` where there is a `body`, `form` or `text`",
      "the request's method"),
    Key(
      "query", .items("a map of query items"), \.job.query, standard: "none",
      "query items; a list repeats the item; `null` leaves it out", fits: .requests),
    Key(
      "headers", "a map of header fields", .map(of: .scalar),
      standard: "`Accept: application/json`, `User-Agent: pagecat/VERSION`",
      "header fields; case makes no difference in names, and `null` removes a field", besideSteps: .setting,
      fits: .requests
    ) { node, draft, decoder in
      decoder.mergeHeaders(node, into: &draft.job)
    },
    Key("body", .init("any value", .anything) { $1.value($0, .request) }, \.job.body, standard: "none", "sent as JSON"),
    Key(
      "form", .items("a map of items"), \.job.form, standard: "none",
      "a body that is sent urlencoded, with the rules of `query`",
      excludes: .bodies("body")),
    Key(
      "text", .text("a text", .request), \.job.text, standard: "none",
      "a body that is sent as it stands, with the `Content-Type` of `headers`, or as `text/plain`",
      excludes: .bodies("body", "form")),
  ]
}

// Keys about sending requests, and about failed requests.

internal import Diagnostics

extension SpecKeys {
  static let fetchingKeys: [Key<JobDraft>] = [
    Key(
      "concurrency", .integer(from: 1, to: 256), \.job.concurrency, standard: "1",
      "most requests of this step at once; the order of the output stays the same", besideSteps: .setting,
      fits: .requests, mayChange: true),
    Key(
      "onError", .word(of: Job.OnError.self), \.job.onError, standard: "`stop`",
      "what happens when the fetch for an input record fails", besideSteps: .setting, fits: .all),
    Key(
      "retry",
      .init(
        "a map, or a number of attempts",
        .anyOf(.integer(from: 1, to: 1_000), .fixedTemplate, .reference("retry"))
      ) { $1.retry($0) }, \.job.retry, standard: "`{attempts: 5, wait: 500ms, within: 10m}`",
      "how temporary failures are retried: of requests that only read, and of others if the step itself has `retry`",
      besideSteps: .setting, fits: .requests, mayChange: true),
    Key(
      "poll", .init("a map", .reference("poll")) { $1.poll($0) }, \.job.poll, standard: "none",
      "makes the request again until the server is done"),
    Key(
      "rate",
      .init(
        "a rate such as 5/s, 12.5/s, 100/m or 1000/h",
        .pattern("^(?!0*(\\.0*)?/)[0-9]+(\\.[0-9]{1,3})?/[smh]$|\\$\\{")
      ) { $1.rate($0) }, \.job.rate, standard: "none",
      "limits the requests of all steps to an origin; the strictest `rate` applies", besideSteps: .setting,
      fits: .requests, mayChange: true),
    Key(
      "auth",
      .init("a map with one kind, or 'netrc'", .anyOf(.words(["netrc"]), .reference("auth"))) { $1.auth($0) },
      \.job.auth, standard: "none",
      "credentials, sent only to the origin of `endpoint` (at the top of a file with steps: of `base`)",
      besideSteps: .setting, fits: .requests),
    Key(
      "tls", .init("a map of 'certificate', 'key' and 'ca'", .reference("tls")) { $1.tls($0) }, \.job.tls,
      standard: "none",
      "files for https: the client's certificate and the trusted authorities, for the same origin as `auth`",
      besideSteps: .setting, fits: .requests),
    Key(
      "timeout", .duration(like: "30s"), \.job.timeout, standard: "30s",
      "fails a request that receives less than 1 KB in this time", besideSteps: .setting, fits: .requests,
      mayChange: true),
    Key(
      "hosts", .init("a host, or a list of hosts", .anyOf(.filledText, .array(of: .filledText))) { $1.hosts($0) },
      \.job.hosts, standard: "none", "further hosts to which next links, `${input.url}` and downloads may lead",
      besideSteps: .setting, fits: .requests, mayChange: true),
    Key(
      "bodyLimit",
      .init("a size such as 4GB", .numberOrText("^[0-9]+([KMGT]i?)?B$|\\$\\{")) { $1.size($0) }, \.job.bodyLimit,
      standard: "4GB", "most bytes of one decoded response, and of one input line", besideSteps: .setting, fits: .all,
      mayChange: true),
  ]

  static let retryKeys: [Key<Job.Retry>] = [
    Key(
      "attempts", .attempts, \.attempts, standard: "5", "most attempts, the first included"),
    Key(
      "when", "a condition on the answer", .reference("answer"), standard: "none",
      "retries an answer for which it holds like a 503: `status: 409`, `body.retryable`"
    ) { node, retry, decoder in
      retry.read(decoder.condition(node, about: .answer()))
      decoder.checkRetried(node, retry.statuses)
    },
    Key(
      "wait", .duration(like: "500ms"), \.wait, standard: "500ms",
      "bounds the first wait; it doubles with each failure, up to 60 s"),
    Key(
      "within", .duration(like: "10m", orMeant: { "'attempts: \($0)' is for at most so many attempts" }), \.within,
      standard: "10m", "bounds the sum of all waits of one request"),
  ]
}

// Keys of `poll`: the signs that a job of the server is done.

internal import Diagnostics

extension SpecKeys {
  static let pollKeys: [Key<Poll>] = [
    Key(
      "until", .ofAnswer, \.until, standard: "any status but 202",
      "holds for the answer that has the content; a bare path takes true, false, 1 and 0"),
    Key("failure", .ofAnswer, \.failure, standard: "none", "holds for an answer that ends the wait with an error"),
    Key(
      "every", .duration(like: "10s"), \.every, standard: "10s",
      "the wait between two requests, without a `Retry-After`", mayChange: true),
    Key(
      "within", .duration(like: "30m"), \.within, standard: "30m",
      "bounds the time from the first request to the last", mayChange: true),
  ]
}

extension NodeDecoder {
  mutating func poll(_ node: Node) -> Poll {
    var poll = Poll()
    map(node, keys: SpecKeys.pollKeys, into: &poll)
    return poll
  }
}

// Keys of `tls`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let tlsKeys: [Key<Job.TLS>] = [
    Key(
      "certificate", .credential("a path", advice: nil), \.certificate, standard: "none",
      "the client's certificate (PEM)"),
    Key(
      "key", .credential("a path", advice: nil), \.key, standard: "the file of `certificate`",
      "the certificate's private key (PEM, not encrypted)",
      needs: .init(["certificate"], advice: "add the certificate that the key belongs to")),
    Key(
      "ca", .credential("a path", advice: nil), \.ca, standard: "the machine's own",
      "the authorities that are trusted, and no others (PEM)"),
  ]
}

extension NodeDecoder {
  mutating func tls(_ node: Node) -> Job.TLS? {
    var tls = Job.TLS(position: source.position(at: node.range.lowerBound))
    guard let entries = map(node, keys: SpecKeys.tlsKeys, into: &tls) else { return nil }
    if entries.isEmpty { refuse("no file in 'tls'", at: node.range, advice: "write '{ ca: authority.pem }'") }
    return tls
  }
}

// MARK: Keys of `pages`: how to request further pages, and when they end

extension SpecKeys {
  static let pagesKeys: [Key<PagesDraft>] = [
    Key(
      "number", .item(in: ["body", "form", "header", "endpoint"]), \.item, "the item goes up by 1",
      excludes: .pagers("number")),
    Key(
      "offset", .item(in: ["body", "form", "header", "endpoint"]), \.item,
      "the item goes up by the records received",
      excludes: .pagers("offset")),
    Key(
      "cursor", .item(in: ["body", "form", "header"]), \.item,
      "the item carries `from`; a name is a query item, others are `{ body: PATH }`, `{ form: NAME }` and `{ header: NAME }`",
      needs: .from, excludes: .pagers("cursor")
    ),
    Key(
      "from", "a path, a text with templates, or a map of items and these",
      .anyOf(.rootedPath, .map(of: .rootedPath, isFilled: true)),
      "with `cursor`: where a page has it; a map is for several items, without `cursor`"
    ) { node, draft, decoder in
      if case .map(let entries) = node.content {
        draft.cursors = decoder.cursors(entries, node)
      } else {
        draft.from = decoder.nextTemplate(node)
      }
    },
    Key(
      "then", .init("a map", .reference("then")) { $1.laterRequest($0) }, \.then,
      standard: "the first page's request", "with `cursor`: the request of the later pages, if it is another one",
      needs: .from),
    Key(
      "next", .init("a path, or a text with templates", .rootedPath) { $1.nextTemplate($0) }, \.next,
      "the URL of the next page, resolved against the current one",
      excludes: .pagers("next")),
    Key(
      "link",
      .init("a relation such as next, or a map of 'in' and 'rel'", .anyOf(.filledText, .reference("link"))) {
        $1.link($0)
      }, \.link, "the target of that relation: in the `Link` header, or in an array of the body",
      excludes: .pagers("link")),
    Key("totalPages", .ofPage, \.totalPages, standard: "none", "how many pages there are"),
    Key("totalRecords", .ofPage, \.totalRecords, standard: "none", "how many records there are"),
    Key(
      "more", .ofAnswer, \.more, standard: "none",
      "the pages end where it does not hold; a bare path that holds says that there is another page"),
    Key(
      "until",
      .init(
        "'short', 'known', 'repeated', a condition on the answer, or a list of these", .reference("answer")
      ) { $1.until($0) }, \.until, standard: "none",
      "this page is the last: it has fewer records than the first (`short`), a record that is not new (`known`), it comes "
        + "again (`repeated`), or the condition holds; a bare path takes true, false, 1 and 0"),
    Key(
      "scroll", .flag, \.isScroll, standard: "false",
      "with `cursor`; true: the server keeps the position, and the same request gives the next page",
      needs: .from),
    Key(
      "smaller", .integer(from: 1), \.smallest, standard: "none",
      "a page that fails with 502, 504 or a time-out is asked for with half its size, down to this"),
  ]

  static let linkKeys: [Key<LinkDraft>] = [
    Key(
      "in", .init("a path", .path) { $1.path($0, example: "links", single: "in") }, \.path,
      "an array of links in the body", isRequired: true),
    Key(
      "rel", .init("a relation such as next", .filledText) { $1.relation($0) }, \.relation, standard: "next",
      "the relation of the link to the next page"),
  ]

  static let thenKeys: [Key<JobDraft>] = requestKeys.filter {
    ["endpoint", "method", "query", "body", "form", "text"].contains($0.entry.name)
  }.map { $0.entry.name == "endpoint" ? $0 : $0.needing(.init(["endpoint"], advice: nil)) }

  /// Keys that say how to get the next page, of which `pages` has one, unless `from` names the items.
  static let pagers = ["number", "offset", "cursor", "next", "link"]
}

// Keys of `incremental`: the marks that a run saves for the next one.

internal import Diagnostics

extension SpecKeys {
  static let incrementalKeys: [Key<IncrementalDraft>] = [
    Key(
      "mark", .init("a path, or a template", .path) { $1.mark($0) }, \.mark,
      "the member whose highest value is remembered; or a value: `${input.until}` of the input record, `${now}`, or "
        + "`${body.token}` of the last page", isRequired: true),
    Key(
      "start", .init("text or a number", .type("string", "number")) { $1.start($0) }, \.start, standard: "none",
      "the value of `${since}` in the first run"),
    Key(
      "as", .init("a form of times", .type("string")) { $1.readableForm($0) }, \.form, standard: "none",
      "how the API spells marks that are times but not RFC 3339"),
    Key(
      "by", .paths { $1.keyPaths($0, of: "incremental") }, \.by, standard: "one mark",
      "keeps a mark for each value of these members of the input record"),
    Key(
      "only", .init("'new' or 'all'", .anyOf(.words(["new", "all"]), .fixedTemplate)) { $1.only($0) }, \.only,
      standard: "what is not known",
      "leaves out records that are not above the mark ('new'), or none ('all'); by default those that the last run has "
        + "written with the same mark and the same bytes"),
    Key(
      "expired", .ofAnswer, \.expired, standard: "none",
      "the answer that says that the mark is too old: it is forgotten, and everything is fetched again"),
  ]
}

extension ValueKind<Pages.PageItem> {
  /// An item of the query by its name, or one of a part of the request.
  fileprivate static func item(in parts: [String]) -> Self {
    Self("an item of the request", .anyOf([.filledText] + parts.map { .item(in: $0) })) { $1.pageItem($0) }
  }
}

extension JSONValue {
  fileprivate static func item(in part: String) -> JSONValue {
    let value: JSONValue = part == "body" ? .path : part == "endpoint" ? .words(["page"]) : .filledText
    return .object([
      ("type", JSONValue("object")), ("properties", .object([(part, value)])), ("required", .texts([part])),
      ("additionalProperties", JSONValue(false)),
    ])
  }
}

extension KeyEntry.Others {
  static func bodies(_ others: String...) -> Self {
    Self(others, advice: "leave one of them out: a request has one body")
  }

  fileprivate static func pagers(_ own: String) -> Self { Self(SpecKeys.pagers.filter { $0 != own }, advice: nil) }

  fileprivate static var from: Self { Self(["from"], advice: nil) }
}
