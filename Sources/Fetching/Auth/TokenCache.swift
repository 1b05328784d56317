// The token of one grant, shared by all requests.

package import Files
import JSONText
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
  /// The last subscribers of cancelled fetches, by the number of the fetch.
  private var leaving: [Int: CheckedContinuation<Outcome, Never>] = [:]
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
    if Task.isCancelled { return try cancelled.get() }
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
  ///
  /// The last subscriber waits for the end of the fetch, which finishes an exchange of refresh tokens first.
  private func unsubscribe(_ number: Int) {
    guard let waiting = flight?.waiting.removeValue(forKey: number), let flight else { return }
    guard flight.waiting.isEmpty else { return waiting.resume(returning: cancelled) }
    self.flight = nil
    leaving[flight.number] = waiting
    flight.task.cancel()
  }

  private var cancelled: Outcome {
    .failure(TransportError(.cancelled, url: grant.url, problem: "the request was cancelled"))
  }

  private func complete(_ number: Int, _ result: Outcome) {
    if let waiting = leaving.removeValue(forKey: number) { return waiting.resume(returning: cancelled) }
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
  /// Holders of which an answer had no new refresh token at its place.
  private let missed = Locked<Set<RefreshTokenHolder>>([])
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

  /// Records an answer without a new refresh token; returns true for the holder's first one.
  func miss(_ holder: RefreshTokenHolder) -> Bool { missed.withLock { $0.insert(holder).inserted } }

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

// The refresh tokens of a run. A server may replace one with each answer (RFC 6749 §6).

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
    if !token.isEmpty { secrets.insert(token) }
    return token
  }

  /// Makes room for the refresh token of an answer, before a server is asked for it.
  ///
  /// The server may accept each refresh token once. Then an answer that can't be kept is a login by hand.
  func makeRoom(for url: Redactable) throws(TransportError) {
    do { try store?.makeRoom() } catch {
      throw TransportError(.unsaved, url: url, problem: "\(error.problem), so no token was asked for")
    }
  }

  /// Takes the refresh token of an answer, which must come before any use of the answer's other tokens.
  ///
  /// Until the other tokens are used, many servers accept the old refresh token as well.
  func take(_ token: String, for holder: RefreshTokenHolder, from url: Redactable) throws(TransportError) {
    let newest = newest(of: holder)
    guard token != newest else { return }
    secrets.insert(token)
    let isFirst = newest == holder.first
    if let store {
      do {
        try store.keep(token, for: holder)
      } catch {
        throw TransportError(
          .unsaved, url: url, problem: "the new refresh token was not used, since it can't be kept: \(error.problem)")
      }
    } else if isFirst {
      warn(
        "\(url.redacted) has replaced the refresh token, and the new one is lost with this run: the next run is refused "
          + "if the old one can be used once only; give --tokens FILE to keep the new one")
    }
    memory[holder] = token
  }
}

extension RefreshTokens {
  /// Warns once that an answer has no new refresh token where the spec says that one is.
  ///
  /// If the server has replaced the token all the same, the next request is refused.
  func miss(at path: [String], for holder: RefreshTokenHolder, from url: Redactable) {
    guard memory.miss(holder) else { return }
    warn(
      "\(url.redacted) gave no new refresh token at '\(JSONPath(path))', so the one before is used again: see "
        + "'nextRefreshToken' of 'login'")
  }
}

/// The client that a refresh token belongs to: for every scope, or for what a user who logs in is asked.
package struct RefreshTokenHolder: Hashable, Sendable {
  /// Token endpoint.
  package let url: Redactable
  let id: String
  /// Refresh token of the spec, which the server may have replaced since; empty if a user logs in.
  let first: String
  /// What the user is asked for; empty if no user logs in.
  private let wishes: [OAuth2Grant.Member]

  /// Nil for a grant without a refresh token.
  package init?(_ grant: TokenGrant) {
    let (id, first): (String, String?) =
      switch grant.kind {
      case .oauth2(let oauth2): (oauth2.id, oauth2.refresh ?? oauth2.deviceURL.map { _ in "" })
      case .login(let login): ("", login.refresh?.first)
      }
    guard let first else { return nil }
    (url, self.id, self.first) = (grant.url, id, first)
    if case .oauth2(let oauth2) = grant.kind, oauth2.refresh == nil { wishes = oauth2.wishes } else { wishes = [] }
  }

  /// A name that is the same in every run with the same values, and shows none of them.
  ///
  /// A token that the user gets anew from the server, and puts into the spec, has another name.
  package var name: String {
    let parts = [url.text, id, first] + wishes.map { "\($0.name)=\($0.value.text)" }
    return SHA256.hash(Array(parts.joined(separator: "\n").utf8)).hexadecimal
  }
}

/// Keeps refresh tokens from run to run.
package protocol RefreshTokenStore: Sendable {
  /// Returns the token that was kept in place of the holder's first one; nil if there is none.
  func token(for holder: RefreshTokenHolder) -> String?
  /// Makes room for a token that a server is asked for next.
  func makeRoom() throws(FileError)
  /// Keeps a token, which is safe when the call returns.
  func keep(_ token: String, for holder: RefreshTokenHolder) throws(FileError)
}
