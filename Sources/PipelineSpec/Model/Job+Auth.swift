// The credentials of a job.

package import Diagnostics

extension Job {
  /// `auth`: the credentials, all of which are secrets.
  package struct Auth: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case bearer(Template)
      case basic(user: Template, password: Template?)
      case header([Header])
      case query([Item])
      case oauth2(OAuth2)
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
    package let place: SourcePosition
    /// URL of the origin that the credentials are for.
    ///
    /// It is the file's `base` for an `auth` beside `steps`, and nil for the job's own endpoint.
    package var base: Template?

    package init(kind: Kind, place: SourcePosition) {
      self.kind = kind
      self.place = place
    }

    package var templates: [Template] {
      switch kind {
      case .bearer(let token): [token]
      case .basic(let user, let password): [user] + (password.map { [$0] } ?? [])
      case .header(let headers): headers.map(\.value)
      case .query(let items): items.map(\.value)
      case .oauth2(let oauth2): oauth2.templates
      case .netrc: []
      }
    }

    /// Header fields that the credentials set, in lower case.
    package var headerNames: Set<String> {
      switch kind {
      case .bearer, .basic, .oauth2, .netrc: ["authorization"]
      case .header(let headers): Set(headers.map { $0.name.lowercased() })
      case .query: []
      }
    }
  }
}

extension Job.Auth {
  /// `oauth2`: how a token is requested (RFC 6749 §4.4 and §6).
  package struct OAuth2: Hashable, Sendable {
    /// The place of the client's id and secret in the token request (RFC 6749 §2.3.1).
    package enum Client: String, CaseIterable, Sendable { case basic, body }

    package let token: Template
    package let id: Template
    /// Nil for a client that has none.
    package let secret: Template?
    package var scope: Template?
    /// Refresh token; nil for client credentials.
    package var refresh: Template?
    package var client: Client = .basic
    /// Further members of the token request.
    package var others: [Item] = []

    package init(token: Template, id: Template, secret: Template?) {
      self.token = token
      self.id = id
      self.secret = secret
    }

    var templates: [Template] {
      [token, id] + [secret, scope, refresh].compactMap { $0 } + others.map(\.value)
    }

    /// Names of the members that the other keys put into the token request.
    package var ownNames: Set<String> {
      var names: Set<String> = client == .body ? ["client_id", "client_secret"] : []
      if scope != nil { names.insert("scope") }
      if refresh != nil { names.insert("refresh_token") }
      return names
    }
  }
}

extension Job {
  /// True if a server may replace the job's refresh token.
  package var refreshesTokens: Bool {
    if case .oauth2(let oauth2)? = auth?.kind { oauth2.refresh != nil } else { false }
  }
}
