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
  private typealias Outcome = Result<Token, TransportFault>

  private struct Flight {
    /// Of who began it.
    let number: Int
    let task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  }

  private let grant: TokenGrant
  private let source: TokenSource
  private var token: Token?
  /// A refusal is final: who asked again and again would be locked out.
  private var refusal: TransportFault?
  private var flight: Flight?
  private var numbers = 0

  init(_ grant: TokenGrant, _ source: TokenSource) {
    self.grant = grant
    self.source = source
  }

  /// - Parameter refused: a token that a server did not accept.
  func token(insteadOf refused: Token? = nil) async throws(TransportFault) -> Token {
    if let token, token != refused, !source.isDue(token) { return token }
    if let refusal { throw refusal }
    // Who has been given up begins no fetch for nobody.
    if Task.isCancelled { throw TransportFault(.cancelled, url: grant.url, problem: "the request was cancelled") }
    let number = join()
    // The flight is still there: the actor does nothing else before who asks waits.
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { flight?.waiting[number] = $0 }
    } onCancel: {
      Task { await self.leave(number) }
    }.get()
  }

  /// Takes a number for who waits for the fetch that is under way, or for a new one.
  private func join() -> Int {
    numbers += 1
    if flight == nil {
      let number = numbers
      flight = Flight(
        number: number,
        task: Task { [source, grant] in
          do throws(TransportFault) {
            land(number, .success(try await source.fetch(grant)))
          } catch {
            land(number, .failure(error))
          }
        })
    }
    return numbers
  }

  /// Who is cancelled waits no longer. The fetch goes on for as long as somebody waits for it.
  private func leave(_ number: Int) {
    guard let waiting = flight?.waiting.removeValue(forKey: number) else { return }
    waiting.resume(returning: .failure(TransportFault(.cancelled, url: grant.url, problem: "cancelled")))
    guard let flight, flight.waiting.isEmpty else { return }
    flight.task.cancel()
    self.flight = nil
  }

  private func land(_ number: Int, _ result: Outcome) {
    guard let flight, flight.number == number else { return }
    self.flight = nil
    switch result {
    case .success(let token): self.token = token
    case .failure(let fault): if fault.kind == .refused { refusal = fault }
    }
    for waiting in flight.waiting.values { waiting.resume(returning: result) }
  }
}
