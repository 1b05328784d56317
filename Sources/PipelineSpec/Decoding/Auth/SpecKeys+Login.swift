// Keys of `login`: the request that logs in, and the use of its token.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let loginKeys: [Key<LoginDraft>] = [
    Key(
      "endpoint", "a URL, absolute or relative to 'base'", "the URL of the login: https, unless it is this machine",
      isRequired: true
    ) {
      node, draft, decoder in
      draft.endpoint = decoder.authValue(node, "a URL", advice: nil)
    },
    Key(
      "method", "a method such as GET or POST", standard: "`GET`, or `POST` where there is a `body` or `form`",
      "the request's method"
    ) {
      node, draft, decoder in
      draft.method = decoder.method(node)
    },
    Key(
      "headers", "a map of header fields", standard: "`Accept: application/json`, the job's `User-Agent`",
      "header fields of the login only; `null` removes a field"
    ) {
      node, draft, decoder in
      decoder.mergeHeaders(node, into: &draft.job, .auth)
    },
    Key("body", "any value", standard: "none", "sent as JSON") { node, draft, decoder in
      draft.body = decoder.value(node, .auth)
    },
    Key("form", "a map of names and texts", standard: "none", "sent as a form, in place of `body`") {
      node, draft, decoder in
      draft.form = decoder.authItems(node, expected: "a map of names and texts", "no member in 'form'")
    },
    Key("token", "a root key or a JSON Pointer", "where the token is in the answer", isRequired: true) {
      node, draft, decoder in
      draft.token = decoder.markPath(node)
    },
    Key(
      "as", "'bearer', or a map with 'header' or 'query'", standard: "`bearer`",
      "how the token is sent; `${token}` reads it"
    ) {
      node, draft, decoder in
      draft.use = decoder.tokenUse(node)
    },
  ]

  static let useKeys: [Key<LoginDraft.UseDraft>] = [
    Key("header", "a map of header fields", "fields with the token") { node, draft, decoder in
      draft.use = decoder.authHeaders(node, .login).map { .header($0) }
    },
    Key("query", "a map of query items", "items with the token") { node, draft, decoder in
      draft.use = decoder.authItems(node, site: .login).map { .query($0) }
    },
  ]
}
