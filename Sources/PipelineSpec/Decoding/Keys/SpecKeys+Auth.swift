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
        decoder.refuse("an empty 'user' without a 'password'", at: node.range)
      }
    },
    Key("header", "a map of header fields", "fields that prove who asks") { node, draft, decoder in
      draft.kind = decoder.authHeaders(node).map { .header($0) }
    },
    Key("query", "a map of query items", "items that prove who asks") { node, draft, decoder in
      draft.kind = decoder.authItems(node).map { .query($0) }
    },
    Key("oauth2", "a map of 'token', 'id', 'secret' and 'scope'", "client credentials (RFC 6749 §4.4)") {
      node, draft, decoder in
      guard decoder.whole(node, keys: oauth2Keys, into: &draft), let token = draft.token, let id = draft.id,
        let secret = draft.secret
      else { return }
      draft.kind = .oauth2(token: token, id: id, secret: secret, scope: draft.scope)
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
    Key("token", "a URL", "where tokens are given: https, unless it is this machine", isRequired: true) {
      node, draft, decoder in
      draft.token = decoder.authValue(node, "a URL")
    },
    Key("id", "a text", "the client's name", isRequired: true) { node, draft, decoder in
      draft.id = decoder.authValue(node, "a text")
    },
    Key("secret", "a text", "the client's secret", isRequired: true) { node, draft, decoder in
      draft.secret = decoder.authValue(node, "a text")
    },
    Key("scope", "a text", standard: "none", "what the token is to be good for") { node, draft, decoder in
      draft.scope = decoder.authValue(node, "a text")
    },
  ]
}
