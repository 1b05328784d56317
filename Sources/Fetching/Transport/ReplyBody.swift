import Wire

/// A response body, read once, in order, by one reader.
package protocol ReplyBody: AnyObject, Sendable {
  /// The next bytes (decoded, never empty), or nil at the end of a body that is whole.
  ///
  /// - Throws: `TransportError` when the body was cut short, stalled, or exceeds the request's limit.
  func next() async throws(TransportError) -> [UInt8]?

  /// Gives up the rest. Does nothing when the body has been read to its end.
  func cancel()
}
