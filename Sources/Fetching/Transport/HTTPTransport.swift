// The interface of all layers that answer a request: curl, a recording, or a layer around another one.

package import Wire

/// A layer that answers requests.
package protocol HTTPTransport: Sendable {
  /// Sends a request and returns its reply as soon as the head is there; the body is read from `Reply.body`.
  ///
  /// - Throws: `TransportError` if no reply came. A 404 is a reply.
  func send(_ request: Request) async throws(TransportError) -> Reply
}
