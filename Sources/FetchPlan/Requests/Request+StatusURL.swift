// The address at which a server tells the state of a job that a request has started.

package import Wire

extension Request {
  /// Returns the GET for the address that an answer names in `Location` (RFC 9110 §15.3.3); nil for none, and for a GET.
  ///
  /// Another POST would start another job.
  ///
  /// - Throws: `PagingError` if the address may not be requested.
  package func statusRequest(after answer: PageFacts, hiding secrets: SecretStore) throws(PagingError) -> Request? {
    guard method != "GET", method != "HEAD", let location = answer.fields["Location"], !location.isEmpty else {
      return nil
    }
    var request = self
    request.method = "GET"
    request.body = nil
    for field in fields.all where field.name.lowercased().hasPrefix("content-") { request.fields.remove(field.name) }
    if retry == .once { request.retry = RetryPolicy() }
    return try request.led(
      to: Redactable(location, redacted: secrets.redacting(location)), from: answer, hiding: secrets)
  }
}
