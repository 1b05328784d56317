/// The body of a request, and its redacted form.
package struct RequestBody: Sendable, Hashable {
  package var bytes: [UInt8]
  /// Body as text with `***` in place of secrets.
  package var redacted: String
  package init(bytes: [UInt8], redacted: String) {
    self.bytes = bytes
    self.redacted = redacted
  }
}
