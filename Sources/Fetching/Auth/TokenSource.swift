// One request for a token, with its retries.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import JSONText
import Synchronization
package import Wire

struct TokenSource: Sendable {
  let transport: any HTTPTransport
  let retrier: Retrier
  let clock: any FetchClock
  let secrets: SecretStore
  let memory: TokenMemory
  let refreshTokens: RefreshTokens

  /// Limit for the body of a token reply, in bytes.
  private static let bodyLimit = 1 << 20

  /// Reports that it is time to renew the token.
  func isDue(_ token: Token) -> Bool { token.renewal.map { clock.now >= $0 } ?? false }

  /// Returns the token that this run or another one has fetched, if any.
  func remembered(_ grant: TokenGrant) -> Token? {
    let token = memory[grant]
    if let token { secrets.insert(token.text) }
    return token
  }

  /// Requests a token, with retries, until the server gives or refuses one, unless another run has got one meanwhile.
  ///
  /// - Parameter refused: a token that a server did not accept.
  func fetch(_ grant: TokenGrant, insteadOf refused: String?) async throws(TransportError) -> Token {
    let holder = RefreshTokenHolder(grant)
    return try await memory.inTurn(holder.map { .holder($0) } ?? .grant(grant)) {
      if let token = remembered(grant), token.text != refused, !isDue(token) {
        return Result<Token, TransportError>.success(token)
      }
      do throws(TransportError) {
        let refresh: String? = if let holder { await refreshTokens.newest(of: holder) } else { nil }
        let token = try await fetch(grant, refreshingWith: refresh)
        memory[grant] = token
        return .success(token)
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
        guard refresh != nil else { return try await attempt(request, grant) }
        do throws(TransportError) {
          try await refreshTokens.makeRoom(for: grant.url)
        } catch {
          throw AttemptError(error, .lasting)
        }
        // The server may replace the refresh token as soon as it has the request. So a run that ends waits for the answer.
        let exchange = Task { [request] () -> Result<Token, AttemptError<TransportError>> in
          RefreshExchange.count.add(1, ordering: .relaxed)
          defer { RefreshExchange.count.subtract(1, ordering: .relaxed) }
          do throws(AttemptError<TransportError>) {
            return .success(try await attempt(request, grant))
          } catch {
            return .failure(error)
          }
        }
        return try await exchange.value.get()
      }
    } catch {
      switch error {
      case .failed(let fault, let hint):
        let problem = hint.isEmpty ? fault.problem : "\(fault.problem) (\(hint))"
        var error = TransportError(fault.kind, url: grant.url, problem: problem, answer: fault.answer)
        error.isRetried = true
        throw error
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
        reply.exchange?.update { $0.bytes += bytes.count }
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
    let answer = TokenAnswer(
      json: try? JSONValue(parsing: body), fields: reply.head.fields, url: request.url, secrets: secrets)
    do {
      if let holder = RefreshTokenHolder(grant), let refresh = answer.refreshToken {
        try await refreshTokens.take(refresh, for: holder, from: grant.url)
      }
      return try answer.token(of: grant, now: clock.now)
    } catch {
      throw AttemptError(error, .lasting)
    }
  }
}

/// The exchanges of refresh tokens that are under way in this process.
package enum RefreshExchange {
  fileprivate static let count = Atomic(0)

  package static var isUnderWay: Bool { count.load(ordering: .relaxed) > 0 }
}

// The request for a token.

extension TokenGrant {
  /// Returns the request.
  ///
  /// - Parameter secrets: store to which encoded secrets are added.
  package func request(refreshingWith refresh: String?, _ secrets: SecretStore) -> Request {
    var fields = HTTPFields([.init(name: "Accept", value: Redactable("application/json"))])
    var request = Request(method: "POST", url: url, timeout: timeout, retry: retry)
    switch kind {
    case .oauth2(let oauth2):
      request.body = OAuth2Grant.form(oauth2.members(refreshingWith: refresh))
      fields.append("Content-Type", Redactable("application/x-www-form-urlencoded"))
      if !oauth2.isInBody { fields.append("Authorization", oauth2.basic(secrets)) }
    case .login(let login):
      (request.method, request.body) = (login.method, login.body)
      if let type = login.contentType { fields.append("Content-Type", Redactable(type)) }
    }
    if let userAgent { fields.append("User-Agent", userAgent) }
    request.fields = fields
    request.tlsFiles = tlsFiles
    if case .login(let login) = kind {
      for name in login.removedFields { request.fields.remove(name) }
      request = request.setting(login.fields)
    }
    return request
  }
}

extension OAuth2Grant {
  /// Returns HTTP Basic, with id and secret encoded as in a form (RFC 6749 §2.3.1).
  fileprivate func basic(_ secrets: SecretStore) -> Redactable {
    let encoded = Data("\(id.formEncoded):\((secret ?? "").formEncoded)".utf8).base64EncodedString()
    secrets.insert(encoded)
    return .secret("Basic \(encoded)")
  }
}
