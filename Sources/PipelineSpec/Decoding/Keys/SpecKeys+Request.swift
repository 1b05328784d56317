// Keys about the request.

internal import Diagnostics

extension SpecKeys {
  static let requestKeys: [Key<JobDraft>] = [
    Key(
      "name", "a name", standard: "the file's name, `FILE#2` for unnamed steps",
      "names the job in messages and summaries", besideSteps: .nothing, mayChange: true
    ) { node, draft, decoder in
      if let name = decoder.printableName(node) { draft.job.name = name }
    },
    Key(
      "base", "an absolute URL ending in '/'", standard: "none",
      "the URL to which `endpoint` is relative; `${param.url}/` may supply scheme and host", besideSteps: .setting
    ) { node, draft, decoder in
      guard let base = decoder.template(node, .base, expected: "an absolute URL ending in '/'") else { return }
      if decoder.checkBase(base, node) { draft.job.base = base }
    },
    Key(
      "endpoint", "a URL, absolute or relative to 'base'", standard: "required, but see `download` and `set`",
      "the URL to fetch; a query in it is sent unchanged, and `query` is added", besideSteps: .nothing
    ) { node, draft, decoder in
      guard let endpoint = decoder.template(node, .request, expected: "a URL") else { return }
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
