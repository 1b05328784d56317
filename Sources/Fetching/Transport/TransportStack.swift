// The layers between a page and the network. Their order is part of their contract.

package import Wire

/// The layers that a request passes, from the outermost to the network.
///
///     Retrier                 retries a request, also if its body was cut
///     RedirectingTransport    follows redirects; each hop passes all layers below
///     AuthTransport           adds credentials, at their own origin only
///     ReconnectingTransport   sends again at once if the server had closed a reused connection
///     RateLimitingTransport   waits for the origin's next slot: hops, retries and tokens count
///     SigningTransport        signs what is sent, at the time of sending
///     CountingTransport       counts what is sent; adds cookies to the secrets
///     RecordingTransport      writes the exchange into the HAR file (only with `--record`)
///     CurlTransport           the network; or ReplayTransport, a recording
///
/// Token requests pass the rate limit and the layers below, but are never redirected or authorized themselves.
package struct TransportStack: Sendable {
  package let retrier: Retrier
  /// Sends a request once, including its redirects.
  package let transport: any HTTPTransport

  /// Builds the stack.
  ///
  /// - Parameters:
  ///   - innermost: curl, a recording, or a `RecordingTransport` around one of them.
  ///   - fetchesTokens: true if grants are exchanged for tokens; a replay needs none.
  ///   - store: keeps refresh tokens for the next run; nil if nothing does.
  package init(
    over innermost: any HTTPTransport, rateLimiter: RateLimiter, clock: any FetchClock, fetchesTokens: Bool,
    keepingTokensIn store: (any RefreshTokenStore)? = nil, observer: any TransportObserver, hiding secrets: SecretStore
  ) {
    let counting = CountingTransport(innermost, observer: observer, secrets: secrets)
    let signing = SigningTransport(counting, clock: clock)
    let limited = RateLimitingTransport(signing, rateLimiter: rateLimiter, clock: clock) { request, time in
      observer.waits(request, for: time, because: .rate)
    }
    let reconnecting = ReconnectingTransport(limited)
    retrier = Retrier(
      rateLimiter: rateLimiter, clock: clock,
      tell: { event, request in
        switch event {
        case .waiting(let time, let reason): observer.waits(request, for: time, because: reason)
        case .retrying: observer.retries(request)
        }
      })
    let tokens =
      fetchesTokens
      ? TokenCaches(
        reconnecting, retrier: retrier, clock: clock, secrets: secrets, store: store,
        warn: { observer.warns($0) }) : nil
    transport = RedirectingTransport(AuthTransport(reconnecting, tokens: tokens), secrets: secrets)
  }
}
