/// OAuth 2.0 client credentials (RFC 6749 §4.4): all that a token request needs.
package struct TokenGrant: Sendable {
  package let url: Redactable
  package let id: String
  package let secret: String
  package let scope: String?
  /// Value of the User-Agent field; nil to send none.
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

/// Two grants are equal if client and scope are the same, whatever their request settings.
///
/// One token serves all of them, and some servers revoke a token when they issue another.
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
