// Connections that are used again may end at any moment: a server closes one that it takes for idle while the next request
// is on its way.

package import Wire

/// Makes a request once more, on a fresh connection, when the one it was sent on had been used before and ended without an
/// answer (RFC 9112 §9.3.1). That is no fault of the server's, and uses up none of the attempts that a job may make.
///
/// It goes around all that counts, paces and records requests, since a request is made twice.
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
