// The credentials of a job.

package import Diagnostics
package import JSONText
internal import Primitives

extension Job {
  /// `auth`: the credentials, all of which are secrets.
  package struct Auth: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case bearer(Template)
      case basic(user: Template, password: Template?)
      /// Header fields, query items, or both.
      case named(headers: [Header], items: [Item])
      case oauth2(OAuth2)
      case login(Login)
      case aws(AWS)
      case netrc
    }

    /// A name with a value: a query item, or a member of a form.
    package struct Item: Hashable, Sendable {
      package let name: String
      package let value: Template
      package init(name: String, value: Template) {
        self.name = name
        self.value = value
      }
    }

    package let kind: Kind
    package let position: SourcePosition
    /// URL of the origin that the credentials are for.
    ///
    /// It is the file's `base` for an `auth` beside `steps`, and nil for the job's own endpoint.
    package var base: Template?
    /// Holds for an answer that refuses the token, beside one of status 401.
    package var refused: Condition? {
      switch kind {
      case .oauth2(let oauth2): oauth2.refused
      case .login(let login): login.refused
      default: nil
      }
    }

    package init(kind: Kind, position: SourcePosition) {
      self.kind = kind
      self.position = position
    }

    package var templates: [Template] {
      switch kind {
      case .bearer(let token): [token]
      case .basic(let user, let password): [user] + (password.map { [$0] } ?? [])
      case .named(let headers, let items): headers.map(\.value) + items.map(\.value)
      case .oauth2(let oauth2): oauth2.templates
      case .login(let login): login.templates
      case .aws(let aws): [aws.id, aws.secret] + [aws.token].compactMap { $0 } + [aws.region, aws.service]
      case .netrc: []
      }
    }

    /// Header fields that the credentials set, in lower case.
    package var headerNames: Set<String> {
      switch kind {
      case .bearer, .basic, .netrc: ["authorization"]
      case .aws: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"]
      case .named(let headers, _): Set(headers.map { $0.name.lowercased() })
      case .oauth2(let oauth2): oauth2.use.headerNames
      case .login(let login): login.use.headerNames
      }
    }

    /// Query items that the credentials set.
    package var itemNames: [String] {
      switch kind {
      case .named(_, let items): items.map(\.name)
      case .oauth2(let oauth2): oauth2.use.itemNames
      case .login(let login): login.use.itemNames
      case .bearer, .basic, .aws, .netrc: []
      }
    }

    /// Requests for a token: the key with the URL of each, and the templates of all that is sent there.
    package var tokenRequests: [(key: String, url: Template, sent: [Template])] {
      switch kind {
      case .oauth2(let oauth2):
        let token = ("'tokenUrl'", oauth2.tokenURL, oauth2.tokenTemplates)
        return [token] + (oauth2.deviceURL.map { [("'deviceUrl'", $0, oauth2.deviceTemplates)] } ?? [])
      case .login(let login):
        let sent = [login.endpoint] + [login.refreshToken].compactMap { $0 } + login.sentTemplates
        return [("'endpoint' of 'login'", login.endpoint, sent)]
      case .bearer, .basic, .named, .aws, .netrc: return []
      }
    }

    /// Templates of what is sent to the origin of the credentials.
    package var ownTemplates: [Template] {
      switch kind {
      case .bearer, .basic, .named, .netrc: templates
      case .oauth2(let oauth2): oauth2.use.templates
      case .login(let login): login.use.templates
      // The secret only signs.
      case .aws(let aws): [aws.id] + [aws.token].compactMap { $0 } + [aws.region, aws.service]
      }
    }
  }
}

extension Job.Auth {
  /// `as`: the header fields and query items in which a token is sent; templates read it as `token`.
  package enum TokenUse: Hashable, Sendable {
    case bearer
    case named(headers: [Job.Header], items: [Item])

    package var templates: [Template] {
      switch self {
      case .bearer: []
      case .named(let headers, let items): headers.map(\.value) + items.map(\.value)
      }
    }

    /// Header fields that have the token, in lower case.
    var headerNames: Set<String> {
      switch self {
      case .bearer: ["authorization"]
      case .named(let headers, _): Set(headers.map { $0.name.lowercased() })
      }
    }

    /// Query items that have the token.
    var itemNames: [String] { if case .named(_, let items) = self { items.map(\.name) } else { [] } }
  }
}

extension Job.Auth {
  /// `oauth2`: how a token is requested (RFC 6749 §4.4 and §6).
  package struct OAuth2: Hashable, Sendable {
    /// The place of the client's id and secret in the token request (RFC 6749 §2.3.1).
    package enum Sending: String, CaseIterable, Sendable { case basic, body }

    package let tokenURL: Template
    /// Nil for a service account that needs none.
    package let clientID: Template?
    /// Nil for a client that has none.
    package let clientSecret: Template?
    package var scope: Template?
    /// Nil for client credentials, and for a service account.
    package var refreshToken: Template?
    package var jwt: JWT?
    /// URL at which `pagecat login` asks for a user's code (RFC 8628).
    package var deviceURL: Template?
    package var send: Sending = .basic
    /// Further members of the token request.
    package var others: [Item] = []
    package var use: TokenUse = .bearer

    /// Holds for an answer that refuses the token.
    package var refused: Condition?

    package init(tokenURL: Template, clientID: Template?, clientSecret: Template?) {
      (self.tokenURL, self.clientID, self.clientSecret) = (tokenURL, clientID, clientSecret)
    }

    var templates: [Template] {
      [tokenURL] + [clientID, clientSecret, scope, refreshToken, deviceURL].compactMap { $0 }
        + (jwt?.templates ?? [])
        + others.map(\.value) + use.templates
    }

    /// Templates of what `tokenUrl` is sent; the file of a key only signs, and is not.
    fileprivate var tokenTemplates: [Template] {
      [tokenURL] + [clientID, clientSecret, scope, refreshToken].compactMap { $0 } + (jwt?.claims ?? [])
        + others.map(\.value)
    }

    /// Templates of what `deviceUrl` is sent.
    fileprivate var deviceTemplates: [Template] {
      [deviceURL, clientID, clientSecret, scope].compactMap { $0 } + others.map(\.value)
    }

    /// Names of the members that the login of a user sends by itself (RFC 8628 §3.1, §3.4).
    package var loginNames: Set<String> {
      deviceURL == nil ? [] : ["grant_type", "device_code", "client_id", "refresh_token"]
    }

    /// Names of the members that the other keys put into the token request.
    package var ownNames: Set<String> {
      var names: Set<String> = send == .body ? ["client_id", "client_secret"] : []
      if scope != nil { names.insert("scope") }
      if refreshToken != nil { names.insert("refresh_token") }
      if jwt != nil { names.formUnion(["grant_type", "assertion"]) }
      return names
    }

    /// `jwt`: what a service account says of itself, signed by RS256, in place of a secret (RFC 7523 §2.1).
    package struct JWT: Hashable, Sendable {
      /// Path of the file with the private key.
      package let key: Template
      /// Nil for the account that the key's file names.
      package var issuer: Template?
      package var subject: Template?
      /// Nil for the token URL.
      package var audience: Template?
      package var scope: Template?

      var templates: [Template] { [key] + claims }

      /// Templates of what the account says of itself.
      fileprivate var claims: [Template] { [issuer, subject, audience, scope].compactMap { $0 } }
    }
  }
}

extension Job.Auth {
  /// `login`: a request whose answer has a token.
  package struct Login: Hashable, Sendable {
    package let endpoint: Template
    /// Path of the token in the answer, which begins with `body`, `headers` or `cookies`; `body` alone is the whole body.
    package let token: JSONPath
    /// Nil for the default: GET, or POST if there is a body or a form.
    package var method: String?
    package var body: TemplateValue?
    package var form: [Item] = []
    package var headers: [Job.Header] = []
    /// Names, in lower case, of usual fields that are not sent.
    package var removedHeaders: Set<String> = []
    package var use: TokenUse = .bearer
    /// The user's refresh token, which the request sends; nil for a login without one.
    package var refreshToken: Template?
    /// Path in the answer of the refresh token that replaces it.
    package var nextRefreshToken: JSONPath?

    /// Holds for an answer that refuses the token.
    package var refused: Condition?

    package var sentMethod: String { method ?? (body == nil && form.isEmpty ? "GET" : "POST") }

    var templates: [Template] {
      [endpoint] + [refreshToken].compactMap { $0 } + sentTemplates + use.templates
    }

    /// Templates of what the request sends.
    package var sentTemplates: [Template] { (body?.templates ?? []) + form.map(\.value) + headers.map(\.value) }
  }
}

extension Job.Auth {
  /// `aws`: the key with which each request is signed (Signature Version 4).
  package struct AWS: Hashable, Sendable {
    package let id: Template
    package let secret: Template
    /// Session token of temporary credentials.
    package var token: Template?
    package let region: Template
    package let service: Template
  }
}

extension Job.Auth {
  /// The service account that asks for the token.
  package var jwt: OAuth2.JWT? { if case .oauth2(let oauth2) = kind { oauth2.jwt } else { nil } }
}

extension Job {
  /// True if a server may replace the job's refresh token.
  package var refreshesTokens: Bool {
    switch auth?.kind {
    case .oauth2(let oauth2): oauth2.refreshToken ?? oauth2.deviceURL != nil
    case .login(let login): login.refreshToken != nil
    default: false
    }
  }
}

// MARK: Names that APIs give to credentials

/// The table of words that tell a credential by its name.
package enum CredentialName {
  /// Returns true if a header field of this name has a credential.
  package static func isCredential(field name: String) -> Bool {
    let name = name.lowercased()
    return fieldWords.contains { name.contains($0) }
  }

  /// Returns true if a header field's words say that it has a credential and nothing else, unlike `X-Author` and
  /// `X-Keyspace`.
  ///
  /// Such a field selects no records. More fields are redacted: those of `isCredential(field:)`.
  package static func isOnlyCredential(field name: String) -> Bool {
    let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return isCredential(item: name) || words.last == "key"
      || words.contains { lastWords.contains($0) || ["secret", "session", "csrf", "xsrf"].contains($0) }
  }

  /// Returns true if a header field of this name has a secret, wherever its value comes from.
  ///
  /// It is sent to its own origin only, and shown nowhere.
  package static func isSecret(field name: String) -> Bool {
    isOnlyCredential(field: name) && !namesOther(field: name)
  }

  /// Returns true for a field such as `Idempotency-Key`, whose name has the word of a credential and means another thing.
  static func namesOther(field name: String) -> Bool {
    // 'author' is in 'Authorization', too.
    let name = name.lowercased().replacing("authoriz", with: "")
    return otherParts.contains { name.contains($0) }
  }

  private static let otherParts = ["type", "author", "idempotency", "partition", "key-id", "keyid"]

  /// Returns true if a query item, an item of a form, or a member of this name has a credential.
  ///
  /// `pageToken` and the like are none, so not each name with 'token' is one.
  package static func isCredential(item name: String) -> Bool {
    let name = letters(of: name)
    return whole.contains(name) || name.hasSuffix("signature") || parts.contains { name.contains($0) }
  }

  /// Returns true if an item of this name and with this value has a credential.
  ///
  /// For a name that often holds something else, the value decides.
  package static func isCredential(item name: String, value: String) -> Bool {
    isCredential(item: name) && (!isAmbiguous(name) || looksRandom(value))
  }

  /// Returns true for the name of an item that often holds something else than a credential.
  static func isAmbiguous(_ name: String) -> Bool { ambiguous.contains(name.lowercased()) }

  /// Returns true for a long text of letters and digits.
  static func looksRandom(_ text: String) -> Bool {
    text.utf8.count >= 12 && text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
  }

  /// Returns true if a variable or a file of this name has a credential: `API_KEY`, `GITHUB_TOKEN`, but not `AUTHOR`
  /// or `PROJECT_KEY`.
  package static func isCredential(variable name: String) -> Bool {
    let last = name.lowercased().split { !$0.isLetter && !$0.isNumber }.last.map(String.init) ?? ""
    return isCredential(item: name) || lastWords.contains(last)
  }

  /// Returns true if one word of a value is a JSON Web Token (RFC 7519 §3), whatever its name is.
  package static func isToken(_ value: String) -> Bool {
    value.split(separator: " ").contains { word in
      word.hasPrefix("eyJ") && word.utf8.count >= 20 && word.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }
  }

  /// Returns a text with `***` for the value of each query item that has a credential.
  ///
  /// A server may name URLs that anyone can use for a while: such a signature is in no list of secrets.
  package static func masking(urlsIn text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "=")), bytes.contains(UInt8(ascii: "?")) else { return text }
    var (masked, copied, position) = ([UInt8](), 0, 0)
    while let start = bytes[position...].firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }) {
      let rest = bytes[(start + 1)...]
      let nameEnd = rest.firstIndex { !isItemByte($0) } ?? bytes.endIndex
      position = nameEnd
      guard nameEnd < bytes.endIndex, bytes[nameEnd] == UInt8(ascii: "=") else { continue }
      let end = bytes[(nameEnd + 1)...].firstIndex { isEndOfValue($0) } ?? bytes.endIndex
      position = end
      let name = String(decoding: rest[..<nameEnd], as: UTF8.self)
      let value = String(decoding: bytes[(nameEnd + 1)..<end], as: UTF8.self)
      // '?key=VALUE' alone is advice, and a template names its value.
      if bytes[start] == UInt8(ascii: "?"), start == 0 || isEndOfValue(bytes[start - 1]) { continue }
      guard !value.isEmpty, value.first != "$", isCredential(item: name, value: value) else { continue }
      masked += bytes[copied...nameEnd] + Array("***".utf8)
      copied = end
    }
    return copied == 0 ? text : String(decoding: masked + bytes[copied...], as: UTF8.self)
  }

  private static func isItemByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-_.~%[]$".utf8.contains(byte)
  }

  /// True for a byte that ends an item of a URL, or that stands in no URL (RFC 3986 §2), such as a quote behind it.
  private static func isEndOfValue(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "&#'\"<>()\\^`{|}".utf8.contains(byte)
  }

  private static func letters(of name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { (97...122).contains($0) }, as: UTF8.self)
  }

  private static let fieldWords = [
    "auth", "token", "key", "secret", "cookie", "session", "passw", "credential", "signature", "jwt", "csrf", "xsrf",
  ]

  private static let lastWords: Set = [
    "token", "jwt", "pat", "pwd", "pass", "passwd", "cookie", "auth", "credential", "credentials", "signature",
  ]

  private static let whole: Set = [
    "key", "token", "auth", "authorization", "sig", "pass", "pwd", "passwd", "passcode", "pin", "otp", "appid",
    "session", "sessionid", "sid", "jwt", "bearer", "cookie", "usertoken", "authcode",
  ]

  private static let ambiguous: Set = ["key", "session", "sid", "token", "pin", "auth", "sig"]

  private static let parts = [
    "apikey", "appkey", "accesskey", "authkey", "privatekey", "licensekey", "subscriptionkey", "secret", "password",
    "passphrase", "credential", "accesstoken", "refreshtoken", "authtoken", "apitoken", "idtoken", "sessiontoken",
    "securitytoken", "bearertoken", "csrftoken", "xsrftoken", "clientassertion",
  ]
}
