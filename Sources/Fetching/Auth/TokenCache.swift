// Where tokens come from: OAuth 2.0 client credentials (RFC 6749 §4.4).

import Synchronization
import Wire

/// Hands out one token to all who ask, and fetches it once, however many they are.
actor TokenCache {
  private typealias Outcome = Result<Token, TransportError>

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
  private var refusal: TransportError?
  private var flight: Flight?
  private var numbers = 0

  init(_ grant: TokenGrant, _ source: TokenSource) {
    self.grant = grant
    self.source = source
  }

  /// - Parameter refused: a token that a server did not accept.
  func token(insteadOf refused: Token? = nil) async throws(TransportError) -> Token {
    if let token, token != refused, !source.isDue(token) { return token }
    if let refusal { throw refusal }
    // Who has been given up begins no fetch for nobody.
    if Task.isCancelled { throw TransportError(.cancelled, url: grant.url, problem: "the request was cancelled") }
    let number = subscribe()
    // The flight is still there: the actor does nothing else before who asks waits.
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { flight?.waiting[number] = $0 }
    } onCancel: {
      Task { await self.unsubscribe(number) }
    }.get()
  }

  /// Takes a number for who waits for the fetch that is under way, or for a new one.
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

  /// Who is cancelled waits no longer. The fetch goes on for as long as somebody waits for it.
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
