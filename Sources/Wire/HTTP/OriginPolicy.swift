// The only place that decides which URL may be requested, and what a request to another origin must not carry.

/// Decides which URL may be requested, and removes secrets from requests to another origin.
///
/// Templates, next links, redirects and token endpoints all use this type. Callers only phrase the messages.
package enum OriginPolicy {
  /// The reason why a URL may not be requested.
  package enum RefusalError: Error, Hashable, Sendable {
    /// The text is not an http or https URL with a host.
    case noURL
    /// The URL would leave https for http, which anyone can read.
    case leavesHTTPS
    /// The origin is neither the job's own nor in `hosts`.
    case otherOrigin(Origin)
    /// The host is this machine or in a private network, and the job's own host is not.
    case privateAddress
  }

  /// The part of a request that holds a secret and can't be left out.
  package enum LeakError: Error, Hashable, Sendable {
    case url
    case body
  }

  /// Returns the origin to which the request for a link goes that a page gives.
  ///
  /// It is the link's own if that is the origin of the page or of the request, or one in `hosts`, and never leads from
  /// https to http. Behind a proxy that ends TLS, an API may not know its own scheme and port. So a link to the same
  /// host goes to the page's or the request's origin. With `ignore: [origin]` every other link does, too.
  package static func origin(
    ofLinkTo target: Origin, from page: Origin?, of request: Request
  ) throws(RefusalError) -> Origin {
    let leavesHTTPS = page?.scheme == "https" && target.scheme == "http"
    let own = Origin(of: request.url.text)
    if !leavesHTTPS, target == page || target == own || request.allowedOrigins.contains(target) { return target }
    if let near = [page, own].compactMap({ $0 }).first(where: { $0.host == target.host }) { return near }
    if request.staysAtOrigin, let own { return own }
    throw leavesHTTPS ? .leavesHTTPS : .otherOrigin(target)
  }

  /// Checks a URL that a record gives: it must lead to the job's own origin (its `base`), or to one in `hosts`.
  package static func checkRecordURL(_ target: Origin, own: Origin?, hosts: Set<Origin>) throws(RefusalError) {
    guard target == own || hosts.contains(target) else { throw .otherOrigin(target) }
  }

  /// Checks the target of a redirect: never from https to http, and to a private address only from a private one.
  package static func checkRedirect(to url: String, from current: String, isPrivate: Bool) throws(RefusalError) {
    guard let target = Origin(of: url) else { throw .noURL }
    if Origin(of: current)?.scheme == "https", target.scheme != "https" { throw .leavesHTTPS }
    if target.isPrivate, !isPrivate { throw .privateAddress }
  }

  /// Reports that credentials may be sent to a URL: over https, or to this machine.
  package static func mayHoldCredentials(_ url: String) -> Bool {
    guard let origin = Origin(of: url) else { return false }
    return origin.scheme == "https" || origin.isLoopback
  }
}

extension Request {
  /// Fields that always hold credentials.
  private static let credentialFields: Set<String> = ["authorization", "cookie", "proxy-authorization"]

  /// Returns this request for another URL, without secrets if the URL is at another origin.
  ///
  /// The URL itself may hold a secret only at the origin that gave the URL, and at the secrets' own origin.
  ///
  /// - Parameter source: origin of the answer that gave the URL; nil if a template added a secret to the URL.
  package func sent(
    to url: Redactable, givenBy source: Origin?, hiding secrets: SecretMatcher
  ) throws(OriginPolicy.LeakError) -> Request {
    let (target, current) = (Origin(of: url.text), Origin(of: self.url.text))
    if target != source, target != current || target != secretsOrigin, secrets.stand(in: url) { throw .url }
    var request = self
    request.url = url
    return target == current ? request : try request.withoutSecretParts(secrets)
  }

  /// Returns this request without the header fields that hold a secret.
  ///
  /// - Throws: `OriginPolicy.LeakError` if the URL or the body holds a secret, since half of either can't be sent.
  package func withoutSecrets(_ secrets: SecretMatcher) throws(OriginPolicy.LeakError) -> Request {
    if secrets.stand(in: url) { throw .url }
    return try withoutSecretParts(secrets)
  }

  /// Returns this request without the header fields that hold a secret, whatever its URL holds.
  private func withoutSecretParts(_ secrets: SecretMatcher) throws(OriginPolicy.LeakError) -> Request {
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
  /// Reports that the text holds a secret that a template inserted, or one from a record or the server.
  fileprivate func stand(in text: Redactable) -> Bool { text.isSecret || redacting(text.text) != text.text }
}
