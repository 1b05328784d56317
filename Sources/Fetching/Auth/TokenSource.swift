// One request for a token, with its retries.

import JSONText
import Wire

struct TokenSource: Sendable {
  let transport: any HTTPTransport
  let retrier: Retrier
  let clock: any FetchClock
  let secrets: SecretStore
  let refreshTokens: RefreshTokens

  /// Limit for the body of a token reply, in bytes.
  private static let bodyLimit = 1 << 20

  /// Reports that it is time to renew the token.
  func isDue(_ token: Token) -> Bool { token.renewal.map { clock.now >= $0 } ?? false }

  /// Requests a token, with retries, until the server gives or refuses one.
  func fetch(_ grant: TokenGrant) async throws(TransportError) -> Token {
    guard let holder = RefreshTokenHolder(grant) else { return try await fetch(grant, refreshingWith: nil) }
    return try await refreshTokens.inTurn(holder) { refresh in
      do throws(TransportError) {
        return Result<Token, TransportError>.success(try await fetch(grant, refreshingWith: refresh))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private func fetch(_ grant: TokenGrant, refreshingWith refresh: String?) async throws(TransportError) -> Token {
    var request = grant.request(refreshingWith: refresh, secrets)
    request.bodyLimit = Self.bodyLimit
    request.hidesReply = true
    do {
      return try await retrier.fetch(request) { (request) async throws(AttemptError<TransportError>) in
        try await attempt(request, grant)
      }
    } catch {
      switch error {
      case .failed(let fault, let note):
        let problem = note.isEmpty ? fault.problem : "\(fault.problem) (\(note))"
        throw TransportError(fault.kind, url: grant.url, problem: problem, answer: fault.answer)
      case .held(let fault): throw fault
      case .cancelled: throw TransportError(.cancelled, url: grant.url, problem: "the request was cancelled")
      }
    }
  }

  private func attempt(
    _ request: Request, _ grant: TokenGrant
  ) async throws(AttemptError<TransportError>) -> Token {
    let reply: Reply
    var body: [UInt8] = []
    do {
      reply = try await transport.send(request)
      while let bytes = try await reply.body.next() {
        body += bytes
        reply.exchange?.note { $0.bytes += bytes.count }
      }
    } catch {
      throw AttemptError(error, error.mayPass ? .passing : .lasting)
    }
    guard (200...299).contains(reply.head.status) else {
      // Redact before cutting: a search does not find half a secret.
      let text = secrets.redacting(String(decoding: body.prefix(8_192), as: UTF8.self), isCut: body.count > 8_192)
      let refusal = TokenRefusal(status: reply.head.status, body: text, grant: grant.kind)
      throw AttemptError(refusal.error(at: request.url), .status(reply.head, body: text))
    }
    let answer = TokenAnswer(json: try? JSONValue(parsing: body), url: request.url, secrets: secrets)
    do {
      if let holder = RefreshTokenHolder(grant), let refresh = answer.refreshToken {
        try await refreshTokens.take(refresh, for: holder, from: grant.url)
      }
      return try answer.token(of: grant.kind, now: clock.now)
    } catch {
      throw AttemptError(error, .lasting)
    }
  }
}
