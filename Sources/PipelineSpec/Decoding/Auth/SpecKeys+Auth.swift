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
    Key("header", "a map of header fields", "header fields with credentials") { node, draft, decoder in
      draft.kind = decoder.authHeaders(node).map { .header($0) }
    },
    Key("query", "a map of query items", "query items with credentials") { node, draft, decoder in
      draft.kind = decoder.authItems(node).map { .query($0) }
    },
    Key("oauth2", "a map of 'token', 'id' and others", "a token by client credentials or a refresh token (RFC 6749)") {
      node, draft, decoder in
      draft.kind = decoder.oauth2(node, &draft).map { .oauth2($0) }
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

  static let oauth2Keys: [Key<AuthDraft>] = [
    Key("token", "a URL", "the server's URL for tokens: https, unless it is this machine", isRequired: true) {
      node, draft, decoder in
      draft.token = decoder.authValue(node, "a URL", advice: nil)
    },
    Key("id", "a text", "the client's name", isRequired: true) { node, draft, decoder in
      draft.id = decoder.authValue(node, "a text")
    },
    Key("secret", "a text", standard: "required, but see `refresh`", "the client's secret") { node, draft, decoder in
      draft.secret = decoder.authValue(node, "a text")
    },
    Key("scope", "a text", standard: "none", "what the token may be used for") { node, draft, decoder in
      draft.scope = decoder.authValue(node, "a text")
    },
    Key(
      "refresh", "a refresh token", standard: "none: client credentials",
      "the user's refresh token, for new access tokens"
    ) {
      node, draft, decoder in
      draft.refresh = decoder.authValue(node, "a refresh token")
    },
    Key(
      "client", "'basic' or 'body'", standard: "`basic`",
      "how `id` and `secret` are sent: by HTTP Basic, or in the form"
    ) {
      node, draft, decoder in
      draft.client = decoder.word(node, Job.Auth.OAuth2.Client.self)
    },
    Key("with", "a map of names and texts", standard: "none", "further members of the form; `grant_type` may be one") {
      node, draft, decoder in
      draft.others = decoder.authItems(node, expected: "a map of names and texts", "no member in 'with'")
    },
  ]
}
