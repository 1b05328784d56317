// Credentials, and the origin to which they may be sent.

/// Credentials that are bound to an origin.
///
/// `AuthTransport` adds them to each request at that origin, and to no other request.
package struct Credentials: Sendable, Hashable {
  package enum Proof: Sendable, Hashable {
    /// Header fields.
    case fields([HTTPFields.Field])
    /// Query items, percent-encoded: `api_key=…`.
    case items([Item])
    /// A token that must be fetched first.
    case grant(TokenGrant, TokenUse)
    /// A signature of all that is sent.
    case signature(SigningKey)
  }

  package struct Item: Sendable, Hashable {
    /// Name, percent-encoded.
    package let name: String
    package let value: String
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let origin: Origin
  package let proof: Proof
  /// All values that must not be shown.
  package let secrets: [String]

  package init(origin: Origin, proof: Proof, secrets: [String]) {
    self.origin = origin
    self.proof = proof
    self.secrets = secrets
  }
}
