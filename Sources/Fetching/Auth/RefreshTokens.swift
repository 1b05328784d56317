// The refresh tokens of a run. A server may replace one with each answer (RFC 6749 §6).

package import Files
import Primitives
package import Wire

/// The newest refresh token of each holder.
actor RefreshTokens {
  private let store: (any RefreshTokenStore)?
  private let memory: TokenMemory
  private let secrets: SecretStore
  private let warn: @Sendable (String) -> Void

  /// Creates the tokens of a run.
  ///
  /// - Parameters:
  ///   - store: keeps the tokens for the next run; nil if no token is kept.
  ///   - memory: the newest tokens of all runs that share them.
  ///   - warn: receives a warning about a token that is lost with the run.
  init(
    _ store: (any RefreshTokenStore)?, _ memory: TokenMemory, secrets: SecretStore,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.memory = memory
    self.secrets = secrets
    self.warn = warn
  }

  /// Returns the newest refresh token of a holder.
  ///
  /// Only one request at a time may use the token: `TokenMemory.inTurn`.
  func newest(of holder: RefreshTokenHolder) -> String {
    let token = memory[holder] ?? store?.token(for: holder) ?? holder.first
    secrets.insert(token)
    return token
  }

  /// Takes the refresh token of an answer, which must come before any use of the answer's other tokens.
  ///
  /// Until the other tokens are used, servers accept the old refresh token as well. So a run that dies before its token
  /// is saved has lost nothing.
  func take(_ token: String, for holder: RefreshTokenHolder, from url: Redactable) throws(TransportError) {
    let newest = newest(of: holder)
    guard token != newest else { return }
    secrets.insert(token)
    let isFirst = newest == holder.first
    if let store {
      do {
        try store.keep(token, for: holder)
      } catch {
        throw TransportError(.unsaved, url: url, problem: "\(error.problem), so the new refresh token was not used")
      }
    } else if isFirst {
      warn(
        "\(url.redacted) has replaced the refresh token, and the new one is lost with this run: the next run is refused "
          + "if the old one can be used once only; give --tokens FILE to keep the new one")
    }
    memory[holder] = token
  }
}

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
