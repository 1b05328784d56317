// The token of one grant, shared by all requests.

import Primitives
import Synchronization
package import Wire

/// Gives one token to all its subscribers, and fetches it only once.
actor TokenCache {
  private typealias Outcome = Result<Token, TransportError>

  private struct Flight {
    /// Number of the subscriber that started the fetch.
    let number: Int
    let task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  }

  private let grant: TokenGrant
  private let source: TokenSource
  private let memory: TokenMemory
  private var token: Token?
  /// The refusal of the credentials, which is final, since repeated requests could lock the client out.
  private var refusal: TransportError?
  private var flight: Flight?
  private var numbers = 0

  init(_ grant: TokenGrant, _ source: TokenSource, _ memory: TokenMemory) {
    self.grant = grant
    self.source = source
    self.memory = memory
    token = memory[grant]
  }

  /// Returns a valid token, and fetches one if there is none.
  ///
  /// - Parameter refused: a token that a server did not accept.
  func token(insteadOf refused: String? = nil) async throws(TransportError) -> Token {
    if let token, token.text != refused, !source.isDue(token) { return token }
    if let refusal { throw refusal }
    // A cancelled subscriber must not start a fetch.
    if Task.isCancelled { throw TransportError(.cancelled, url: grant.url, problem: "the request was cancelled") }
    let number = subscribe()
    // The fetch still exists: the actor does nothing else before the subscriber waits.
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { flight?.waiting[number] = $0 }
    } onCancel: {
      Task { await self.unsubscribe(number) }
    }.get()
  }

  /// Returns a number for a new subscriber of the current fetch, and starts a fetch if there is none.
  private func subscribe() -> Int {
    numbers += 1
    if flight == nil {
      let number = numbers
      flight = Flight(
        number: number,
        task: Task { [source, grant] in
          do throws(TransportError) {
            complete(number, .success(try await source.fetch(grant)))
          } catch {
            complete(number, .failure(error))
          }
        })
    }
    return numbers
  }

  /// Removes a cancelled subscriber, and cancels the fetch if no other subscriber waits for it.
  private func unsubscribe(_ number: Int) {
    guard let waiting = flight?.waiting.removeValue(forKey: number) else { return }
    waiting.resume(returning: .failure(TransportError(.cancelled, url: grant.url, problem: "cancelled")))
    guard let flight, flight.waiting.isEmpty else { return }
    flight.task.cancel()
    self.flight = nil
  }

  private func complete(_ number: Int, _ result: Outcome) {
    guard let flight, flight.number == number else { return }
    self.flight = nil
    switch result {
    case .success(let token):
      self.token = token
      memory[grant] = token
    case .failure(let fault): if fault.kind == .refused { refusal = fault }
    }
    for waiting in flight.waiting.values { waiting.resume(returning: result) }
  }
}

/// The token caches of a run, one for each grant.
package final class TokenCaches: Sendable {
  private let source: TokenSource
  private let memory: TokenMemory
  private let caches = Locked<[TokenGrant: TokenCache]>([:])

  /// Creates caches that fetch tokens through a transport.
  ///
  /// - Parameters:
  ///   - transport: fetches the tokens; it must not follow redirects.
  ///   - secrets: store to which every token is added.
  ///   - store: keeps refresh tokens for the next run; nil if nothing does.
  ///   - memory: the tokens of earlier runs of the same command.
  ///   - warn: receives a warning about a refresh token that is lost with the run.
  package init(
    _ transport: any HTTPTransport, retrier: Retrier, clock: any FetchClock, secrets: SecretStore,
    store: (any RefreshTokenStore)?, memory: TokenMemory, warn: @escaping @Sendable (String) -> Void
  ) {
    self.memory = memory
    source = TokenSource(
      transport: transport, retrier: retrier, clock: clock, secrets: secrets,
      refreshTokens: RefreshTokens(store, memory, secrets: secrets, warn: warn))
  }

  subscript(grant: TokenGrant) -> TokenCache {
    caches.withLock { caches in
      if let cache = caches[grant] { return cache }
      let cache = TokenCache(grant, source, memory)
      caches[grant] = cache
      return cache
    }
  }
}

/// The tokens that consecutive runs of one command share, so that each account logs in once.
package final class TokenMemory: Sendable {
  private let tokens = Locked<[TokenGrant: Token]>([:])
  private let refreshTokens = Locked<[RefreshTokenHolder: String]>([:])

  package init() {}

  subscript(grant: TokenGrant) -> Token? {
    get { tokens.withLock { $0[grant] } }
    set { tokens.withLock { $0[grant] = newValue } }
  }

  subscript(holder: RefreshTokenHolder) -> String? {
    get { refreshTokens.withLock { $0[holder] } }
    set { refreshTokens.withLock { $0[holder] = newValue } }
  }
}
