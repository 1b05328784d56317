/// The place of a token in a request.
package enum TokenUse: Sendable, Hashable {
  /// Text with places for the token.
  package struct Pattern: Sendable, Hashable {
    package let name: String
    /// Pieces of the value, in order; nil stands for the token.
    package let pieces: [String?]
    package init(name: String, pieces: [String?]) {
      self.name = name
      self.pieces = pieces
    }

    /// Returns the value with the token.
    package func value(with token: String) -> String { pieces.map { $0 ?? token }.joined() }
  }

  /// `Authorization: Bearer …`.
  case bearer
  case fields([Pattern])
  /// Query items with percent-encoded names.
  case items([Pattern])

  /// True if the token stands in the URL's query.
  package var isInQuery: Bool { if case .items = self { true } else { false } }
}
