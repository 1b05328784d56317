package import Wire

/// A response whose body is still to be read.
package struct Reply: Sendable {
  package let head: ReplyHead
  package let body: any ReplyBody

  package init(head: ReplyHead, body: any ReplyBody) {
    self.head = head
    self.body = body
  }
}
