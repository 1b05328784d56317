// The error for an answer that gives no token (RFC 6749 §5.2).

import Wire

struct TokenRefusal {
  let status: Int
  /// Start of the body, redacted.
  let body: String
  let grant: TokenGrant.Kind

  /// Returns the error.
  ///
  /// A temporary status is not a refusal.
  func error(at url: Redactable) -> TransportError {
    let kind: TransportError.Kind = (400...499).contains(status) ? .refused : .other
    let subject =
      switch grant {
      case .oauth2: TransportError.tokenEndpoint
      case .login: TransportError.login
      }
    return TransportError(
      kind, url: url, problem: ([subject] + remedies).joined(separator: "; "),
      answer: .init(status: status, body: body))
  }

  private var remedies: [String] {
    switch (status, grant) {
    case (404, .oauth2), (405, .oauth2), (410, .oauth2), (300...399, .oauth2):
      ["see whether 'token' of 'oauth2' is right"]
    case (404, .login), (405, .login), (410, .login), (300...399, .login):
      ["see whether 'endpoint' and 'method' of 'login' are right"]
    case (408, _), (425, _), (429, _), (500..., _): []
    case (_, .oauth2(let oauth2)): [remedy(oauth2)] + clientRemedy(oauth2)
    case (_, .login(let login)):
      switch (login.contentType == "application/json", login.fields.isEmpty) {
      case (true, true): ["see 'body' of 'login'"]
      case (false, true): ["see 'form' or 'body' of 'login'"]
      case (true, false): ["see 'body' or 'headers' of 'login'"]
      case (false, false): ["see 'form', 'body' or 'headers' of 'login'"]
      }
    }
  }

  private func remedy(_ oauth2: OAuth2Grant) -> String {
    if oauth2.refresh != nil, body.contains("invalid_grant") {
      return "the refresh token has expired, was revoked, or was replaced by a newer one: get a new one for 'refresh'"
    }
    let last = oauth2.refresh == nil ? "'scope'" : "'refresh'"
    return "see 'id'\(oauth2.secret == nil ? "" : ", 'secret'") and \(last) of 'oauth2'"
  }

  /// Returns the way to send id and secret, if the server did not know the client: some servers accept only one of two
  /// ways.
  private func clientRemedy(_ oauth2: OAuth2Grant) -> [String] {
    guard oauth2.secret != nil, status == 401 || body.lowercased().contains("client") else { return [] }
    let (used, other) = oauth2.isInBody ? ("body", "basic") : ("basic", "body")
    return ["they were sent with 'client: \(used)', and some servers want 'client: \(other)'"]
  }
}
