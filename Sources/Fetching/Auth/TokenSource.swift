// One request for a token, with its retries.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Files
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
        guard refresh != "" else {
          throw TransportError(.refused, url: grant.url, problem: "no user has logged in: see 'pagecat login'")
        }
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
      reply = try await transport.send(try signed(request, grant))
      while let bytes = try await reply.body.next() {
        body += bytes
        reply.exchange?.update { $0.bytes += bytes.count }
      }
    } catch {
      throw AttemptError(error, error.mayPass ? .passing : .lasting)
    }
    let answer = TokenAnswer(
      json: try? JSONValue(parsing: body), bytes: body, fields: reply.head.fields, url: request.url, secrets: secrets)
    // Many forms answer with a cookie and a redirect, which is not followed.
    let isAnswer =
      (200...299).contains(reply.head.status)
      || (300...399).contains(reply.head.status) && answer.hasTokenInHead(of: grant)
    guard isAnswer else {
      // Redact before cutting: a search does not find half a secret.
      let text = secrets.redacting(String(decoding: body.prefix(8_192), as: UTF8.self), isCut: body.count > 8_192)
      let refusal = TokenRefusal(status: reply.head.status, body: text, grant: grant.kind)
      throw AttemptError(refusal.error(at: request.url), .status(reply.head, body: text))
    }
    do {
      let refresh = answer.refreshToken(of: grant)
      let holder = RefreshTokenHolder(grant)
      if let holder, let refresh { try await refreshTokens.take(refresh, for: holder, from: grant.url) }
      let token = try answer.token(of: grant, now: clock.now)
      if refresh == nil, let holder, case .login(let login) = grant.kind, let next = login.refresh?.next {
        await refreshTokens.miss(at: next, for: holder, from: grant.url)
      }
      return token
    } catch {
      throw AttemptError(error, .lasting)
    }
  }
}

// The assertion of a service account (RFC 7523), which is signed anew for each attempt: it is valid for minutes.

extension TokenSource {
  /// Returns the request with a service account's assertion, if the grant needs one.
  private func signed(_ request: Request, _ grant: TokenGrant) throws(TransportError) -> Request {
    guard case .oauth2(let oauth2) = grant.kind, let claims = oauth2.claims else { return request }
    let assertion: String
    do {
      assertion = try AccountKey(path: claims.keyPath).assertion(claims, at: Int(clock.unixTime))
    } catch {
      throw TransportError(.refused, url: grant.url, problem: "'key' of 'jwt': \(error.problem)")
    }
    secrets.insert(assertion)
    for part in assertion.split(separator: ".").dropFirst() { secrets.insert(String(part)) }
    var request = request
    request.body = OAuth2Grant.form(oauth2.members(refreshingWith: nil, asserting: assertion))
    return request
  }
}

/// The private key of a service account, and what its file says of the account.
///
/// No message quotes the file.
package struct AccountKey {
  /// The reason why a key can't be used, with the file's name.
  package struct Fault: Error {
    package let problem: String
  }

  private let pem: [UInt8]
  private let path: String
  /// `private_key_id` and `client_email` of a JSON key.
  private let id: String?
  package let account: String?

  /// Size of the largest file; a key of 16,384 bits has 13 KB.
  private static let mostBytes = 64 << 10
  /// The number of RSA keys in PKCS #8, 1.2.840.113549.1.1.1.
  private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
  /// Seconds for which an assertion is valid: most servers allow five minutes or more.
  private static let life = 300

  /// Reads the key from a file in PEM, or in the JSON form of Google.
  package init(path: String) throws(Fault) {
    let name = "'\(path)'"
    let file = try Self.contents(of: path)
    let json = try? JSONValue(parsing: file)
    let text = json.map { $0["private_key"]?.string ?? "" } ?? String(decoding: file, as: UTF8.self)
    guard let start = text.firstRange(of: "-----BEGIN "), text.contains("PRIVATE KEY-----") else {
      let form = json == nil ? "no private key in PEM ('-----BEGIN PRIVATE KEY-----')" : "no 'private_key' in PEM"
      throw Fault(problem: "\(name) has \(form)")
    }
    guard !text.contains("ENCRYPTED") else {
      throw Fault(
        problem: "the private key in \(name) is encrypted: write it without a passphrase, e.g. with 'openssl pkey', "
          + "and let only yourself read it")
    }
    let lines = text[start.lowerBound...].split { $0.isNewline }.dropFirst().prefix { !$0.hasPrefix("-----END") }
    let der = Data(base64Encoded: lines.joined()) ?? Data()
    guard text.contains("BEGIN RSA PRIVATE KEY") || der.firstRange(of: Self.rsa) != nil else {
      throw Fault(problem: "\(name) has no RSA key, which RS256 needs: give one, as 'openssl genrsa' makes it")
    }
    self.path = path
    pem = Array(text.utf8)
    id = json?["private_key_id"]?.string
    account = json?["client_email"]?.string
  }

  private static func contents(of path: String) throws(Fault) -> [UInt8] {
    let name = "'\(path)'"
    do throws(FileError) {
      let metadata = try OutputPath.metadata(of: path, calls: .system)
      guard metadata?.kind ?? .regular == .regular else { throw .failed("\(name) is not a regular file") }
      let file = try AtomicFile.contents(of: OutputPath(path), calls: .system, upTo: mostBytes + 1)
      guard let file else { throw .failed("there is no file \(name)") }
      guard file.count <= mostBytes else { throw .failed("\(name) has more than \(mostBytes >> 10) KB") }
      return file
    } catch {
      throw Fault(problem: error.problem)
    }
  }

  /// Returns the claims as a signed JSON Web Token (RFC 7515 §3.1).
  ///
  /// - Parameter now: Unix seconds.
  package func assertion(_ claims: AccountClaims, at now: Int) throws(Fault) -> String {
    let head = [("alg", "RS256"), ("typ", "JWT")] + (id.map { [("kid", $0)] } ?? [])
    let body = JSONValue(
      members: claims.members(of: account).map { ($0.name, JSONValue($0.value)) }
        + [("iat", JSONValue(now)), ("exp", JSONValue(now + Self.life))])
    let parts = [JSONValue(members: head.map { ($0.0, JSONValue($0.1)) }), body]
    let text = parts.map { Array($0.text.utf8).base64URL }.joined(separator: ".")
    do {
      let signature = try CurlLibrary.system.get().signature(of: Array(text.utf8), pem: pem)
      return "\(text).\(signature.base64URL)"
    } catch let fault as CurlLibrary.SigningFault {
      throw Fault(problem: "'\(path)' \(fault.problem)")
    } catch {
      throw Fault(problem: (error as? CurlLibrary.Missing)?.problem ?? "libcurl can't be loaded")
    }
  }
}

extension [UInt8] {
  /// The bytes in base64url (RFC 7515 §2).
  fileprivate var base64URL: String {
    String(
      Data(self).base64EncodedString().compactMap { character -> Character? in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
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
    switch kind {
    case .oauth2(let oauth2): return self.request(oauth2.members(refreshingWith: refresh), of: oauth2, to: url, secrets)
    case .login(let login):
      let token = refresh ?? ""
      let body = login.body { $0 == .form ? token.formEncoded : String(JSONValue(token).text.dropFirst().dropLast()) }
      var request = request(to: url, body, type: login.contentType)
      request.method = login.method
      for name in login.removedFields { request.fields.remove(name) }
      return request.setting(login.fields(refreshingWith: token))
    }
  }

  /// Returns a request of an OAuth client with a form.
  func request(
    _ members: [OAuth2Grant.Member], of client: OAuth2Grant, to url: Redactable, _ secrets: SecretStore
  ) -> Request {
    let type = "application/x-www-form-urlencoded"
    let proof = client.isInBody ? nil : client.basic(secrets)
    return request(to: url, OAuth2Grant.form(members), type: type, authorization: proof)
  }

  private func request(
    to url: Redactable, _ body: RequestBody?, type: String?, authorization: Redactable? = nil
  ) -> Request {
    var request = Request(method: "POST", url: url, timeout: timeout, retry: retry)
    request.body = body
    request.fields = HTTPFields([.init(name: "Accept", value: Redactable("application/json"))])
    if let type { request.fields.append("Content-Type", Redactable(type)) }
    if let authorization { request.fields.append("Authorization", authorization) }
    if let userAgent { request.fields.append("User-Agent", userAgent) }
    request.tlsFiles = tlsFiles
    request.socket = socket
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
