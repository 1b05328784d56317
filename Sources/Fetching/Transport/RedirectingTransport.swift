// Redirects are followed here, not by libcurl, since this program decides what may go to which origin.

package import Wire

/// Follows the redirects of another transport (RFC 9110 §15.4).
///
/// The rules:
/// - at most 10 redirects
/// - only http and https, and never from https to http
/// - never to this machine or a private network, unless the first request goes there
/// - no secrets to another origin
package struct RedirectingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let secrets: SecretStore

  /// Creates the layer around the next transport.
  ///
  /// - Parameter secrets: secrets to redact in a URL that a server sends back.
  package init(_ next: any HTTPTransport, secrets: SecretStore) {
    self.next = next
    self.secrets = secrets
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    var reply = try await next.send(request)
    var trail: RedirectTrail?
    while let location = reply.head.location {
      await discard(reply)
      var followed = trail ?? RedirectTrail(request, peer: reply.head.peer, secrets: secrets)
      try followed.follow(location, status: reply.head.status)
      var following = followed.request
      // Only the first hop has waited for this attempt.
      following.purpose.waitedForRetry = .zero
      reply = try await next.send(following)
      trail = followed
    }
    return reply
  }

  /// Reads a short body to its end, so that the connection can be reused; cancels a long one.
  private func discard(_ reply: Reply) async {
    let length = reply.head.fields["Content-Length"].flatMap { Int($0) } ?? .max
    if length <= 65_536 {
      while (try? await reply.body.next()) ?? nil != nil {}
    }
    reply.body.cancel()
    reply.exchange?.finish()
  }
}

extension ReplyHead {
  /// Target of a redirect.
  ///
  /// A 300 has several targets, a 304 is no redirect, and a status without a Location is a reply.
  var location: String? { [301, 302, 303, 307, 308].contains(status) ? fields["Location"] : nil }
}

/// The requests of one chain of redirects.
struct RedirectTrail {
  static let limit = 10

  private(set) var request: Request
  private let isPrivate: Bool
  private let store: SecretStore
  /// Secrets in the header fields of the first request.
  private let fieldSecrets: [String]
  /// The secrets at the time of the current hop.
  private var secrets: SecretMatcher
  /// Method and URL of every request so far, and the redacted URLs.
  private var visited: Set<[String]>
  private var shown: [String]

  /// Starts a chain with its first request.
  ///
  /// - Parameter peer: address of the request's host, if it is known.
  init(_ request: Request, peer: String? = nil, secrets: SecretStore) {
    self.request = request
    isPrivate = Origin(of: request.url.text)?.isPrivate == true || peer.map(isPrivateAddress) == true
    visited = [[request.method, request.url.text]]
    shown = [request.url.redacted]
    // The token of `Bearer TOKEN` is a secret as well as the whole value.
    fieldSecrets = request.fields.all.filter(\.value.isSecret).map(\.value.text).flatMap { text in
      [text] + text.split(separator: " ").map(String.init)
    }
    (store, self.secrets) = (secrets, secrets.current)
  }

  /// Follows a Location to the next request.
  mutating func follow(_ location: String, status: Int) throws(TransportError) {
    // Each hop may bring another token or a cookie.
    secrets = store.current
    for secret in fieldSecrets { secrets.insert(secret) }
    let url = try target(of: location)
    try check(url)
    try adaptMethod(to: status, at: url)
    do throws(OriginPolicy.LeakError) {
      request = try request.sent(to: url, givenBy: Origin(of: request.url.text), hiding: secrets)
    } catch {
      let leak = error == .url ? "a secret" : "the secret in the body"
      throw fault("redirected to '\(url.redacted)', which would give \(leak) to another origin", Self.moveRemedy)
    }
    // A name may resolve to an address that a URL must not have.
    request.refusesPrivatePeers = !isPrivate
    shown.append(url.redacted)
    guard visited.insert([request.method, url.text]).inserted else {
      throw fault("redirected in a circle", Self.circleRemedy)
    }
    guard shown.count <= RedirectTrail.limit + 1 else {
      throw fault("more than \(RedirectTrail.limit) redirects", Self.circleRemedy)
    }
  }

  private static let circleRemedy = "the server may want a login, or a cookie that it set: see 'auth' and 'headers'"
  private static let moveRemedy = "if the API has moved there, write that URL into the spec"

  private func target(of location: String) throws(TransportError) -> Redactable {
    guard let text = resolve(location, against: request.url.text) else {
      if let location = withoutUserInfo(location) {
        throw fault(
          "redirected to '\(secrets.redacting(location))', with a user name in the URL, which is not followed",
          "if that is where the step should log in, write the URL into the spec, and the user into 'auth'")
      }
      throw fault(
        "redirected to '\(secrets.redacting(location))', which is not an http or https URL",
        "see whether 'endpoint' is right")
    }
    // Resolve against the redacted URL too, so that even a short secret in the path stays hidden.
    let shown = resolve(location, against: request.url.redacted) ?? text
    return Redactable(text, redacted: secrets.redacting(shown))
  }

  private func check(_ url: Redactable) throws(TransportError) {
    do throws(OriginPolicy.RefusalError) {
      try OriginPolicy.checkRedirect(to: url.text, from: request.url.text, isPrivate: isPrivate)
    } catch {
      throw fault(for: error, url)
    }
  }

  private func fault(for refusal: OriginPolicy.RefusalError, _ url: Redactable) -> TransportError {
    switch refusal {
    case .noURL, .otherOrigin:
      fault("redirected to '\(url.redacted)', which has no host", "see whether 'endpoint' is right")
    case .leavesHTTPS:
      fault(
        "redirected from https to '\(url.redacted)', where anyone could read it",
        "if the API has no https, write that URL into the spec")
    case .privateAddress:
      fault(
        "redirected to '\(url.redacted)', an address of this machine or a private network",
        "only a step whose own 'endpoint' is there may be led there")
    }
  }

  /// Changes the method as RFC 9110 §15.4 says, if the request expects that; otherwise throws.
  ///
  /// A 303 asks for a GET. A 301 or 302 turns a POST into a GET by convention. A 307 or 308 changes nothing. A GET without
  /// the body would bring another list than the one that was asked for, such as the unfiltered one. Only the 303 for a QUERY
  /// names the result of the query itself (RFC 10008).
  private mutating func adaptMethod(to status: Int, at url: Redactable) throws(TransportError) {
    let becomesGET = status == 303 ? request.method != "HEAD" : status <= 302 && request.method == "POST"
    guard becomesGET, request.method != "GET" || request.body != nil else { return }
    guard status == 303, request.allowsSeeOther || request.method == "QUERY" else {
      let poll = status == 303 ? ", or add 'poll' if the request starts a job whose result is there" : ""
      let change = request.method == "GET" ? "lose its body" : "become a GET without its body"
      throw fault(
        "redirected by a \(status) to '\(url.redacted)', where the \(request.method) would \(change)",
        Self.moveRemedy + poll)
    }
    request.method = "GET"
    request.body = nil
    for field in request.fields.all where field.name.lowercased().hasPrefix("content-") {
      request.fields.remove(field.name)
    }
  }

  private func fault(_ problem: String, _ remedy: String? = nil) -> TransportError {
    let chain = shown.count > 1 ? " (\(shown.joined(separator: " → ")))" : ""
    return TransportError(.redirect, url: request.url, problem: problem + chain + (remedy.map { "; \($0)" } ?? ""))
  }
}
