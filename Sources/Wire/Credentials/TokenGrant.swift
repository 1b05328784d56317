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
