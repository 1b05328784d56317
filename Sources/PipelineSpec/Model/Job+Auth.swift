// The credentials of a job.

package import Diagnostics
package import JSONText

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

    /// URL to which secrets are sent for a token.
    package var tokenURL: Template? {
      switch kind {
      case .oauth2(let oauth2): oauth2.tokenURL
      case .login(let login): login.endpoint
      case .bearer, .basic, .named, .aws, .netrc: nil
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
    package let clientID: Template
    /// Nil for a client that has none.
    package let clientSecret: Template?
    package var scope: Template?
    /// Nil for client credentials.
    package var refreshToken: Template?
    package var send: Sending = .basic
    /// Further members of the token request.
    package var others: [Item] = []
    package var use: TokenUse = .bearer

    /// Holds for an answer that refuses the token.
    package var refused: Condition?

    package init(tokenURL: Template, clientID: Template, clientSecret: Template?) {
      (self.tokenURL, self.clientID, self.clientSecret) = (tokenURL, clientID, clientSecret)
    }

    var templates: [Template] {
      [tokenURL, clientID] + [clientSecret, scope, refreshToken].compactMap { $0 } + others.map(\.value) + use.templates
    }

    /// Names of the members that the other keys put into the token request.
    package var ownNames: Set<String> {
      var names: Set<String> = send == .body ? ["client_id", "client_secret"] : []
      if scope != nil { names.insert("scope") }
      if refreshToken != nil { names.insert("refresh_token") }
      return names
    }
  }
}

extension Job.Auth {
  /// `login`: a request whose answer has a token.
  package struct Login: Hashable, Sendable {
    package let endpoint: Template
    /// Path of the token in the answer, which begins with `body`, `headers` or `cookies`.
    package let token: JSONPath
    /// Nil for the default: GET, or POST if there is a body or a form.
    package var method: String?
    package var body: TemplateValue?
    package var form: [Item] = []
    package var headers: [Job.Header] = []
    /// Names, in lower case, of usual fields that are not sent.
    package var removedHeaders: Set<String> = []
    package var use: TokenUse = .bearer

    /// Holds for an answer that refuses the token.
    package var refused: Condition?

    package init(endpoint: Template, token: JSONPath) {
      self.endpoint = endpoint
      self.token = token
    }

    package var sentMethod: String { method ?? (body == nil && form.isEmpty ? "GET" : "POST") }

    var templates: [Template] {
      [endpoint] + (body?.templates ?? []) + form.map(\.value) + headers.map(\.value) + use.templates
    }
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

    package init(id: Template, secret: Template, region: Template, service: Template) {
      self.id = id
      self.secret = secret
      self.region = region
      self.service = service
    }
  }
}

extension Job {
  /// True if a server may replace the job's refresh token.
  package var refreshesTokens: Bool {
    if case .oauth2(let oauth2)? = auth?.kind { oauth2.refreshToken != nil } else { false }
  }
}
