/// A key with which requests to one service are signed (AWS Signature Version 4).
package struct SigningKey: Sendable, Hashable {
  package let id: String
  package let secret: String
  /// Session token of temporary credentials.
  package let token: String?
  package let region: String
  package let service: String

  package init(id: String, secret: String, token: String?, region: String, service: String) {
    self.id = id
    self.secret = secret
    self.token = token
    self.region = region
    self.service = service
  }
}
