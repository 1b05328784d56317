// Decodes `auth`: one kind of credentials, or the word `netrc`.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func auth(_ node: Node) -> Job.Auth? {
    let position = source.position(at: node.range.lowerBound)
    if case .string(let word) = node.content {
      if word == "netrc" { return Job.Auth(kind: .netrc, position: position) }
      let advice = "write '{ bearer: \"${env.TOKEN}\" }' or another kind, or 'netrc'"
      refuse(node, expected: "a kind of auth", advice: advice)
      return nil
    }
    let isTyped = refusesType(in: node, kinds: SpecKeys.auth.map(\.name)) { kind in
      switch kind {
      case "bearer": "{ bearer: \"${env.TOKEN}\" }"
      case "basic": "{ basic: { user: NAME, password: \"${env.PASSWORD}\" } }"
      case "headers", "query": "{ \(kind): { NAME: \"${env.KEY}\" } }"
      default: "{ \(kind): { … } }"
      }
    }
    if isTyped { return nil }
    var draft = AuthDraft()
    let hint = formerKeys(FormerKeys.auth, in: node)
    guard let entries = map(node, keys: SpecKeys.authKeys, into: &draft, hint: hint) else { return nil }
    let kinds = entries.filter { entry in SpecKeys.authKeys.contains { $0.entry.name == entry.key } }
    if entries.isEmpty {
      refuse("no kind of auth", at: node.range, advice: "write '{ bearer: \"${env.TOKEN}\" }' or another kind")
    }
    let isNamed = kinds.allSatisfy { ["headers", "query"].contains($0.key) }
    for entry in isNamed ? [] : kinds.dropFirst() {
      refuse(
        "'\(entry.key)' beside '\(kinds[0].key)'", at: entry.keyRange,
        advice: "leave one of them out: 'auth' has one kind, or 'headers' and 'query'")
    }
    if isNamed, !(draft.headers.isEmpty && draft.items.isEmpty) {
      draft.kind = .named(headers: draft.headers, items: draft.items)
    }
    return kinds.count == 1 || isNamed ? draft.kind.map { Job.Auth(kind: $0, position: position) } : nil
  }

  /// Returns a value of `auth`, with its templates.
  mutating func authValue(
    _ node: Node, _ expected: String, advice: String? = "write '${env.NAME}'", mayBeEmpty: Bool = false,
    site: TemplateSite = .auth
  ) -> Template? {
    guard let value = template(node, site, expected: expected, advice: advice) else { return nil }
    guard value.pieces.isEmpty, !mayBeEmpty else { return value }
    refuse("expected \(expected), found an empty one", at: node.range, advice: advice)
    return nil
  }

  /// Reads a map; reports that the node is a map, and adds a diagnostic for each missing required key.
  mutating func whole<Draft>(
    _ node: Node, keys: [Key<Draft>], into draft: inout Draft, hint: Hint = { _ in nil }
  ) -> Bool {
    let before = mistakes.count
    guard let entries = map(node, keys: keys, into: &draft, hint: hint) else { return false }
    // A key of before that was refused is not missing, too.
    guard mistakes.count == before || !entries.contains(where: { hint($0.key) != nil }) else { return true }
    for key in keys where key.entry.isRequired && !entries.contains(where: { $0.key == key.entry.name }) {
      guard !suggested.contains(key.entry.name) else { continue }
      refuse("no '\(key.entry.name)'", at: node.range, advice: "add '\(key.entry.name): ', \(key.entry.value)")
    }
    return true
  }

  mutating func authHeaders(_ node: Node, _ site: TemplateSite = .auth) -> [Job.Header]? {
    var job = JobDraft().job
    mergeHeaders(node, into: &job, site)
    if let entries = entries(of: node), entries.isEmpty {
      refuse("no field in 'headers'", at: node.range, advice: "write '{ X-Api-Key: \"${env.KEY}\" }'")
    }
    return job.headers.isEmpty ? nil : job.headers
  }

  mutating func authItems(
    _ node: Node, expected: String = "a map of query items", _ empty: String = "no item in 'query'",
    site: TemplateSite = .auth
  ) -> [Job.Auth.Item]? {
    guard let entries = named(node, expected: expected) else { return nil }
    if entries.isEmpty { refuse(empty, at: node.range, advice: "write '{ name: value }'") }
    let items = entries.compactMap { entry in
      authValue(entry.value, "a text", site: site).map { Job.Auth.Item(name: entry.key, value: $0) }
    }
    return items.isEmpty ? nil : items
  }
}

extension NodeDecoder {
  /// Returns the keys of `oauth2`, which depend on one another.
  mutating func oauth2(_ node: Node) -> Job.Auth.OAuth2? {
    var draft = OAuth2Draft()
    let hint = formerKeys(FormerKeys.oauth2, in: node)
    guard whole(node, keys: SpecKeys.oauth2Keys, into: &draft, hint: hint) else { return nil }
    checkClient(node, draft)
    guard let tokenURL = draft.tokenURL, draft.clientID != nil || draft.jwt != nil else { return nil }
    var oauth2 = Job.Auth.OAuth2(tokenURL: tokenURL, clientID: draft.clientID, clientSecret: draft.clientSecret)
    oauth2.scope = draft.scope
    oauth2.refreshToken = draft.refreshToken
    oauth2.jwt = draft.jwt
    oauth2.deviceURL = draft.deviceURL
    // A client without a secret only names itself, in the body (RFC 6749 §3.2.1).
    oauth2.send = draft.send ?? (draft.clientSecret == nil ? .body : .basic)
    oauth2.others = draft.others ?? []
    oauth2.use = draft.use ?? .bearer
    oauth2.refused = draft.refused
    checkMembers(of: oauth2, node)
    return oauth2
  }

  /// Refuses client credentials without a secret.
  ///
  /// A refresh token, a user's login, a service account's key, or another grant, proves something by itself.
  private mutating func checkClient(_ node: Node, _ draft: OAuth2Draft) {
    let all = entries(of: node) ?? []
    let keys = Set(all.map(\.key))
    let proofs = all.filter { ["refreshToken", "jwt", "deviceUrl"].contains($0.key) }
    for proof in proofs.dropFirst() {
      refuse(
        "'\(proof.key)' beside '\(proofs[0].key)'", at: proof.keyRange,
        advice: "leave one of them out: each is another way to a token")
    }
    if keys.contains("jwt") {
      if draft.clientID == nil, keys.contains("clientSecret") {
        refuse("a 'clientSecret' without a 'clientId'", at: node.range, advice: "add 'clientId: ', or leave both out")
      }
      if draft.send == .basic, !keys.contains("clientSecret") {
        let advice = "leave 'send' out: the signed JWT proves the account, and there is no secret to send"
        refuse("'send: basic' beside 'jwt' without a 'clientSecret'", at: node.range, advice: advice)
      }
      return
    }
    if keys.isDisjoint(with: ["clientId", "id"]), !suggested.contains("clientId") {
      refuse("no 'clientId'", at: node.range, advice: "add 'clientId: ', a text")
    }
    guard keys.isDisjoint(with: ["clientSecret", "secret"]), !suggested.contains("clientSecret") else { return }
    let isOtherGrant = draft.others?.contains { $0.name == "grant_type" } == true
    if keys.isDisjoint(with: ["refreshToken", "refresh", "deviceUrl"]), !isOtherGrant {
      refuse(
        "no 'clientSecret'", at: node.range,
        advice: "add 'clientSecret: ', a text, or 'refreshToken: ', a refresh token")
    } else if draft.send == .basic {
      refuse("'send: basic' without a 'clientSecret'", at: node.range, advice: "add the secret, or write 'send: body'")
    }
  }

  private mutating func checkMembers(of oauth2: Job.Auth.OAuth2, _ node: Node) {
    guard let with = entries(of: node)?.first(where: { $0.key == "with" }) else { return }
    for entry in entries(of: with.value) ?? [] {
      let given = "'with' gives '\(entry.key.printable)', which"
      if oauth2.loginNames.contains(entry.key) {
        refuse("\(given) the login by 'deviceUrl' sends itself", at: entry.keyRange, advice: "leave it out")
      } else if oauth2.ownNames.contains(entry.key) {
        refuse("\(given) another key of 'oauth2' sends", at: entry.keyRange, advice: "leave one of them out")
      }
    }
  }
}

// Decodes `login`: one request, and how its token is sent.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func login(_ node: Node) -> Job.Auth.Login? {
    var draft = LoginDraft()
    guard whole(node, keys: SpecKeys.loginKeys, into: &draft) else { return nil }
    let keys = (entries(of: node) ?? [])
    if let form = keys.first(where: { $0.key == "form" }), keys.contains(where: { $0.key == "body" }) {
      refuse("'form' beside 'body'", at: form.keyRange, advice: "leave one of them out: a request has one body")
    }
    if let method = draft.method, ["GET", "HEAD"].contains(method), draft.body != nil || draft.form != nil {
      let range = keys.first { $0.key == "method" }?.keyRange ?? node.range
      refuse("a body with 'method: \(method)'", at: range, advice: "leave 'method' out: it is POST then")
    }
    guard let endpoint = draft.endpoint, let token = draft.token else { return nil }
    var login = Job.Auth.Login(endpoint: endpoint, token: token)
    (login.method, login.body, login.form) = (draft.method, draft.body, draft.form ?? [])
    (login.headers, login.removedHeaders) = (draft.job.headers, draft.job.removedHeaders)
    login.use = draft.use ?? .bearer
    login.refused = draft.refused
    (login.refreshToken, login.nextRefreshToken) = (draft.refreshToken, draft.nextRefreshToken)
    checkRefresh(login, node, keys)
    return login
  }

  /// Checks that a login with a refresh token sends it, and finds the next one.
  private mutating func checkRefresh(_ login: Job.Auth.Login, _ node: Node, _ keys: [Node.Entry]) {
    let names = Set(keys.map(\.key))
    for (name, other) in [("refreshToken", "nextRefreshToken"), ("nextRefreshToken", "refreshToken")]
    where names.contains(name) && !names.contains(other) {
      let advice = name == "refreshToken" ? "a path such as 'body.refresh_token'" : "the user's first refresh token"
      refuse("'\(name)' without '\(other)'", at: node.range, advice: "add '\(other): ', \(advice)")
    }
    let holes = login.sentTemplates.flatMap(\.holes).filter { $0.root == .token }
    if let hole = holes.first, !names.contains("refreshToken") {
      refuse(
        "'token' can't be read here", at: range(of: hole),
        advice: "'token' is what 'login' has fetched: only 'as' of 'login' can read it")
    } else if holes.isEmpty, let key = keys.first(where: { $0.key == "refreshToken" }) {
      refuse(
        "'refreshToken' is not sent", at: key.keyRange, advice: "name '${token}' in 'body', 'form' or 'headers'")
    }
  }

  /// Returns the path of the token, which begins with its root.
  mutating func tokenPath(_ node: Node) -> JSONPath? {
    let example = "body.access_token"
    guard let text = pathText(node, example: example), !refusesTemplate(text, node) else { return nil }
    let path = (try? JSONPath(text)) ?? PathError(text).likely
    let isPath = (try? JSONPath(text)) != nil && path?.hasEvery == false
    switch (path?.steps.first?.name, path?.steps.count ?? 0) {
    case ("body", 1...) where isPath: return path
    case ("headers", 2) where isPath && path?.steps[1].name.isToken == true,
      ("cookies", 2) where isPath && path?.steps[1].name.isToken == true:
      return path
    case ("body", _), ("headers", _), ("cookies", _):
      refuse(
        "the path leads to no token", at: node.range,
        advice: "write '\(example)', 'body' for all of it, 'headers.NAME' or 'cookies.NAME'")
    default:
      // The text may be a secret in the wrong key.
      refuse(
        "the path of the token begins with no root", at: node.range,
        advice: "write '\(path.map { "body" + $0.suffix.printable } ?? example)', 'headers.NAME' or 'cookies.NAME'")
    }
    return nil
  }

  /// Returns the value of `as`: the word `bearer`, or a map of one kind in which a template names the token.
  mutating func tokenUse(_ node: Node) -> Job.Auth.TokenUse? {
    let advice = "write 'bearer' or '{ headers: { X-Token: \"${token}\" } }'"
    if case .string(let word) = node.content {
      if word == "bearer" { return .bearer }
      refuse(node, expected: "'bearer', or a map with 'headers' or 'query'", advice: advice)
      return nil
    }
    var draft = TokenUseDraft()
    let before = mistakes.count
    let hint = formerKeys(FormerKeys.auth, in: node)
    guard let entries = map(node, keys: SpecKeys.useKeys, into: &draft, hint: hint), mistakes.count == before else {
      return nil
    }
    if entries.isEmpty { refuse("neither 'headers' nor 'query' in 'as'", at: node.range, advice: advice) }
    let use = Job.Auth.TokenUse.named(headers: draft.headers, items: draft.items)
    if !entries.isEmpty, !use.templates.contains(where: { $0.names(.token) }) {
      refuse("'as' sends no token", at: node.range, advice: "name '${token}' in a value")
    }
    return use
  }
}

// MARK: Keys of `auth`: the credentials

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
    Key("clientId", "a text", standard: "required, but see `jwt`", "the client's name") { node, draft, decoder in
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
      "deviceUrl", "a URL", standard: "none",
      "where `pagecat login` asks for the code with which a user logs in (RFC 8628)"
    ) { node, draft, decoder in
      draft.deviceURL = decoder.authValue(node, "a URL", advice: nil)
    },
    Key(
      "jwt", "a map of 'key' and others", standard: "none",
      "a service account's token: what it says of itself, signed by RS256 (RFC 7523)"
    ) { node, draft, decoder in
      draft.jwt = decoder.jwt(node)
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

extension SpecKeys {
  static let jwtKeys: [Key<JWTDraft>] = [
    Key("key", "a path", "the file with the private key: PEM, or the JSON that Google gives", isRequired: true) {
      node, draft, decoder in
      draft.key = decoder.keyPath(node)
    },
    Key("iss", "a text", standard: "`client_email` of a JSON key", "the account that asks") { node, draft, decoder in
      draft.issuer = decoder.authValue(node, "a text")
    },
    Key("sub", "a text", standard: "none", "the user for whom the account asks") { node, draft, decoder in
      draft.subject = decoder.authValue(node, "a text")
    },
    Key("aud", "a text", standard: "`tokenUrl`", "the server that the JWT is for") { node, draft, decoder in
      draft.audience = decoder.authValue(node, "a text")
    },
    Key("scope", "a text", standard: "none", "what the token may be used for, where the JWT says it") {
      node, draft, decoder in
      draft.scope = decoder.authValue(node, "a text")
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
      "headers", "a map of header fields", standard: "`Accept: application/json`, the step's `User-Agent`",
      "header fields of the login only; `null` removes a field"
    ) {
      node, draft, decoder in
      decoder.mergeHeaders(node, into: &draft.job, .login)
    },
    Key("body", "any value", standard: "none", "sent as JSON") { node, draft, decoder in
      draft.body = decoder.value(node, .login)
    },
    Key("form", "a map of names and texts", standard: "none", "sent as a form, in place of `body`") {
      node, draft, decoder in
      draft.form = decoder.authItems(
        node, expected: "a map of names and texts", "no member in 'form'", site: .login)
    },
    Key(
      "token", "a path",
      "where the token is in the answer: `body.token`, `headers.x-token`, `cookies.NAME`, or `body` for all of it",
      isRequired: true
    ) { node, draft, decoder in
      draft.token = decoder.tokenPath(node)
    },
    Key(
      "refreshToken", "a refresh token", standard: "none",
      "the user's first refresh token, which the server replaces: `body`, `form` and `headers` read the newest as `${token}`"
    ) { node, draft, decoder in
      draft.refreshToken = decoder.authValue(node, "a refresh token")
    },
    Key(
      "nextRefreshToken", "a path", standard: "none",
      "where the answer has the refresh token that replaces the one that was sent"
    ) {
      node, draft, decoder in
      draft.nextRefreshToken = decoder.tokenPath(node)
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
