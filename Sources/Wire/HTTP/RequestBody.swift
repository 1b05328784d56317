/// The body of a request.
package struct RequestBody: Sendable, Hashable {
  /// Format of the bytes, for the pager's item and for `Content-Type`.
  package enum Format: Sendable, Hashable { case json, form, text }

  package var bytes: [UInt8]
  /// Body as text with `***` in place of secrets.
  package var redacted: String
  package var format: Format

  package init(bytes: [UInt8], redacted: String, format: Format = .json) {
    self.bytes = bytes
    self.redacted = redacted
    self.format = format
  }
}
