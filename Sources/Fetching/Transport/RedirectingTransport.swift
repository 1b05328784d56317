// Redirects, followed by our own loop: what may go where is our business, not a library's.

package import Wire

/// Follows the redirects of another exchanger (RFC 9110 §15.4).
///
/// At most 10; to http and https only; never from https to http; never to this machine or a private network, unless the
/// request itself goes there; and to another origin without anything secret.
package struct RedirectingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let secrets: SecretStore

  /// - Parameter secrets: what must not be shown of a URL that a server sends back.
  package init(_ next: any HTTPTransport, secrets: SecretStore) {
    self.next = next
    self.secrets = secrets
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    var reply = try await next.send(request)
    var trail: RedirectTrail?
    while let location = reply.head.location {
      await discard(reply)
      var gone = trail ?? RedirectTrail(request, peer: reply.head.peer, secrets: secrets)
      try gone.follow(location, status: reply.head.status)
      reply = try await next.send(gone.request)
      trail = gone
    }
    return reply
  }

  /// Reads a short body to its end, so that the connection can be used again; gives up a long one.
  private func discard(_ reply: Reply) async {
    let length = reply.head.fields["Content-Length"].flatMap { Int($0) } ?? .max
    if length <= 65_536 {
      while (try? await reply.body.next()) ?? nil != nil {}
    }
    reply.body.cancel()
  }
}

extension ReplyHead {
  /// Where a redirect leads. 300 has no one target, 304 is no redirect, and one without a Location is a reply.
  var location: String? { [301, 302, 303, 307, 308].contains(status) ? fields["Location"] : nil }
}
