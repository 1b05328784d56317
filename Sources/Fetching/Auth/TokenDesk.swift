// Where tokens come from: OAuth 2.0 client credentials (RFC 6749 §4.4).

import Synchronization
package import Wire

/// A token, and until when it is to be used.
struct Token: Sendable, Hashable {
  let text: String
  /// On the run's clock; nil for one that says nothing of an end.
  let renewal: Duration?
}

/// One desk a grant, for all requests of a run.
package final class TokenDesks: Sendable {
  private let source: TokenSource
  private let desks = Guarded<[TokenGrant: TokenDesk]>([:])

  /// - Parameters:
  ///   - exchanger: by which tokens are fetched; it must not follow redirects.
  ///   - secrets: learns of every token.
  package init(
    _ exchanger: any Exchanger, persistence: Persistence, clock: any FetchClock, secrets: Secrets
  ) {
    source = TokenSource(exchanger: exchanger, persistence: persistence, clock: clock, secrets: secrets)
  }

  subscript(grant: TokenGrant) -> TokenDesk {
    desks.withLock { desks in
      if let desk = desks[grant] { return desk }
      let desk = TokenDesk(grant, source)
      desks[grant] = desk
      return desk
    }
  }
}

/// Hands out one token to all who ask, and fetches it once, however many they are.
actor TokenDesk {
  private struct Flight {
    let task: Task<Result<Token, TransportFault>, Never>
    var waiting = 0
  }

  private let grant: TokenGrant
  private let source: TokenSource
  private var token: Token?
  /// A refusal is final: who asked again and again would be locked out.
  private var refusal: TransportFault?
  private var flight: Flight?
  private var flights = 0

  init(_ grant: TokenGrant, _ source: TokenSource) {
    self.grant = grant
    self.source = source
  }

  /// - Parameter refused: a token that a server did not accept.
  func token(insteadOf refused: Token? = nil) async throws(TransportFault) -> Token {
    if let token, token != refused, !source.isDue(token) { return token }
    if let refusal { throw refusal }
    let task = join()
    let number = flights
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      Task { await self.leave(number) }
    }
    settle(number, result)
    return try result.get()
  }

  /// The fetch that is under way, or a new one.
  private func join() -> Task<Result<Token, TransportFault>, Never> {
    if flight == nil {
      flights += 1
      flight = Flight(
        task: Task { [source, grant] in
          do throws(TransportFault) {
            return .success(try await source.fetch(grant))
          } catch {
            return .failure(error)
          }
        })
    }
    flight?.waiting += 1
    return flight?.task ?? Task { .failure(TransportFault(.cancelled, url: grant.url, problem: "cancelled")) }
  }

  /// The fetch goes on for as long as somebody waits for it.
  private func leave(_ number: Int) {
    guard number == flights else { return }
    flight?.waiting -= 1
    guard let flight, flight.waiting == 0 else { return }
    flight.task.cancel()
    self.flight = nil
  }

  private func settle(_ number: Int, _ result: Result<Token, TransportFault>) {
    guard number == flights, flight != nil else { return }
    flight = nil
    switch result {
    case .success(let token): self.token = token
    case .failure(let fault): if fault.kind == .refused { refusal = fault }
    }
  }
}
