// Keys of `auth`: the credentials.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let authKeys: [Key<AuthDraft>] = [
    Key("bearer", "a token", "`Authorization: Bearer …`") { node, draft, decoder in
      draft.kind = decoder.authValue(node, "a token").map { .bearer($0) }
    },
    Key("basic", "a map of 'user' and 'password'", "`Authorization: Basic …` (RFC 7617)") { node, draft, decoder in
      guard decoder.whole(node, keys: basicKeys, into: &draft), let user = draft.user else { return }
      draft.kind = .basic(user: user, password: draft.password)
      if user.pieces.isEmpty, draft.password?.pieces.isEmpty != false {
        let advice = "give at least one of them"
        decoder.refuse("an empty 'user' without a 'password'", at: node.range, advice: advice)
      }
    },
    Key("headers", "a map of header fields", "header fields with credentials; may stand with `query`") {
      node, draft, decoder in
      draft.headers = decoder.authHeaders(node) ?? []
    },
    Key("query", "a map of query items", "query items with credentials; may stand with `headers`") {
      node, draft, decoder in
      draft.items = decoder.authItems(node) ?? []
    },
    Key(
      "oauth2", "a map of 'tokenUrl', 'clientId' and others",
      "a token by client credentials or a refresh token (RFC 6749)"
    ) { node, draft, decoder in
      draft.kind = decoder.oauth2(node).map { .oauth2($0) }
    },
    Key("login", "a map of 'endpoint', 'token' and others", "a token from a request that logs in") {
      node, draft, decoder in
      draft.kind = decoder.login(node).map { .login($0) }
    },
    Key("aws", "a map of 'id', 'secret', 'region' and 'service'", "signs each request (AWS Signature Version 4)") {
      node, draft, decoder in
      draft.kind = decoder.aws(node).map { .aws($0) }
    },
  ]

  static let basicKeys: [Key<AuthDraft>] = [
    Key("user", "a text", "the user's name", isRequired: true) { node, draft, decoder in
      draft.user = decoder.authValue(node, "a text", mayBeEmpty: true)
    },
    Key("password", "a text", standard: "empty", "the password") { node, draft, decoder in
      draft.password = decoder.authValue(node, "a text", mayBeEmpty: true)
    },
  ]

  static let oauth2Keys: [Key<OAuth2Draft>] = [
    Key("tokenUrl", "a URL", "the server's URL for tokens: https, unless it is this machine", isRequired: true) {
      node, draft, decoder in
      draft.tokenURL = decoder.authValue(node, "a URL", advice: nil)
    },
    Key("clientId", "a text", "the client's name", isRequired: true) { node, draft, decoder in
      draft.clientID = decoder.authValue(node, "a text")
    },
    Key("clientSecret", "a text", standard: "required, but see `refreshToken`", "the client's secret") {
      node, draft, decoder in
      draft.clientSecret = decoder.authValue(node, "a text")
    },
    Key("scope", "a text", standard: "none", "what the token may be used for") { node, draft, decoder in
      draft.scope = decoder.authValue(node, "a text")
    },
    Key(
      "refreshToken", "a refresh token", standard: "none: client credentials",
      "the user's refresh token, for new access tokens"
    ) {
      node, draft, decoder in
      draft.refreshToken = decoder.authValue(node, "a refresh token")
    },
    Key(
      "send", "'basic' or 'body'", standard: "`basic`",
      "how `clientId` and `clientSecret` are sent: by HTTP Basic, or in the form"
    ) {
      node, draft, decoder in
      draft.send = decoder.word(node, Job.Auth.OAuth2.Sending.self)
    },
    Key("with", "a map of names and texts", standard: "none", "further members of the form; `grant_type` may be one") {
      node, draft, decoder in
      draft.others = decoder.authItems(node, expected: "a map of names and texts", "no member in 'with'")
    },
    Key(
      "as", "'bearer', or a map with 'headers' or 'query'", standard: "`bearer`",
      "how the token is sent; `${token}` reads it"
    ) {
      node, draft, decoder in
      draft.use = decoder.tokenUse(node)
    },
    Key(
      "refused", "a condition on the answer", standard: "status 401",
      "answers that refuse the token, beside those of status 401: a new one is fetched, once, and the request sent again"
    ) { node, draft, decoder in
      draft.refused = decoder.condition(node, about: .answer())
    },
  ]
}

// Keys of `aws`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let awsKeys: [Key<AWSDraft>] = [
    Key("id", "a text", "the access key's id", isRequired: true) { node, draft, decoder in
      draft.id = decoder.authValue(node, "a text")
    },
    Key("secret", "a text", "the secret access key; it is never sent", isRequired: true) { node, draft, decoder in
      draft.secret = decoder.authValue(node, "a text")
    },
    Key("token", "a text", standard: "none", "the session token of temporary credentials") { node, draft, decoder in
      draft.token = decoder.authValue(node, "a text")
    },
    Key("region", "a region such as us-east-1", "the region of the service", isRequired: true) { node, draft, decoder in
      draft.region = decoder.authValue(node, "a region such as us-east-1", advice: nil)
    },
    Key("service", "a name such as ce or execute-api", "the service's name in signatures", isRequired: true) {
      node, draft, decoder in
      draft.service = decoder.authValue(node, "a name such as ce or execute-api", advice: nil)
    },
  ]
}

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
    Key(
      "token", "a path", "where the token is in the answer: `body.token`, `headers.x-token`, `cookies.NAME`",
      isRequired: true
    ) { node, draft, decoder in
      draft.token = decoder.tokenPath(node)
    },
    Key(
      "as", "'bearer', or a map with 'headers' or 'query'", standard: "`bearer`",
      "how the token is sent; `${token}` reads it"
    ) {
      node, draft, decoder in
      draft.use = decoder.tokenUse(node)
    },
    Key(
      "refused", "a condition on the answer", standard: "status 401",
      "answers that refuse the token, beside those of status 401: a new one is fetched, once, and the request sent again"
    ) { node, draft, decoder in
      draft.refused = decoder.condition(node, about: .answer())
    },
  ]

  static let useKeys: [Key<TokenUseDraft>] = [
    Key("headers", "a map of header fields", "fields with the token") { node, draft, decoder in
      draft.headers = decoder.authHeaders(node, .login) ?? []
    },
    Key("query", "a map of query items", "items with the token") { node, draft, decoder in
      draft.items = decoder.authItems(node, site: .login) ?? []
    },
  ]
}
