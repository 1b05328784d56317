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

  package init(status: Int, fields: HTTPFields, url: Redactable) {
    self.status = status
    self.fields = fields
    self.url = url
  }
}
