import Synchronization
package import Wire

/// One desk a grant, for all requests of a run.
package final class TokenCaches: Sendable {
  private let source: TokenSource
  private let desks = Locked<[TokenGrant: TokenCache]>([:])

  /// - Parameters:
  ///   - exchanger: by which tokens are fetched; it must not follow redirects.
  ///   - secrets: learns of every token.
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
