// The facts about one page, for its pager.

/// The facts about one fetched page: all that a pager may know.
package struct PageFacts: Sendable {
  /// Number of pages of this stream so far, including this page: 1 for the first.
  package let number: Int
  package let status: Int
  package let url: Redactable
  package let fields: HTTPFields
  package let body: PageBody

  package init(number: Int, status: Int, url: Redactable, fields: HTTPFields, body: PageBody) {
    self.number = number
    self.status = status
    self.url = url
    self.fields = fields
    self.body = body
  }
}
