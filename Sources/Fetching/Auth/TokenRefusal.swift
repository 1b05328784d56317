// The error for an answer of a token endpoint that is no success (RFC 6749 §5.2).

import Wire

struct TokenRefusal {
  let status: Int
  /// Start of the body, redacted.
  let body: String
  let grant: OAuth2Grant

  /// Returns the error. A temporary status is not a refusal.
  func error(at url: Redactable) -> TransportError {
    let kind: TransportError.Kind = (400...499).contains(status) ? .refused : .other
    return TransportError(
      kind, url: url, problem: ([TransportError.tokenEndpoint] + remedies).joined(separator: "; "),
      answer: .init(status: status, body: body))
  }

  private var remedies: [String] {
    switch status {
    case 404, 405, 410, 300...399: ["see whether 'token' of 'oauth2' is right"]
    case 408, 425, 429, 500...: []
    default: [grant.refresh == nil ? keys : refreshRemedy] + clientRemedy
    }
  }

  private var keys: String {
    let keys = [grant.secret == nil ? nil : "'secret'", "'\(grant.refresh == nil ? "scope" : "refresh")'"]
    return "see " + (["'id'"] + keys.compactMap { $0 }).formatted + " of 'oauth2'"
  }

  private var refreshRemedy: String {
    body.contains("invalid_grant")
      ? "the refresh token has expired, was revoked, or was replaced by a newer one: get a new one for 'refresh'" : keys
  }

  /// The way of sending id and secret, if the server did not know the client: each server accepts one of two.
  private var clientRemedy: [String] {
    guard grant.secret != nil, status == 401 || body.lowercased().contains("client") else { return [] }
    let (used, other) = grant.isInBody ? ("body", "basic") : ("basic", "body")
    return ["they were sent with 'client: \(used)', and some servers want 'client: \(other)'"]
  }
}

extension [String] {
  /// The words as a list: `a, b and c`.
  fileprivate var formatted: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + (last ?? "")
  }
}
