// Who asks, and where that may be said.

/// What proves who asks. It is bound to an origin: whoever sends a request adds it there and nowhere else, each time that
/// the request's URL changes.
package struct Credentials: Sendable, Hashable {
  package enum Proof: Sendable, Hashable {
    /// Header fields.
    case fields([HTTPFields.Field])
    /// Query items, percent-encoded: `api_key=…`.
    case items([Item])
    /// A token that has to be fetched first.
    case grant(TokenGrant)
  }

  package struct Item: Sendable, Hashable {
    /// Percent-encoded.
    package let name: String
    package let value: String
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let origin: Origin
  package let proof: Proof
  /// All that must not be shown.
  package let secrets: [String]

  package init(origin: Origin, proof: Proof, secrets: [String]) {
    self.origin = origin
    self.proof = proof
    self.secrets = secrets
  }
}
