// Keys about the request.

internal import Diagnostics

extension SpecKeys {
  static let requestKeys: [Key<JobDraft>] = [
    Key(
      "name", "a name", standard: "the file's name, `FILE#2` for unnamed steps",
      "names the step in messages and summaries", besideSteps: .nothing, mayChange: true
    ) { node, draft, decoder in
      if let name = decoder.printableName(node) { draft.job.name = name }
    },
    Key(
      "base", "an absolute URL ending in '/'", standard: "none",
      "the URL to which `endpoint` is relative; `${param.url}/` may supply scheme and host, and `unix:SOCKET:/` a socket of "
        + "this machine", besideSteps: .setting
    ) { node, draft, decoder in
      if case .string(let text) = node.content, text.hasPrefix("unix:") {
        draft.job.base = decoder.socketBase(text, node)
        return
      }
      guard let base = decoder.template(node, .base, expected: "an absolute URL ending in '/'") else { return }
      if decoder.checkBase(base, node) { draft.job.base = base }
    },
    Key(
      "endpoint", "a URL, absolute or relative to 'base'", standard: "required, but see `download` and `set`",
      "the URL to fetch; a query in it is sent unchanged, and `query` is added", besideSteps: .nothing
    ) { node, draft, decoder in
      guard let endpoint = decoder.template(node, .endpoint, expected: "a URL") else { return }
      draft.job.endpoint = endpoint
    },
    Key(
      "method", "a method such as GET or POST", standard: "`GET`, or `POST` where there is a `body`, `form` or `text`",
      "the request's method"
    ) { node, draft, decoder in
      draft.job.method = decoder.method(node)
    },
    Key(
      "query", "a map of query items", standard: "none",
      "query items; a list repeats the item; `null` leaves it out"
    ) { node, draft, decoder in
      if let items = decoder.queryItems(node) { draft.job.query = items }
    },
    Key(
      "headers", "a map of header fields", standard: "`Accept: application/json`, `User-Agent: pagecat/VERSION`",
      "header fields; case makes no difference in names, and `null` removes a field", besideSteps: .setting
    ) { node, draft, decoder in
      decoder.mergeHeaders(node, into: &draft.job)
    },
    Key("body", "any value", standard: "none", "sent as JSON") { node, draft, decoder in
      draft.job.body = decoder.value(node, .request)
    },
    Key("form", "a map of items", standard: "none", "a body that is sent urlencoded, with the rules of `query`") {
      node, draft, decoder in
      draft.job.form = decoder.queryItems(node, expected: "a map of items")
    },
    Key(
      "text", "a text", standard: "none",
      "a body that is sent as it stands, with the `Content-Type` of `headers`, or as `text/plain`"
    ) { node, draft, decoder in
      draft.job.text = decoder.template(node, .request, expected: "a text")
    },
  ]
}

// Keys about sending requests, and about failed requests.

internal import Diagnostics

extension SpecKeys {
  static let fetchingKeys: [Key<JobDraft>] = [
    Key(
      "concurrency", "a whole number from 1 to 256", standard: "1",
      "most requests of this step at once; the order of the output stays the same", besideSteps: .setting,
      mayChange: true
    ) { node, draft, decoder in
      let number = decoder.integer(node, in: 1...256, expected: "a whole number from 1 to 256")
      if let number { draft.job.concurrency = number }
    },
    Key(
      "onError", "'stop', 'skip' or 'empty'", standard: "`stop`",
      "what happens when the fetch for an input record fails",
      besideSteps: .setting
    ) { node, draft, decoder in
      if let word = decoder.word(node, Job.OnError.self) { draft.job.onError = word }
    },
    Key(
      "retry", "a map, or a number of attempts", standard: "`{attempts: 5, wait: 500ms, within: 10m}`",
      "how temporary failures are retried: of requests that only read, and of others if the step itself has `retry`",
      besideSteps: .setting, mayChange: true
    ) { node, draft, decoder in
      draft.job.retry = decoder.retry(node)
    },
    Key("poll", "a map", standard: "none", "makes the request again until the server is done") { node, draft, decoder in
      var poll = Poll()
      decoder.map(node, keys: pollKeys, into: &poll, hint: decoder.formerKeys(FormerKeys.poll, in: node))
      draft.job.poll = poll
    },
    Key(
      "rate", "a rate such as 5/s, 12.5/s, 100/m or 1000/h", standard: "none",
      "limits the requests of all steps to an origin; the strictest `rate` applies", besideSteps: .setting,
      mayChange: true
    ) { node, draft, decoder in
      draft.job.rate = decoder.rate(node)
    },
    Key(
      "auth", "a map with one kind, or 'netrc'", standard: "none",
      "credentials, sent only to the origin of `endpoint` (at the top of a file with steps: of `base`)",
      besideSteps: .setting
    ) { node, draft, decoder in
      draft.job.auth = decoder.auth(node)
    },
    Key(
      "tls", "a map of 'certificate', 'key' and 'ca'", standard: "none",
      "files for https: the client's certificate and the trusted authorities, for the same origin as `auth`",
      besideSteps: .setting
    ) { node, draft, decoder in
      draft.job.tls = decoder.tls(node)
    },
    Key(
      "timeout", "a duration such as 30s", standard: "30s", "fails a request that receives less than 1 KB in this time",
      besideSteps: .setting, mayChange: true
    ) {
      node, draft, decoder in
      if let duration = decoder.duration(node) { draft.job.timeout = duration }
    },
    Key(
      "hosts", "a host, or a list of hosts", standard: "none",
      "further hosts to which next links, `${input.url}` and downloads may lead",
      besideSteps: .setting, mayChange: true
    ) { node, draft, decoder in
      if let hosts = decoder.hosts(node) { draft.job.hosts = hosts }
    },
    Key(
      "bodyLimit", "a size such as 4GB", standard: "4GB", "most bytes of one decoded response, and of one input line",
      besideSteps: .setting, mayChange: true
    ) {
      node, draft, decoder in
      if let bytes = decoder.size(node) { draft.job.bodyLimit = bytes }
    },
  ]
  static let retryKeys: [Key<Job.Retry>] = [
    Key("attempts", "a whole number from 1 to 1000", standard: "5", "most attempts, the first included") {
      node, retry, decoder in
      retry.attempts = decoder.integer(node, in: 1...1_000, expected: "a whole number from 1 to 1000")
    },
    Key(
      "when", "a condition on the answer", standard: "none",
      "retries an answer for which it holds like a 503: `status: 409`, `body.retryable`"
    ) { node, retry, decoder in
      retry.read(decoder.condition(node, about: .answer()))
      decoder.checkRetried(node, retry.statuses)
    },
    Key(
      "wait", "a duration such as 500ms", standard: "500ms",
      "bounds the first wait; it doubles with each failure, up to 60 s"
    ) { node, retry, decoder in
      retry.wait = decoder.duration(node)
    },
    Key("within", "a duration such as 10m", standard: "10m", "bounds the sum of all waits of one request") {
      node, retry, decoder in
      retry.within = decoder.duration(node) { "'attempts: \($0)' is for at most so many attempts" }
    },
  ]
}

// Keys of `poll`: the signs that a job of the server is done.

internal import Diagnostics

extension SpecKeys {
  static let pollKeys: [Key<Poll>] = [
    Key(
      "until", "a condition on the answer", standard: "any status but 202",
      "holds for the answer that has the content; a bare path takes true, false, 1 and 0"
    ) {
      node, poll, decoder in
      poll.until = decoder.condition(node, about: .answer())
    },
    Key(
      "failure", "a condition on the answer", standard: "none", "holds for an answer that ends the wait with an error"
    ) {
      node, poll, decoder in
      poll.failure = decoder.condition(node, about: .answer())
    },
    Key(
      "every", "a duration such as 10s", standard: "10s", "the wait between two requests, without a `Retry-After`",
      mayChange: true
    ) { node, poll, decoder in
      if let time = decoder.duration(node) { poll.every = time }
    },
    Key(
      "within", "a duration such as 30m", standard: "30m", "bounds the time from the first request to the last",
      mayChange: true
    ) { node, poll, decoder in
      if let time = decoder.duration(node) { poll.within = time }
    },
  ]
}

// Keys of `tls`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let tlsKeys: [Key<Job.TLS>] = [
    Key("certificate", "a path", standard: "none", "the client's certificate (PEM)") { node, tls, decoder in
      tls.certificate = decoder.authValue(node, "a path", advice: nil)
    },
    Key("key", "a path", standard: "the file of `certificate`", "the certificate's private key (PEM, not encrypted)") {
      node, tls, decoder in
      tls.key = decoder.authValue(node, "a path", advice: nil)
    },
    Key("ca", "a path", standard: "the machine's own", "the authorities that are trusted, and no others (PEM)") {
      node, tls, decoder in
      tls.ca = decoder.authValue(node, "a path", advice: nil)
    },
  ]
}

extension NodeDecoder {
  mutating func tls(_ node: Node) -> Job.TLS? {
    var tls = Job.TLS(position: source.position(at: node.range.lowerBound))
    guard let entries = map(node, keys: SpecKeys.tlsKeys, into: &tls) else { return nil }
    if entries.isEmpty { refuse("no file in 'tls'", at: node.range, advice: "write '{ ca: authority.pem }'") }
    if let key = entries.first(where: { $0.key == "key" }), !entries.contains(where: { $0.key == "certificate" }) {
      refuse("'key' without 'certificate'", at: key.keyRange, advice: "add the certificate that the key belongs to")
    }
    return tls
  }
}

// MARK: Keys of `pages`: how to request further pages, and when they end

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
    Key(
      "from", "a path, a text with templates, or a map of items and these",
      "with `cursor`: where a page has it; a map is for several items, without `cursor`"
    ) { node, draft, decoder in
      if case .map(let entries) = node.content {
        draft.cursors = decoder.cursors(entries, node)
      } else {
        draft.from = decoder.nextTemplate(node)
      }
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
    Key(
      "smaller", "a whole number from 1", standard: "none",
      "a page that fails with 502, 504 or a time-out is asked for with half its size, down to this"
    ) { node, draft, decoder in
      draft.smallest = decoder.count(node)
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
