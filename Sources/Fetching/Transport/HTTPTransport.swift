// What can answer a request: curl, a recording, or one of them behind another.

package import Wire

/// Something that answers requests.
package protocol HTTPTransport: Sendable {
  /// One exchange. The reply comes as soon as its head is there; the body is read from `Reply.body`.
  ///
  /// - Throws: `TransportError` when no reply came. A 404 is a reply.
  func send(_ request: Request) async throws(TransportError) -> Reply
}
