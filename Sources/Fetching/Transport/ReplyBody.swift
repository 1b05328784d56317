package import Wire

/// A response body, read once, in order, by one reader.
package protocol ReplyBody: AnyObject, Sendable {
  /// Returns the next bytes (decoded, never empty), or nil at the end of a whole body.
  ///
  /// - Throws: `TransportError` if the body was cut short, stalled, or exceeds the request's limit.
  func next() async throws(TransportError) -> [UInt8]?

  /// The fields that came after the body, once it has been read to its end (RFC 9110 §6.5).
  var trailers: HTTPFields { get }

  /// Cancels the rest; does nothing if the body has been read to its end.
  func cancel()
}

extension ReplyBody {
  package var trailers: HTTPFields { HTTPFields() }
}
