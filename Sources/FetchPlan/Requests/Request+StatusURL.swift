// The address at which a server tells the state of a job that a request has started.

package import Wire

extension Request {
  /// Most bytes of a `Location`: servers take URLs of 8,000 bytes and little more (RFC 9110 §4.1).
  private static let longestLocation = 16_384

  /// Returns the GET for the address that an answer names in `Location` (RFC 9110 §15.3.3); nil for none, and for a GET.
  ///
  /// Another POST would start another job.
  ///
  /// - Throws: `PagingError` if the address may not be requested.
  package func statusRequest(after answer: PageFacts, hiding secrets: SecretStore) throws(PagingError) -> Request? {
    guard method != "GET", method != "HEAD", let location = answer.fields["Location"], !location.isEmpty else {
      return nil
    }
    guard location.utf8.count <= Self.longestLocation else {
      let size = "the answer's 'Location' has \(location.utf8.count) bytes, more than \(Self.longestLocation)"
      throw PagingError(answer, "\(size): leave 'poll' out, and let the next step poll")
    }
    var request = self
    request.method = "GET"
    request.body = nil
    for field in fields.all where field.name.lowercased().hasPrefix("content-") { request.fields.remove(field.name) }
    if retry == .once { request.retry = RetryPolicy() }
    return try request.led(to: Redactable(location), from: answer, by: .poll, hiding: secrets)
  }
}
