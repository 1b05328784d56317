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
