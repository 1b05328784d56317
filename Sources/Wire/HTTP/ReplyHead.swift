/// The head of a response.
package struct ReplyHead: Sendable, Hashable {
  package let status: Int
  package let fields: HTTPFields
  /// URL that answered, after redirects.
  package let url: Redactable
  /// Address that answered; nil if it is not known, as behind a proxy.
  package var peer: String?
  /// Time until the connection was made, including the look-up of the name and TLS; nil if it is not known.
  package var connectTime: Duration?

  /// True if nothing in the message says where the body ends, but the end of the connection or of its stream.
  ///
  /// For a stream of HTTP/2, libcurl 7.88 reports a reset with NO_ERROR as an end.
  package var hasOpenEnd = false

  package init(status: Int, fields: HTTPFields, url: Redactable) {
    self.status = status
    self.fields = fields
    self.url = url
  }
}
