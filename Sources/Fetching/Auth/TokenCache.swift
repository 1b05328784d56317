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
  private var token: Token?
  /// The refusal of the credentials, which is final, since repeated requests could lock the client out.
  private var refusal: TransportError?
  private var flight: Flight?
  private var numbers = 0

  init(_ grant: TokenGrant, _ source: TokenSource) {
    self.grant = grant
    self.source = source
    token = source.remembered(grant)
  }

  /// Returns a valid token, and fetches one if there is none.
  ///
  /// - Parameter refused: a token that a server did not accept.
  func token(insteadOf refused: String? = nil) async throws(TransportError) -> Token {
    if let token, token.text != refused, !source.isDue(token) { return token }
    if let refusal { throw refusal }
    // A cancelled subscriber must not start a fetch.
    if Task.isCancelled { throw TransportError(.cancelled, url: grant.url, problem: "the request was cancelled") }
    let number = subscribe(insteadOf: refused)
    // The fetch still exists: the actor does nothing else before the subscriber waits.
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { flight?.waiting[number] = $0 }
    } onCancel: {
      Task { await self.unsubscribe(number) }
    }.get()
  }

  /// Returns a number for a new subscriber of the current fetch, and starts a fetch if there is none.
  private func subscribe(insteadOf refused: String?) -> Int {
    numbers += 1
    if flight == nil {
      let number = numbers
      flight = Flight(
        number: number,
        task: Task { [source, grant] in
          do throws(TransportError) {
            complete(number, .success(try await source.fetch(grant, insteadOf: refused)))
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
    case .success(let token): self.token = token
    case .failure(let fault): if fault.kind == .refused { refusal = fault }
    }
    for waiting in flight.waiting.values { waiting.resume(returning: result) }
  }
}

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
  ///   - memory: the tokens that other runs share with this one.
  ///   - warn: receives a warning about a refresh token that is lost with the run.
  package init(
    _ transport: any HTTPTransport, retrier: Retrier, clock: any FetchClock, secrets: SecretStore,
    store: (any RefreshTokenStore)?, memory: TokenMemory, warn: @escaping @Sendable (String) -> Void
  ) {
    source = TokenSource(
      transport: transport, retrier: retrier, clock: clock, secrets: secrets, memory: memory,
      refreshTokens: RefreshTokens(store, memory, secrets: secrets, warn: warn))
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

/// The tokens that several runs share, so that each account logs in once.
package final class TokenMemory: Sendable {
  /// A token of which only one is requested at a time.
  enum Turn: Hashable {
    case grant(TokenGrant)
    case holder(RefreshTokenHolder)
  }

  private let tokens = Locked<[TokenGrant: Token]>([:])
  private let refreshTokens = Locked<[RefreshTokenHolder: String]>([:])
  /// The last request in line, by the token that it asks for.
  private let last = Locked<[Turn: Task<Void, Never>]>([:])

  package init() {}

  subscript(grant: TokenGrant) -> Token? {
    get { tokens.withLock { $0[grant] } }
    set { tokens.withLock { $0[grant] = newValue } }
  }

  subscript(holder: RefreshTokenHolder) -> String? {
    get { refreshTokens.withLock { $0[holder] } }
    set { refreshTokens.withLock { $0[holder] = newValue } }
  }

  /// Makes a request for a token after all earlier ones for it, of any run.
  ///
  /// A server may revoke all tokens of a user if a refresh token that was replaced is used once more.
  func inTurn<Answer: Sendable>(
    _ turn: Turn, _ request: @escaping @Sendable () async -> Answer
  ) async -> Answer {
    let task = last.withLock { last in
      let before = last[turn]
      let task = Task {
        await before?.value
        return await request()
      }
      last[turn] = Task { _ = await task.value }
      return task
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
