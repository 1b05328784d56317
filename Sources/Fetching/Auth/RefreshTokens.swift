// The refresh tokens of a run. A server may replace one with each answer (RFC 6749 §6).

import Wire

/// Gives the newest refresh token of each grant, and lets one request a time use it.
actor RefreshTokens {
  /// What a refresh token belongs to, whatever scope is asked for with it.
  struct Holder: Hashable, Sendable {
    let url: String
    let id: String
    /// Refresh token of the spec.
    let first: String

    /// Nil for a grant without a refresh token.
    init?(_ grant: TokenGrant) {
      guard let refresh = grant.oauth2.refresh else { return nil }
      (url, id, first) = (grant.url.text, grant.oauth2.id, refresh)
    }
  }

  private let secrets: SecretStore
  private let warn: @Sendable (String) -> Void
  private var newest: [Holder: String] = [:]
  /// The last request in line, by the token that it uses.
  private var last: [Holder: Task<Void, Never>] = [:]

  /// - Parameter warn: receives a warning about a token that is lost with the run.
  init(secrets: SecretStore, warn: @escaping @Sendable (String) -> Void) {
    self.secrets = secrets
    self.warn = warn
  }

  /// Makes a request with the newest refresh token, after all earlier requests that use it.
  ///
  /// A server may revoke all tokens of a user whose replaced token is used once more.
  func inTurn<Answer: Sendable>(
    _ holder: Holder, _ request: @escaping @Sendable (String) async -> Answer
  ) async -> Answer {
    let before = last[holder]
    let task = Task {
      await before?.value
      return await request(newest(of: holder))
    }
    last[holder] = Task { _ = await task.value }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func newest(of holder: Holder) -> String { newest[holder] ?? holder.first }

  /// Takes the refresh token of an answer, if it has another one than the request.
  func take(_ token: String, for holder: Holder, from url: Redactable) {
    guard token != newest(of: holder) else { return }
    secrets.insert(token)
    let isFirst = newest.updateValue(token, forKey: holder) == nil
    guard isFirst else { return }
    warn(
      "\(url.redacted) has replaced the refresh token, and the new one is lost with this run: the next run is refused if "
        + "the old one can be used once only")
  }
}
