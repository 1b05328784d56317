/// The request that logs in, and the place of the token in its answer.
package struct LoginGrant: Sendable, Hashable {
  package let method: String
  package let body: RequestBody?
  /// Type of the body.
  package let contentType: String?
  /// Steps to the token in the answer.
  package let token: [String]
  /// Fields in place of the usual ones with their names.
  package var fields: [HTTPFields.Field] = []
  /// Names, in lower case, of usual fields that are not sent.
  package var removedFields: Set<String> = []

  package init(method: String, body: RequestBody?, contentType: String?, token: [String]) {
    self.method = method
    self.body = body
    self.contentType = contentType
    self.token = token
  }
}
