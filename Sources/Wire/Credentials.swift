// Who asks, and where that may be said.

/// What proves who asks. It is bound to an origin: whoever sends a request adds it there and nowhere else, each time that
/// the request's URL changes.
package struct Credentials: Sendable, Hashable {
  package enum Proof: Sendable, Hashable {
    /// Header fields.
    case fields([HTTPFields.Field])
    /// Query items, percent-encoded: `api_key=…`.
    case items([Item])
    /// A token that has to be fetched first.
    case grant(TokenGrant)
  }

  package struct Item: Sendable, Hashable {
    /// Percent-encoded.
    package let name: String
    package let value: String
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let origin: Origin
  package let proof: Proof
  /// All that must not be shown.
  package let secrets: [String]

  package init(origin: Origin, proof: Proof, secrets: [String]) {
    self.origin = origin
    self.proof = proof
    self.secrets = secrets
  }
}

/// OAuth 2.0 client credentials (RFC 6749 §4.4): all that a request for a token is made of.
package struct TokenGrant: Sendable {
  package let url: Redactable
  package let id: String
  package let secret: String
  package let scope: String?
  /// Nil for none.
  package let userAgent: Redactable?
  package let retry: RetryPolicy
  package let timeout: Duration

  package init(
    url: Redactable, id: String, secret: String, scope: String?, userAgent: Redactable?, retry: RetryPolicy,
    timeout: Duration
  ) {
    self.url = url
    self.id = id
    self.secret = secret
    self.scope = scope
    self.userAgent = userAgent
    self.retry = retry
    self.timeout = timeout
  }
}

/// Grants of one client for one scope are the same, however each would ask: one token is good for all of them, and some
/// servers end it when they give another.
extension TokenGrant: Hashable {
  package static func == (a: TokenGrant, b: TokenGrant) -> Bool {
    (a.url, a.id, a.secret, a.scope) == (b.url, b.id, b.secret, b.scope)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(id)
    hasher.combine(secret)
    hasher.combine(scope)
  }
}
