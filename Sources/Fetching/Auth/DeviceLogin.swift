// The login of a user on another device (RFC 8628), which gives an account's first refresh token.

import Files
import JSONText
package import Wire

/// What a server asks the user to do.
package struct DevicePrompt: Sendable, Hashable {
  package let code: String
  package let url: String
  /// URL that has the code in it.
  package let completeURL: String?
  /// Time for which the code is valid.
  package let life: Duration
}

/// The wait for a user who logs in, step by step: a value without clock and network.
struct DeviceWait: Sendable, Hashable {
  /// What a request for the token has brought.
  enum Answer: Sendable, Hashable {
    /// The error of RFC 6749 §5.2.
    case error(String)
    /// No answer, or one of a server that can't answer now.
    case none
  }

  enum Step: Sendable, Hashable {
    case asking(after: Duration)
    case ended(String)
  }

  /// Time between two requests.
  private(set) var interval: Duration
  private let end: Duration

  /// The errors of RFC 8628 §3.5, which mean the same with every status.
  static let codes: Set = ["authorization_pending", "slow_down", "expired_token", "access_denied"]

  /// The longest wait after failures.
  private static let longest: Duration = .seconds(60)

  /// - Parameters:
  ///   - interval: seconds between two requests; nil for the 5 of RFC 8628 §3.2.
  ///   - now: the time at which the code came.
  init(interval: Double?, life: Duration, now: Duration) {
    self.interval = .seconds(min(max(interval ?? 5, 1), 3_600))
    end = now + life
  }

  /// Returns the first step.
  func first(now: Duration) -> Step { step(now: now) }

  /// Returns the step after an answer without a token (RFC 8628 §3.5).
  mutating func next(after answer: Answer, now: Duration) -> Step {
    switch answer {
    case .error("authorization_pending"): break
    case .error("slow_down"): interval += .seconds(5)
    case .none: interval = max(interval, min(interval * 2, Self.longest))
    case .error("expired_token"): return .ended(Self.expired)
    case .error("access_denied"):
      return .ended("the user has refused the access: run the command again to ask once more")
    case .error(let name): return .ended("the server gave no token: \(name.prefix(100))")
    }
    return step(now: now)
  }

  private func step(now: Duration) -> Step {
    now < end ? .asking(after: interval) : .ended(Self.expired)
  }

  private static let expired =
    "the code has expired before the user logged in: run the command again for a new one"
}

/// Logs a user in, and keeps the refresh token.
package struct DeviceLogin: Sendable {
  private let transport: any HTTPTransport
  private let clock: any FetchClock
  private let secrets: SecretStore
  private let store: any RefreshTokenStore

  /// Limit for the body of an answer, in bytes.
  private static let bodyLimit = 1 << 20

  /// - Parameters:
  ///   - transport: sends the requests; it must not follow redirects.
  ///   - store: keeps the refresh token.
  package init(
    _ transport: any HTTPTransport, clock: any FetchClock, secrets: SecretStore,
    store: any RefreshTokenStore
  ) {
    (self.transport, self.clock, self.secrets, self.store) = (transport, clock, secrets, store)
  }

  /// Waits until the user has logged in, and keeps the token.
  ///
  /// - Parameter show: receives what the user must do.
  package func run(_ grant: TokenGrant, show: (DevicePrompt) -> Void) async throws(TransportError) {
    guard case .oauth2(let oauth2) = grant.kind, let url = oauth2.deviceURL,
      let holder = RefreshTokenHolder(grant)
    else { return }
    let given = try await answer(
      to: grant.request(oauth2.deviceMembers, of: oauth2, to: url, secrets))
    guard given.isSuccess, let json = given.json, given.error == nil else {
      throw refusal(of: given, "the server gave no code", url, "deviceUrl")
    }
    guard let code = json[["device_code"]]?.string, !code.isEmpty else {
      throw TransportError(
        .refused, url: url, problem: "the answer has no text at 'device_code'; see 'deviceUrl'")
    }
    secrets.insert(code)
    let prompt = try prompt(json, from: url)
    var wait = DeviceWait(interval: json[["interval"]]?.seconds, life: prompt.life, now: clock.now)
    show(prompt)
    var step = wait.first(now: clock.now)
    while true {
      switch step {
      case .ended(let problem): throw TransportError(.refused, url: grant.url, problem: problem)
      case .asking(let time):
        do { try await clock.sleep(for: time) } catch {
          throw TransportError(.cancelled, url: grant.url, problem: "the login was cancelled")
        }
        let members = oauth2.pollMembers(for: code)
        guard
          let answer = try await poll(
            grant.request(members, of: oauth2, to: grant.url, secrets), holder)
        else {
          return
        }
        step = wait.next(after: answer, now: clock.now)
      }
    }
  }

  /// Asks for the token; returns nil once it is kept.
  private func poll(_ request: Request, _ holder: RefreshTokenHolder) async throws(TransportError)
    -> DeviceWait.Answer?
  {
    do { try store.makeRoom() } catch {
      throw TransportError(
        .unsaved, url: request.url, problem: "\(error.problem), so no token was asked for")
    }
    let given: Given
    do {
      given = try await answer(to: request)
    } catch {
      // RFC 8628 §3.5: a client asks less often after a failure of the connection.
      guard error.mayPass else { throw error }
      return DeviceWait.Answer.none
    }
    if let token = given.json?[["access_token"]]?.string { secrets.insert(token) }
    let mayPass = given.status == 429 || given.status >= 500
    // Some servers answer each request with status 200.
    if let error = given.error, !mayPass || DeviceWait.codes.contains(error) {
      return .error(secrets.redacting(error))
    }
    if mayPass { return DeviceWait.Answer.none }
    guard given.isSuccess, let json = given.json, json.kind == .object else {
      throw refusal(of: given, "the server gave no token", request.url, "tokenUrl")
    }
    guard let refresh = json[["refresh_token"]]?.string, !refresh.isEmpty else {
      throw TransportError(
        .refused, url: request.url,
        problem:
          "the server gave no refresh token: add what it wants to 'scope', such as 'offline_access', or to 'with'"
      )
    }
    secrets.insert(refresh)
    do { try store.keep(refresh, for: holder) } catch {
      throw TransportError(.unsaved, url: request.url, problem: error.problem)
    }
    return nil
  }

  /// Returns what the user must do; nothing of it can be a command to a terminal.
  private func prompt(_ json: JSONValue, from url: Redactable) throws(TransportError)
    -> DevicePrompt
  {
    func text(_ name: String) -> String? {
      guard let text = json[[name]]?.string, (1...1_000).contains(text.utf8.count),
        text.unicodeScalars.allSatisfy({
          $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isBidiControl
        })
      else { return nil }
      return text
    }
    func link(_ name: String) -> String? {
      text(name).flatMap {
        $0.lowercased().hasPrefix("https://") || OriginPolicy.mayHoldCredentials($0) ? $0 : nil
      }
    }
    // Google has the other name, from before RFC 8628.
    guard let code = text("user_code"),
      let page = link("verification_uri") ?? link("verification_url")
    else {
      throw TransportError(
        .refused, url: url,
        problem:
          "the answer has no 'user_code', or no https URL at 'verification_uri'; see 'deviceUrl'"
      )
    }
    let life = Duration.seconds(min(max(json[["expires_in"]]?.seconds ?? 900, 1), 86_400))
    return DevicePrompt(
      code: code, url: page, completeURL: link("verification_uri_complete"), life: life)
  }

  private struct Given {
    let status: Int
    let json: JSONValue?
    let text: String

    var isSuccess: Bool { (200...299).contains(status) }

    /// The name of an error (RFC 6749 §5.2); nil if the answer has none.
    var error: String? { json?[["error"]]?.string.flatMap { $0.isEmpty ? nil : $0 } }
  }

  private func answer(to request: Request) async throws(TransportError) -> Given {
    var request = request
    request.bodyLimit = Self.bodyLimit
    request.hidesReply = true
    let reply = try await transport.send(request)
    var body: [UInt8] = []
    while let bytes = try await reply.body.next() {
      body += bytes
      reply.exchange?.update { $0.bytes += bytes.count }
    }
    reply.exchange?.finish()
    // Redact before cutting: a search does not find half a secret.
    let text = secrets.redacting(
      String(decoding: body.prefix(8_192), as: UTF8.self), isCut: body.count > 8_192)
    return Given(status: reply.head.status, json: try? JSONValue(parsing: body), text: text)
  }

  /// Returns the error for an answer that refuses: its error code, or else its status, tells why.
  ///
  /// - Parameter key: the key with the URL.
  private func refusal(of given: Given, _ start: String, _ url: Redactable, _ key: String) -> TransportError {
    let isElsewhere = given.error == nil && (given.isSuccess || [404, 405, 410].contains(given.status))
    let advice =
      isElsewhere || (300...399).contains(given.status)
      ? "see whether '\(key)' of 'oauth2' is right" : "see 'clientId', 'scope' and 'deviceUrl' of 'oauth2'"
    let code = given.error.map { String(secrets.redacting($0).prefix(100)) }
    guard given.isSuccess else {
      return TransportError(
        .refused, url: url, problem: "\(start)\(code.map { " (\($0))" } ?? ""): \(advice)",
        answer: .init(status: given.status, body: given.text))
    }
    // The body of a success may have a token.
    return TransportError(.refused, url: url, problem: "\(start) (\(code ?? "status \(given.status)")): \(advice)")
  }
}

extension JSONValue {
  /// A number of seconds, which some servers send as text.
  fileprivate var seconds: Double? { Double(string ?? text).flatMap { $0.isFinite ? $0 : nil } }
}
