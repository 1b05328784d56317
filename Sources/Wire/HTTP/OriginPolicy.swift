// Who may be asked, and what a request leaves behind when it goes to another origin: both are decided here and nowhere else.

/// Decides which URL may be asked, and removes secrets from requests that go to another origin.
///
/// Templates, next links, redirects and token endpoints all ask this type. Callers only phrase the messages.
package enum OriginPolicy {
  /// Why a URL may not be asked.
  package enum Refusal: Error, Hashable, Sendable {
    /// The text is no http or https URL with a host.
    case noURL
    /// The URL would leave https for http, where anyone could read it.
    case leavesHTTPS
    /// The origin is neither the job's own nor in `hosts`.
    case otherOrigin(Origin)
    /// The host is this machine or in a private network, and the job's own host is not.
    case privateAddress
  }

  /// What of a request holds a secret that can't be left out.
  package enum Leak: Error, Hashable, Sendable {
    case url
    case body
  }

  /// Checks a link that a page gives: to the page's own origin, the request's, or one in `hosts`.
  package static func checkLink(to target: Origin, from page: Origin?, of request: Request) throws(Refusal) {
    if page?.scheme == "https", target.scheme == "http" { throw .leavesHTTPS }
    guard target == page || target == Origin(of: request.url.text) || request.allowedOrigins.contains(target) else {
      throw .otherOrigin(target)
    }
  }

  /// Checks a URL that a record gives: to the job's own origin (its `base`), or one in `hosts`.
  package static func checkRecordURL(_ target: Origin, own: Origin?, hosts: Set<Origin>) throws(Refusal) {
    guard target == own || hosts.contains(target) else { throw .otherOrigin(target) }
  }

  /// Checks where a redirect leads: never from https to http, and to private addresses only from a private one.
  package static func checkRedirect(to url: String, from current: String, isPrivate: Bool) throws(Refusal) {
    guard let target = Origin(of: url) else { throw .noURL }
    if Origin(of: current)?.scheme == "https", target.scheme != "https" { throw .leavesHTTPS }
    if target.isPrivate, !isPrivate { throw .privateAddress }
  }

  /// Whether credentials may be sent to a URL: https, or this machine.
  package static func mayHoldCredentials(_ url: String) -> Bool {
    guard let origin = Origin(of: url) else { return false }
    return origin.scheme == "https" || origin.isLoopback
  }
}

extension Request {
  /// Fields that prove who asks, whatever their value is.
  private static let credentialFields: Set<String> = ["authorization", "cookie", "proxy-authorization"]

  /// This request for another URL, without secrets if the URL is at another origin.
  package func sent(to url: Redactable, hiding secrets: SecretMatcher) throws(OriginPolicy.Leak) -> Request {
    var request = self
    request.url = url
    return Origin(of: url.text) == Origin(of: self.url.text) ? request : try request.withoutSecrets(secrets)
  }

  /// This request without the header fields that hold a secret.
  ///
  /// - Throws: `OriginPolicy.Leak` if the URL or the body holds one: half of either can't be sent.
  package func withoutSecrets(_ secrets: SecretMatcher) throws(OriginPolicy.Leak) -> Request {
    if secrets.stand(in: url) { throw .url }
    if let body, secrets.stand(in: Redactable(String(decoding: body.bytes, as: UTF8.self), redacted: body.redacted)) {
      throw .body
    }
    var request = self
    request.fields = HTTPFields(
      fields.all.filter { !Self.credentialFields.contains($0.name.lowercased()) && !secrets.stand(in: $0.value) })
    return request
  }
}

extension SecretMatcher {
  /// Whether the text holds a secret that a template put in, or one that came from a record or the server.
  fileprivate func stand(in text: Redactable) -> Bool { text.isSecret || redacting(text.text) != text.text }
}
