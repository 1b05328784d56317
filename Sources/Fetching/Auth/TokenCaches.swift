import Primitives
import Synchronization
package import Wire

/// The token caches of a run, one for each grant.
package final class TokenCaches: Sendable {
  private let source: TokenSource
  private let caches = Locked<[TokenGrant: TokenCache]>([:])

  /// Creates caches that fetch tokens through a transport.
  ///
  /// - Parameters:
  ///   - transport: fetches the tokens; it must not follow redirects.
  ///   - secrets: store to which every token is added.
  ///   - store: keeps refresh tokens for the next run; nil if nothing does.
  ///   - warn: receives a warning about a refresh token that is lost with the run.
  package init(
    _ transport: any HTTPTransport, retrier: Retrier, clock: any FetchClock, secrets: SecretStore,
    store: (any RefreshTokenStore)?, warn: @escaping @Sendable (String) -> Void
  ) {
    source = TokenSource(
      transport: transport, retrier: retrier, clock: clock, secrets: secrets,
      refreshTokens: RefreshTokens(store, secrets: secrets, warn: warn))
  }

  subscript(grant: TokenGrant) -> TokenCache {
    caches.withLock { caches in
      if let cache = caches[grant] { return cache }
      let cache = TokenCache(grant, source)
      caches[grant] = cache
      return cache
    }
  }
}
