// The token in the answer to a request for one.

import JSONText
import Wire

/// The body of a successful answer.
struct TokenAnswer {
  /// Nil if the body is no JSON.
  let json: JSONValue?
  let bytes: [UInt8]
  let fields: HTTPFields
  let url: Redactable
  let secrets: SecretStore

  /// Returns the refresh token that replaces the one that was sent (RFC 6749 §6); nil if there is none.
  func refreshToken(of grant: TokenGrant) -> String? {
    let token =
      switch grant.kind {
      case .oauth2: json?[["refresh_token"]]?.string
      case .login(let login): login.refresh.flatMap { text(at: $0.next) }
      }
    return token.flatMap { $0.isEmpty ? nil : $0 }
  }

  func token(of grant: TokenGrant, now: Duration) throws(TransportError) -> Token {
    switch grant.kind {
    case .oauth2: try oauth2Token(takesBearerOnly: grant.takesBearerOnly, now: now)
    case .login(let login): Token(text: try usable(loginToken(login)), renewal: nil)
    }
  }

  /// Returns the token of RFC 6749 §5.1.
  private func oauth2Token(takesBearerOnly: Bool, now: Duration) throws(TransportError) -> Token {
    guard let text = json?[["access_token"]]?.string, !text.isEmpty else {
      throw fault("no token was given: \(excuse ?? lacking("no text at 'access_token'"))")
    }
    secrets.insert(text)
    let type = json?[["token_type"]]?.string ?? "bearer"
    guard !takesBearerOnly || type.lowercased() == "bearer" else {
      throw fault(
        "the token is of the type '\(secrets.redacting(type).prefix(40))'; only 'bearer' is sent without 'as' in 'oauth2'"
      )
    }
    return Token(text: try usable(text), renewal: renewal(now: now))
  }

  private func loginToken(_ login: LoginGrant) throws(TransportError) -> String {
    let path = JSONPath(login.token)
    guard let text = text(at: login.token), !text.isEmpty else {
      let isInBody = login.token.first == "body"
      let what = isInBody ? lacking("no text at '\(path)'") : "the answer has nothing at '\(path)'"
      throw fault("no token was given: \(what); see 'token' of 'login'")
    }
    secrets.insert(text)
    return text
  }

  /// Returns the text at a path that begins with `body`, `headers` or `cookies`.
  private func text(at path: [String]) -> String? {
    switch path.first {
    case "headers", "cookies": return textInHead(path)
    case "body" where path.count == 1: return bareToken
    default:
      let found = json?[JSONPath(Array(path.dropFirst()))]
      // Some servers number their sessions.
      return found?.string ?? (found?.kind == .number ? found?.text : nil)
    }
  }

  /// The text that is the whole body: in JSON, or as it is.
  private var bareToken: String? {
    if let json { return json.string ?? (json.kind == .number ? json.text : nil) }
    let text = String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace)
    // A page that asks for the login again is no token.
    return text.hasPrefix("<") ? nil : text.split(whereSeparator: \.isNewline).first.map(String.init)
  }

  private func textInHead(_ path: [String]) -> String? {
    let name = path.last ?? ""
    switch path.first {
    case "headers": return fields[name]
    case "cookies": return cookie(named: name)
    default: return nil
    }
  }

  /// Reports that a header field or a cookie of the answer has the token of a login.
  func hasTokenInHead(of grant: TokenGrant) -> Bool {
    guard case .login(let login) = grant.kind else { return false }
    return textInHead(login.token)?.isEmpty == false
  }

  /// Returns the value of a cookie that the answer sets (RFC 6265 §4.1).
  private func cookie(named name: String) -> String? {
    fields.values(of: "Set-Cookie").lazy.compactMap { field in
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return pair.count == 2 && pair[0] == name ? String(pair[1]) : nil
    }.first
  }

  /// Returns a sentence about an answer without a token, with the members that it has.
  private func lacking(_ what: String) -> String {
    guard let json else { return "the answer is no JSON" }
    let names = json.members.prefix(10).map { "'\(secrets.redacting($0.name))'" }
    return "the answer has \(what)" + (names.isEmpty ? "" : ", but " + names.joined(separator: ", "))
  }

  private func usable(_ text: String) throws(TransportError) -> String {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw fault("the token holds characters that no header can hold")
    }
    return text
  }

  private func fault(_ problem: String) -> TransportError { TransportError(.refused, url: url, problem: problem) }

  /// The error that some servers send with status 200, though RFC 6749 §5.2 asks for 400.
  private var excuse: String? {
    let words = [json?[["error"]]?.string, json?[["error_description"]]?.string].compactMap { $0 }
    return words.isEmpty ? nil : String(secrets.redacting(words.joined(separator: ", ")).prefix(300))
  }

  /// Returns the renewal time: nine tenths of the lifetime, so that no request is in progress when the token expires.
  ///
  /// Some servers send the number as text.
  private func renewal(now: Duration) -> Duration? {
    let life = json?[["expires_in"]]
    guard let seconds = Double(life?.string ?? life?.text ?? ""), seconds.isFinite else { return nil }
    return now + .seconds(max(0, min(seconds, 1e9)) * 0.9)
  }
}

/// A token, and the time at which to renew it.
struct Token: Sendable, Hashable {
  let text: String
  /// Time of the renewal on the run's clock; nil if the server named no lifetime.
  let renewal: Duration?
}

// The error for an answer that gives no token (RFC 6749 §5.2).

struct TokenRefusal {
  let status: Int
  /// Start of the body, redacted.
  let body: String
  let grant: TokenGrant.Kind

  /// Returns the error.
  ///
  /// A temporary status is not a refusal.
  func error(at url: Redactable) -> TransportError {
    let kind: TransportError.Kind = (400...499).contains(status) ? .refused : .other
    let subject =
      switch grant {
      case .oauth2: TransportError.tokenEndpoint
      case .login: TransportError.login
      }
    return TransportError(
      kind, url: url, problem: ([subject] + remedies).joined(separator: "; "),
      answer: .init(status: status, body: body))
  }

  private var remedies: [String] {
    switch (status, grant) {
    case (404, .oauth2), (405, .oauth2), (410, .oauth2), (300...399, .oauth2):
      ["see whether 'tokenUrl' of 'oauth2' is right"]
    case (404, .login), (405, .login), (410, .login), (300...399, .login):
      ["see whether 'endpoint' and 'method' of 'login' are right"]
    case (408, _), (425, _), (429, _), (500..., _): []
    case (_, .oauth2(let oauth2)): [remedy(oauth2)] + clientRemedy(oauth2)
    case (_, .login(let login)):
      switch (login.contentType == "application/json", login.fields.isEmpty) {
      case (true, true): ["see 'body' of 'login'"]
      case (false, true): ["see 'form' or 'body' of 'login'"]
      case (true, false): ["see 'body' or 'headers' of 'login'"]
      case (false, false): ["see 'form', 'body' or 'headers' of 'login'"]
      }
    }
  }

  private func remedy(_ oauth2: OAuth2Grant) -> String {
    if oauth2.deviceURL != nil, body.contains("invalid_grant") {
      return "the user must log in again: run 'pagecat login SPEC --tokens FILE'"
    }
    if oauth2.refresh != nil, body.contains("invalid_grant") {
      return
        "the refresh token has expired, was revoked, or was replaced by a newer one: get a new one for 'refreshToken'"
    }
    if oauth2.claims != nil { return "see 'key', 'iss', 'sub', 'aud' and 'scope' of 'jwt', and this machine's clock" }
    let last = oauth2.refresh == nil ? "'scope'" : "'refreshToken'"
    return "see 'clientId'\(oauth2.secret == nil ? "" : ", 'clientSecret'") and \(last) of 'oauth2'"
  }

  /// Returns the way to send id and secret, if the server did not know the client: some servers accept only one of two
  /// ways.
  private func clientRemedy(_ oauth2: OAuth2Grant) -> [String] {
    guard oauth2.secret != nil, status == 401 || body.lowercased().contains("client") else { return [] }
    let (used, other) = oauth2.isInBody ? ("body", "basic") : ("basic", "body")
    return ["they were sent with 'send: \(used)', and some servers want 'send: \(other)'"]
  }
}
