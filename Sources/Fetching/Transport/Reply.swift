package import Wire

/// A response whose body is still to be read.
package struct Reply: Sendable {
  package let head: ReplyHead
  package let body: any ReplyBody
  /// The exchange that brought the reply, from `CountingTransport` upwards.
  package let exchange: OpenExchange?

  package init(head: ReplyHead, body: any ReplyBody, exchange: OpenExchange? = nil) {
    self.head = head
    self.body = body
    self.exchange = exchange
  }
}

extension Reply {
  /// The fields of the head, and those that came after the body, once it has been read to its end.
  package var fields: HTTPFields {
    let trailers = body.trailers.all
    return trailers.isEmpty ? head.fields : HTTPFields(head.fields.all + trailers)
  }
}
