// Credentials, and the origin to which they may be sent.

/// Credentials that are bound to an origin.
///
/// `AuthTransport` adds them to each request at that origin, and to no other request.
package struct Credentials: Sendable, Hashable {
  package enum Proof: Sendable, Hashable {
    /// Header fields, and percent-encoded query items: `api_key=…`.
    case named(fields: [HTTPFields.Field], items: [Item])
    /// A token that must be fetched first.
    case grant(TokenGrant, TokenUse)
    /// A signature of all that is sent.
    case signature(SigningKey)
  }

  package struct Item: Sendable, Hashable {
    /// Name, percent-encoded.
    package let name: String
    package let value: String
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let origin: Origin
  package let proof: Proof
  /// All values that must not be shown.
  package let secrets: [String]

  package init(origin: Origin, proof: Proof, secrets: [String]) {
    self.origin = origin
    self.proof = proof
    self.secrets = secrets
  }
}

extension Credentials {
  /// What a service account signs to get the token; nil for other credentials.
  package var claims: AccountClaims? {
    if case .grant(let grant, _) = proof, case .oauth2(let oauth2) = grant.kind { oauth2.claims } else { nil }
  }
}

/// A key with which requests to one service are signed (AWS Signature Version 4).
package struct SigningKey: Sendable, Hashable {
  package let id: String
  package let secret: String
  /// Session token of temporary credentials.
  package let token: String?
  package let region: String
  package let service: String

  package init(id: String, secret: String, token: String?, region: String, service: String) {
    self.id = id
    self.secret = secret
    self.token = token
    self.region = region
    self.service = service
  }
}

/// Files for connections by TLS, and the origins to which they apply.
package struct TLSFiles: Sendable, Hashable {
  /// Path of the client's certificates.
  package let certificate: String?
  /// Path of the private key.
  package let key: String?
  /// Path of the authorities that are trusted.
  package let ca: String?
  package let origins: Set<Origin>

  package init(certificate: String?, key: String?, ca: String?, origins: Set<Origin>) {
    self.certificate = certificate
    self.key = key
    self.ca = ca
    self.origins = origins
  }
}

extension Request {
  /// The files for a connection to the request's origin; nil if it has none of its own.
  package var ownTLSFiles: TLSFiles? {
    guard let tlsFiles, let origin = Origin(of: url.text), tlsFiles.origins.contains(origin) else { return nil }
    return tlsFiles
  }
}

/// The request that logs in, and the place of the token in its answer.
package struct LoginGrant: Sendable, Hashable {
  package let method: String
  package let body: RequestBody?
  /// Type of the body.
  package let contentType: String?
  /// Steps to the token in the answer; the first is `body`, `headers` or `cookies`.
  package let token: [String]
  /// Fields in place of the usual ones with their names.
  package var fields: [HTTPFields.Field] = []
  /// Names, in lower case, of usual fields that are not sent.
  package var removedFields: Set<String> = []
  /// The refresh token that the request sends; nil for a login without one.
  package var refresh: Refresh?

  /// A refresh token that the server replaces.
  package struct Refresh: Sendable, Hashable {
    /// Refresh token of the spec.
    package let first: String
    /// Steps to the next one in the answer.
    package let next: [String]

    package init(first: String, next: [String]) {
      self.first = first
      self.next = next
    }

    /// Text in a request that stands for the newest token, which is not known before the request.
    ///
    /// No value can have it, and it is the same in JSON, in a form and in a header field.
    package static let placeholder = "pagecat" + String(UInt64.random(in: .min ... .max), radix: 36) + "token"
  }

  package init(method: String, body: RequestBody?, contentType: String?, token: [String]) {
    self.method = method
    self.body = body
    self.contentType = contentType
    self.token = token
  }
}

extension LoginGrant {
  /// Returns the body with the newest refresh token.
  ///
  /// - Parameter token: the token as a text of the body's format.
  package func body(refreshingWith token: (RequestBody.Format) -> String) -> RequestBody? {
    guard var body, refresh != nil else { return body }
    let text = String(decoding: body.bytes, as: UTF8.self)
    body.bytes = Array(text.replacing(Refresh.placeholder, with: token(body.format)).utf8)
    return body
  }

  /// Returns the fields with the newest refresh token.
  package func fields(refreshingWith token: String) -> [HTTPFields.Field] {
    fields.map { field in
      guard field.value.text.contains(Refresh.placeholder) else { return field }
      let text = field.value.text.replacing(Refresh.placeholder, with: token)
      return HTTPFields.Field(name: field.name, value: .secret(text))
    }
  }
}

/// The request of a client to a token endpoint (RFC 6749 §4.4 and §6).
package struct OAuth2Grant: Sendable, Hashable {
  /// A member of the form.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: Redactable
    package init(name: String, value: Redactable) {
      self.name = name
      self.value = value
    }
  }

  /// Empty for a service account without one.
  package let id: String
  /// Nil for a client that has none.
  package let secret: String?
  /// True if id and secret are members of the form, and not HTTP Basic (RFC 6749 §2.3.1).
  package let isInBody: Bool
  package let scope: String?
  /// Refresh token of the spec, which the server may have replaced; nil for client credentials.
  package let refresh: String?
  package let others: [Member]
  /// What a service account signs; nil for other clients.
  package var claims: AccountClaims?
  /// The URL at which `pagecat login` asks for a user's code; the refresh token is then in `--tokens FILE`.
  package var deviceURL: Redactable?

  package init(id: String, secret: String?, isInBody: Bool, scope: String?, refresh: String?, others: [Member]) {
    self.id = id
    self.secret = secret
    self.isInBody = isInBody
    self.scope = scope
    self.refresh = refresh
    self.others = others
  }

  /// Returns the members of the form, without those of a client that proves itself by HTTP Basic.
  ///
  /// - Parameters:
  ///   - newest: the refresh token that is valid now.
  ///   - assertion: the signed claims of a service account.
  package func members(refreshingWith newest: String?, asserting assertion: String? = nil) -> [Member] {
    var members: [Member] = []
    if !others.contains(where: { $0.name == "grant_type" }) {
      let grant =
        claims != nil
        ? "urn:ietf:params:oauth:grant-type:jwt-bearer"
        : refresh == nil && deviceURL == nil ? "client_credentials" : "refresh_token"
      members.append(Member(name: "grant_type", value: Redactable(grant)))
    }
    if let assertion { members.append(Member(name: "assertion", value: .secret(assertion))) }
    if let newest { members.append(Member(name: "refresh_token", value: .secret(newest))) }
    if let scope { members.append(Member(name: "scope", value: Redactable(scope))) }
    if isInBody, !id.isEmpty { members += client }
    return members + others
  }

  private var client: [Member] {
    let secret = isInBody ? secret : nil
    return [Member(name: "client_id", value: .secret(id))]
      + (secret.map { [Member(name: "client_secret", value: .secret($0))] } ?? [])
  }

  /// The members of a request for a user's code (RFC 8628 §3.1).
  package var deviceMembers: [Member] { client + scopes + others }

  private var scopes: [Member] { scope.map { [Member(name: "scope", value: Redactable($0))] } ?? [] }

  /// Names of members that say what the token is for (RFC 8693 §2.1, RFC 8707 §2).
  package static let aims: Set<String> = ["audience", "resource"]

  /// What a user allows who logs in: another wish needs another token.
  package var wishes: [Member] { scopes + others.filter { Self.aims.contains($0.name) } }

  /// Returns the members of a request for the token of a user with a code (RFC 8628 §3.4).
  package func pollMembers(for code: String) -> [Member] {
    let grant = Member(name: "grant_type", value: Redactable("urn:ietf:params:oauth:grant-type:device_code"))
    return [grant, Member(name: "device_code", value: .secret(code))] + client + others
  }

  /// Returns members as a form (application/x-www-form-urlencoded).
  package static func form(_ members: [Member]) -> RequestBody {
    func text(_ value: (Member) -> String) -> String {
      members.map { "\($0.name.formEncoded)=\(value($0))" }.joined(separator: "&")
    }
    return RequestBody(
      bytes: Array(text(\.value.text.formEncoded).utf8),
      redacted: text { $0.value.isSecret ? "***" : $0.value.text.formEncoded }, format: .form)
  }
}

/// What a service account says of itself, and the key with which it signs that (RFC 7523 §3).
package struct AccountClaims: Sendable, Hashable {
  /// Path of the file with the private key.
  package let keyPath: String
  /// Nil for the account that the key's file names.
  package let issuer: String?
  package let subject: String?
  package let audience: String
  package let scope: String?

  package init(keyPath: String, issuer: String?, subject: String?, audience: String, scope: String?) {
    self.keyPath = keyPath
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
    self.scope = scope
  }

  /// The claims that need no clock, by name.
  ///
  /// - Parameter account: the account that the key's file names.
  package func members(of account: String?) -> [(name: String, value: String)] {
    [("iss", issuer ?? account), ("sub", subject), ("scope", scope), ("aud", audience)]
      .compactMap { name, value in value.map { (name, $0) } }
  }
}

extension String {
  /// The text encoded as in a form (application/x-www-form-urlencoded), with `+` for a space.
  package var formEncoded: String {
    percentEncoded.split(separator: "%20", omittingEmptySubsequences: false).joined(separator: "+")
  }
}

/// All that a request for a token needs.
package struct TokenGrant: Sendable {
  package enum Kind: Sendable, Hashable {
    case oauth2(OAuth2Grant)
    case login(LoginGrant)
  }

  package let url: Redactable
  package let kind: Kind
  /// Value of the User-Agent field; nil to send none.
  package let userAgent: Redactable?
  package let retry: RetryPolicy
  package let timeout: Duration
  /// Files for TLS: those of the job, which the token endpoint may want as well (RFC 8705).
  package var tlsFiles: TLSFiles?
  /// The socket of this machine that the job's base names; the token endpoint may be there, too.
  package var socket: String?
  /// True if a token of another type than `bearer` can't be sent as the job says.
  package var takesBearerOnly = false

  package init(
    url: Redactable, kind: Kind, userAgent: Redactable?, retry: RetryPolicy, timeout: Duration
  ) {
    self.url = url
    self.kind = kind
    self.userAgent = userAgent
    self.retry = retry
    self.timeout = timeout
  }
}

/// Two grants are equal if they ask for the same token, whatever their request settings.
///
/// One token serves all of them, and some servers revoke a token when they issue another.
extension TokenGrant: Hashable {
  package static func == (a: TokenGrant, b: TokenGrant) -> Bool { (a.url, a.kind) == (b.url, b.kind) }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(kind)
  }
}

/// The place of a token in a request.
package enum TokenUse: Sendable, Hashable {
  /// Text with places for the token.
  package struct Pattern: Sendable, Hashable {
    package let name: String
    /// Pieces of the value, in order; nil stands for the token.
    package let pieces: [String?]
    package init(name: String, pieces: [String?]) {
      self.name = name
      self.pieces = pieces
    }

    /// Returns the value with the token.
    package func value(with token: String) -> String { pieces.map { $0 ?? token }.joined() }
  }

  /// `Authorization: Bearer …`.
  case bearer
  /// Header fields, and query items with percent-encoded names.
  case named(fields: [Pattern], items: [Pattern])

  /// True if the token stands in the URL's query.
  package var isInQuery: Bool { if case .named(_, let items) = self { !items.isEmpty } else { false } }
}
