import Synchronization
package import Wire

/// The token caches of a run, one for each grant.
package final class TokenCaches: Sendable {
  private let source: TokenSource
  private let desks = Locked<[TokenGrant: TokenCache]>([:])

  /// Creates caches that fetch tokens through a transport.
  ///
  /// - Parameters:
  ///   - transport: fetches the tokens; it must not follow redirects.
  ///   - secrets: store to which every token is added.
  package init(
    _ transport: any HTTPTransport, retrier: Retrier, clock: any FetchClock, secrets: SecretStore
  ) {
    source = TokenSource(transport: transport, retrier: retrier, clock: clock, secrets: secrets)
  }

  subscript(grant: TokenGrant) -> TokenCache {
    desks.withLock { desks in
      if let desk = desks[grant] { return desk }
      let desk = TokenCache(grant, source)
      desks[grant] = desk
      return desk
    }
  }
}
