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
  /// Sends a request for a token once.
  package let tokenTransport: any HTTPTransport

  /// Builds the stack.
  ///
  /// - Parameters:
  ///   - innermost: curl, a recording, or a `RecordingTransport` around one of them.
  ///   - fetchesTokens: true if grants are exchanged for tokens; a replay needs none.
  ///   - store: keeps refresh tokens for the next run; nil if nothing does.
  ///   - memory: the tokens that other runs share with this one.
  package init(
    over innermost: any HTTPTransport, rateLimiter: RateLimiter, clock: any FetchClock, fetchesTokens: Bool,
    keepingTokensIn store: (any RefreshTokenStore)? = nil, sharing memory: TokenMemory = TokenMemory(),
    observer: any TransportObserver, hiding secrets: SecretStore
  ) {
    let counting = CountingTransport(innermost, observer: observer, secrets: secrets)
    let signing = SigningTransport(counting, clock: clock)
    let limited = RateLimitingTransport(signing, rateLimiter: rateLimiter, clock: clock) { request, time in
      observer.waits(request, for: time, because: .rate)
    }
    let reconnecting = ReconnectingTransport(limited)
    tokenTransport = reconnecting
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
        reconnecting, retrier: retrier, clock: clock, secrets: secrets, store: store, memory: memory,
        warn: { observer.warns($0) }) : nil
    transport = RedirectingTransport(AuthTransport(reconnecting, tokens: tokens), secrets: secrets)
  }
}

/// Counts the requests that are really sent: each hop of a redirect and each retry, but no request cancelled before.
///
/// It also adds the cookies of each reply to the secrets, before any message could show them.
struct CountingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let observer: any TransportObserver
  private let secrets: SecretStore

  init(_ next: any HTTPTransport, observer: any TransportObserver, secrets: SecretStore) {
    self.next = next
    self.observer = observer
    self.secrets = secrets
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    if Task.isCancelled { throw TransportError(.unsent, url: request.url, problem: "the request was cancelled") }
    let exchange = OpenExchange(request, observer: observer)
    do {
      let reply = try await next.send(request)
      secrets.insertCookies(of: reply.head.fields)
      exchange.update { $0.status = reply.head.status }
      observer.didReceive(reply.head, to: request)
      return Reply(head: reply.head, body: reply.body, exchange: exchange)
    } catch {
      if error.kind == .unsent { exchange.wasNotSent() } else { exchange.update { $0.problem = error.problem } }
      throw error
    }
  }
}

// Reused connections may end at any moment: a server may close an idle one while the next request is on its way.

/// Sends a request once more, on a new connection, if a reused connection ended without an answer (RFC 9112 §9.3.1).
///
/// Such an end is no error of the server, and uses up no attempt of the job. This layer is around all layers that rate,
/// count and record requests, since the request is sent twice.
package struct ReconnectingTransport: HTTPTransport {
  private let next: any HTTPTransport

  package init(_ next: any HTTPTransport) {
    self.next = next
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    do {
      return try await next.send(request)
    } catch {
      guard error.kind == .stale, request.mayBeRepeated else { throw error }
    }
    var again = request
    again.wantsFreshConnection = true
    return try await next.send(again)
  }
}
