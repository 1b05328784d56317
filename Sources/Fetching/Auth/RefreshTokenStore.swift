package import Files
import Primitives
package import Wire

/// The client that a refresh token belongs to, for every scope.
package struct RefreshTokenHolder: Hashable, Sendable {
  /// Token endpoint.
  package let url: Redactable
  let id: String
  /// Refresh token of the spec, which the server may have replaced since.
  let first: String

  /// Nil for a grant without a refresh token.
  init?(_ grant: TokenGrant) {
    guard case .oauth2(let oauth2) = grant.kind, let refresh = oauth2.refresh else { return nil }
    (url, id, first) = (grant.url, oauth2.id, refresh)
  }

  /// A name that is the same in every run with the same endpoint, client and first token, and shows none of them.
  ///
  /// A token that the user gets anew from the server, and puts into the spec, has another name.
  package var name: String {
    SHA256.hash(Array([url.text, id, first].joined(separator: "\n").utf8)).hexadecimal
  }
}

/// Keeps refresh tokens from run to run.
package protocol RefreshTokenStore: Sendable {
  /// Returns the token that was kept in place of the holder's first one; nil if there is none.
  func token(for holder: RefreshTokenHolder) -> String?
  /// Keeps a token, which is safe when the call returns.
  func keep(_ token: String, for holder: RefreshTokenHolder) throws(FileError)
}
