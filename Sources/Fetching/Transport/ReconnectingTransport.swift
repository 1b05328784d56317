// Reused connections may end at any moment: a server may close an idle one while the next request is on its way.

package import Wire

/// Sends a request once more, on a new connection, if a reused connection ended without an answer (RFC 9112 §9.3.1).
///
/// Such an end is no error of the server, and uses up no attempt of the job. This layer is around all layers that rate,
/// count and record requests, since the request is sent twice.
package struct ReconnectingTransport: HTTPTransport {
  private let next: any HTTPTransport

  package init(_ next: any HTTPTransport) {
    self.next = next
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    do {
      return try await next.send(request)
    } catch {
      guard error.kind == .stale, request.mayBeRepeated else { throw error }
    }
    var again = request
    again.wantsFreshConnection = true
    return try await next.send(again)
  }
}
