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
    let hint = guessedKeys(GuessedKeys.auth, in: node)
    guard let entries = map(node, keys: SpecKeys.authKeys, into: &draft, hint: hint) else { return nil }
    let kinds = entries.filter { entry in SpecKeys.authKeys.contains { $0.entry.name == entry.key } }
    if entries.isEmpty {
      refuse("no kind of auth", at: node.range, advice: "write '{ bearer: \"${env.TOKEN}\" }' or another kind")
    }
    let isNamed = kinds.allSatisfy { ["headers", "query"].contains($0.key) }
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
  mutating func whole<Draft>(_ node: Node, keys: [Key<Draft>], into draft: inout Draft) -> Bool {
    guard let entries = map(node, keys: keys, into: &draft) else { return false }
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
    guard whole(node, keys: SpecKeys.oauth2Keys, into: &draft) else { return nil }
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
    let keys = Set((entries(of: node) ?? []).map(\.key))
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
    if !keys.contains("clientId"), !suggested.contains("clientId") {
      refuse("no 'clientId'", at: node.range, advice: "add 'clientId: ', a text")
    }
    guard !keys.contains("clientSecret"), !suggested.contains("clientSecret") else { return }
    let isOtherGrant = draft.others?.contains { $0.name == "grant_type" } == true
    if keys.isDisjoint(with: ["refreshToken", "deviceUrl"]), !isOtherGrant {
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
    if let method = draft.method, ["GET", "HEAD"].contains(method), draft.body != nil || draft.form != nil {
      let range = keys.first { $0.key == "method" }?.keyRange ?? node.range
      refuse("a body with 'method: \(method)'", at: range, advice: "leave 'method' out: it is POST then")
    }
    guard let endpoint = draft.endpoint, let token = draft.token else { return nil }
    let login = Job.Auth.Login(
      endpoint: endpoint, token: token, method: draft.method, body: draft.body, form: draft.form ?? [],
      headers: draft.job.headers, removedHeaders: draft.job.removedHeaders, use: draft.use ?? .bearer,
      refreshToken: draft.refreshToken, nextRefreshToken: draft.nextRefreshToken, refused: draft.refused)
    checkRefresh(login, node, keys)
    return login
  }

  /// Checks that a login with a refresh token sends it, and finds the next one.
  private mutating func checkRefresh(_ login: Job.Auth.Login, _ node: Node, _ keys: [Node.Entry]) {
    let names = Set(keys.map(\.key))
    let holes = login.sentTemplates.flatMap(\.holes).filter { $0.root == .token }
    if let hole = holes.first, !names.contains("refreshToken") {
      refuse(hole, advice: "'token' is what 'login' has fetched: only 'as' of 'login' can read it")
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
    let hint = guessedKeys(GuessedKeys.auth, in: node)
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
    Key(
      "bearer", .init("a token", .filledText) { $1.authValue($0, "a token").map { .bearer($0) } }, \.kind,
      "`Authorization: Bearer …`",
      excludes: .kinds("bearer")),
    Key(
      "basic", "a map of 'user' and 'password'", .reference("basic"), "`Authorization: Basic …` (RFC 7617)",
      excludes: .kinds("basic")
    ) { node, draft, decoder in
      guard decoder.whole(node, keys: basicKeys, into: &draft), let user = draft.user else { return }
      draft.kind = .basic(user: user, password: draft.password)
      if user.pieces.isEmpty, draft.password?.pieces.isEmpty != false {
        let advice = "give at least one of them"
        decoder.refuse("an empty 'user' without a 'password'", at: node.range, advice: advice)
      }
    },
    Key(
      "headers", .headers(.auth), \.headers, "header fields with credentials; may stand with `query`",
      excludes: .kinds("headers")),
    Key(
      "query", .texts("a map of query items") { $1.authItems($0) }, \.items,
      "query items with credentials; may stand with `headers`",
      excludes: .kinds("query")),
    Key(
      "oauth2",
      .init("a map of 'tokenUrl', 'clientId' and others", .reference("oauth2")) {
        $1.oauth2($0).map { .oauth2($0) }
      }, \.kind, "a token by client credentials or a refresh token (RFC 6749)",
      excludes: .kinds("oauth2")),
    Key(
      "login",
      .init("a map of 'endpoint', 'token' and others", .reference("login")) { $1.login($0).map { .login($0) } },
      \.kind, "a token from a request that logs in",
      excludes: .kinds("login")),
    Key(
      "aws",
      .init("a map of 'id', 'secret', 'region' and 'service'", .reference("aws")) { $1.aws($0).map { .aws($0) } },
      \.kind, "signs each request (AWS Signature Version 4)",
      excludes: .kinds("aws")),
  ]

  static let basicKeys: [Key<AuthDraft>] = [
    Key("user", .emptyCredential, \.user, "the user's name", isRequired: true),
    Key("password", .emptyCredential, \.password, standard: "empty", "the password"),
  ]

  static let oauth2Keys: [Key<OAuth2Draft>] = [
    Key(
      "tokenUrl", .credential("a URL", advice: nil), \.tokenURL,
      "the server's URL for tokens: https, unless it is this machine", isRequired: true),
    Key("clientId", .credential(), \.clientID, standard: "required, but see `jwt`", "the client's name"),
    Key(
      "clientSecret", .credential(), \.clientSecret, standard: "required, but see `refreshToken`",
      "the client's secret"),
    Key("scope", .credential(), \.scope, standard: "none", "what the token may be used for"),
    Key(
      "refreshToken", .credential("a refresh token"), \.refreshToken, standard: "none: client credentials",
      "the user's refresh token, for new access tokens",
      excludes: .grants("refreshToken")),
    Key(
      "deviceUrl", .credential("a URL", advice: nil), \.deviceURL, standard: "none",
      "where `pagecat login` asks for the code with which a user logs in (RFC 8628)",
      excludes: .grants("deviceUrl")),
    Key(
      "jwt", .init("a map of 'key' and others", .reference("jwt")) { $1.jwt($0) }, \.jwt, standard: "none",
      "a service account's token: what it says of itself, signed by RS256 (RFC 7523)",
      excludes: .grants("jwt")),
    Key(
      "send", .word(of: Job.Auth.OAuth2.Sending.self), \.send, standard: "`basic`",
      "how `clientId` and `clientSecret` are sent: by HTTP Basic, or in the form"),
    Key(
      "with",
      .texts("a map of names and texts") {
        $1.authItems($0, expected: "a map of names and texts", "no member in 'with'")
      },
      \.others, standard: "none", "further members of the form; `grant_type` may be one"),
    Key(
      "as", .tokenUse, \.use, standard: "`bearer`", "how the token is sent; `${token}` reads it"),
    Key(
      "refused", .ofAnswer, \.refused, standard: "status 401",
      "answers that refuse the token, beside those of status 401: a new one is fetched, once, and the request sent again"
    ),
  ]
}

extension SpecKeys {
  static let jwtKeys: [Key<JWTDraft>] = [
    Key(
      "key", .init("a path", .filledText) { $1.keyPath($0) }, \.key,
      "the file with the private key: PEM, or the JSON that Google gives", isRequired: true),
    Key("iss", .credential(), \.issuer, standard: "`client_email` of a JSON key", "the account that asks"),
    Key("sub", .credential(), \.subject, standard: "none", "the user for whom the account asks"),
    Key("aud", .credential(), \.audience, standard: "`tokenUrl`", "the server that the JWT is for"),
    Key(
      "scope", .credential(), \.scope, standard: "none", "what the token may be used for, where the JWT says it"),
  ]
}

// Keys of `aws`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let awsKeys: [Key<AWSDraft>] = [
    Key("id", .credential(), \.id, "the access key's id", isRequired: true),
    Key("secret", .credential(), \.secret, "the secret access key; it is never sent", isRequired: true),
    Key("token", .credential(), \.token, standard: "none", "the session token of temporary credentials"),
    Key(
      "region", .credential("a region such as us-east-1", advice: nil), \.region, "the region of the service",
      isRequired: true),
    Key(
      "service", .credential("a name such as ce or execute-api", advice: nil), \.service,
      "the service's name in signatures", isRequired: true),
  ]
}

// Keys of `login`: the request that logs in, and the use of its token.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let loginKeys: [Key<LoginDraft>] = [
    Key(
      "endpoint", .credential("a URL, absolute or relative to 'base'", expected: "a URL", advice: nil), \.endpoint,
      "the URL of the login: https, unless it is this machine", isRequired: true),
    Key(
      "method", .method, \.method, standard: "`GET`, or `POST` where there is a `body` or `form`",
      "the request's method"),
    Key(
      "headers", "a map of header fields", .map(of: .scalar),
      standard: "`Accept: application/json`, the step's `User-Agent`",
      "header fields of the login only; `null` removes a field"
    ) { node, draft, decoder in
      decoder.mergeHeaders(node, into: &draft.job, .login)
    },
    Key("body", .init("any value", .anything) { $1.value($0, .login) }, \.body, standard: "none", "sent as JSON"),
    Key(
      "form",
      .texts("a map of names and texts") {
        $1.authItems($0, expected: "a map of names and texts", "no member in 'form'", site: .login)
      }, \.form, standard: "none", "sent as a form, in place of `body`",
      excludes: .bodies("body")),
    Key(
      "token", .tokenPath, \.token,
      "where the token is in the answer: `body.token`, `headers.x-token`, `cookies.NAME`, or `body` for all of it",
      isRequired: true),
    Key(
      "refreshToken", .credential("a refresh token"), \.refreshToken, standard: "none",
      "the user's first refresh token, which the server replaces: `body`, `form` and `headers` read the newest as `${token}`",
      needs: .init(
        ["nextRefreshToken"], isOfMap: true,
        advice: "add 'nextRefreshToken: ', a path such as 'body.refresh_token'")
    ),
    Key(
      "nextRefreshToken", .tokenPath, \.nextRefreshToken, standard: "none",
      "where the answer has the refresh token that replaces the one that was sent",
      needs: .init(
        ["refreshToken"], isOfMap: true, advice: "add 'refreshToken: ', the user's first refresh token")),
    Key("as", .tokenUse, \.use, standard: "`bearer`", "how the token is sent; `${token}` reads it"),
    Key(
      "refused", .ofAnswer, \.refused, standard: "status 401",
      "answers that refuse the token, beside those of status 401: a new one is fetched, once, and the request sent again"
    ),
  ]

  static let useKeys: [Key<TokenUseDraft>] = [
    Key("headers", .headers(.login), \.headers, "fields with the token"),
    Key(
      "query", .texts("a map of query items") { $1.authItems($0, site: .login) }, \.items, "items with the token"),
  ]
}

extension ValueKind<[Job.Header]> {
  fileprivate static func headers(_ site: TemplateSite) -> Self {
    Self("a map of header fields", .map(of: .scalar)) { $1.authHeaders($0, site) }
  }
}

extension ValueKind<[Job.Auth.Item]> {
  fileprivate static func texts(
    _ words: String, read: @escaping @Sendable (Node, inout NodeDecoder) -> Value?
  ) -> Self { Self(words, .map(of: .filledText), read: read) }
}

extension ValueKind<Job.Auth.TokenUse> {
  fileprivate static var tokenUse: Self {
    Self("'bearer', or a map with 'headers' or 'query'", .anyOf(.words(["bearer"]), .reference("use"))) {
      $1.tokenUse($0)
    }
  }
}

extension ValueKind<JSONPath> {
  fileprivate static var tokenPath: Self { Self("a path", .filledText) { $1.tokenPath($0) } }
}

extension KeyEntry.Others {
  /// Kinds of `auth`; `headers` and `query` may stand together.
  fileprivate static func kinds(_ own: String) -> Self {
    let all = ["bearer", "basic", "headers", "oauth2", "login", "aws", "query"]
    let beside = ["headers", "query"].contains(own) ? ["headers", "query"] : [own]
    return Self(
      all.filter { !beside.contains($0) },
      advice: "leave one of them out: 'auth' has one kind, or 'headers' and 'query'")
  }

  fileprivate static func grants(_ own: String) -> Self {
    Self(
      ["refreshToken", "jwt", "deviceUrl"].filter { $0 != own },
      advice: "leave one of them out: each is another way to a token")
  }
}
