// One request for a token, and the interpretation of its reply.

import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    let request = request(for: grant, refreshingWith: refresh)
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

  private func request(for grant: TokenGrant, refreshingWith refresh: String?) -> Request {
    var fields = HTTPFields([
      .init(name: "Accept", value: Redactable("application/json")),
      .init(name: "Content-Type", value: Redactable("application/x-www-form-urlencoded")),
    ])
    if !grant.oauth2.isInBody { fields.append("Authorization", basic(grant.oauth2)) }
    if let userAgent = grant.userAgent { fields.append("User-Agent", userAgent) }
    let members = grant.oauth2.members(refreshingWith: refresh)
    func form(_ value: (OAuth2Grant.Member) -> String) -> String {
      members.map { "\($0.name.formEncoded)=\(value($0))" }.joined(separator: "&")
    }
    let body = Request.Body(
      bytes: Array(form(\.value.text.formEncoded).utf8),
      redacted: form { $0.value.isSecret ? "***" : $0.value.text.formEncoded })
    var request = Request(
      method: "POST", url: grant.url, fields: fields, body: body, timeout: grant.timeout, bodyLimit: Self.bodyLimit,
      retry: grant.retry)
    request.hidesReply = true
    return request
  }

  /// Returns HTTP Basic, with id and secret encoded as in a form (RFC 6749 §2.3.1).
  private func basic(_ oauth2: OAuth2Grant) -> Redactable {
    let pair = "\(oauth2.id.formEncoded):\((oauth2.secret ?? "").formEncoded)"
    let encoded = Data(pair.utf8).base64EncodedString()
    secrets.insert(encoded)
    return .secret("Basic \(encoded)")
  }

  private func attempt(
    _ request: Request, _ grant: TokenGrant
  ) async throws(AttemptError<TransportError>) -> Token {
    let reply: Reply
    var body: [UInt8] = []
    do {
      reply = try await transport.send(request)
      while let bytes = try await reply.body.next() { body += bytes }
    } catch {
      throw AttemptError(error, error.mayPass ? .passing : .lasting)
    }
    guard (200...299).contains(reply.head.status) else {
      // Redact before cutting: a search does not find half a secret.
      let text = secrets.redacting(String(decoding: body.prefix(8_192), as: UTF8.self), isCut: body.count > 8_192)
      let refusal = TokenRefusal(status: reply.head.status, body: text, grant: grant.oauth2)
      throw AttemptError(refusal.error(at: request.url), .status(reply.head, body: text))
    }
    let answer = try? JSONValue(parsing: body)
    if let holder = RefreshTokenHolder(grant), let refresh = answer?[["refresh_token"]]?.string, !refresh.isEmpty {
      do {
        try await refreshTokens.take(refresh, for: holder, from: grant.url)
      } catch {
        throw AttemptError(error, .lasting)
      }
    }
    do {
      return try token(in: answer, of: request)
    } catch {
      throw AttemptError(error, .lasting)
    }
  }

  /// Returns the token of a successful reply (RFC 6749 §5.1).
  private func token(in answer: JSONValue?, of request: Request) throws(TransportError) -> Token {
    func fault(_ problem: String) -> TransportError { TransportError(.refused, url: request.url, problem: problem) }
    guard let text = answer?[["access_token"]]?.string, !text.isEmpty else {
      throw fault("no token was given: \(excuse(answer) ?? "the answer is no JSON with an 'access_token'")")
    }
    secrets.insert(text)
    let type = answer?[["token_type"]]?.string ?? "bearer"
    guard type.lowercased() == "bearer" else {
      throw fault("the token is of the type '\(secrets.redacting(type).prefix(40))'; only 'bearer' can be used")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw fault("the token holds characters that no header can hold")
    }
    return Token(text: text, renewal: renewal(answer?[["expires_in"]]))
  }

  /// Returns the error that some servers send with status 200, though RFC 6749 §5.2 asks for 400.
  private func excuse(_ answer: JSONValue?) -> String? {
    let words = [answer?[["error"]]?.string, answer?[["error_description"]]?.string].compactMap { $0 }
    return words.isEmpty ? nil : String(secrets.redacting(words.joined(separator: ", ")).prefix(300))
  }

  /// Returns the renewal time: nine tenths of the lifetime, so that no request is in progress when the token expires.
  ///
  /// Some servers send the number as text.
  private func renewal(_ life: JSONValue?) -> Duration? {
    guard let seconds = Double(life?.string ?? life?.text ?? ""), seconds.isFinite else { return nil }
    return clock.now + .seconds(max(0, min(seconds, 1e9)) * 0.9)
  }
}

extension String {
  /// The text encoded as in a form (application/x-www-form-urlencoded), with `+` for a space.
  fileprivate var formEncoded: String {
    percentEncoded.split(separator: "%20", omittingEmptySubsequences: false).joined(separator: "+")
  }
}
