// The only place that knows every secret of a run, including secrets that arrive during the run.

import Primitives
import Synchronization

/// Every secret value of a run, to redact texts from outside such as bodies and system messages.
///
/// All code that prints shares the store, so a new token is redacted everywhere from the moment it arrives.
package final class SecretStore: Sendable {
  private let known: Locked<SecretMatcher>

  package init(_ values: [String] = []) {
    known = Locked(SecretMatcher(values))
  }

  /// The secrets that are known now.
  package var current: SecretMatcher { known.withLock { $0 } }
  package var values: [String] { current.values }

  package func insert(_ value: String) {
    known.withLock { $0.insert(value) }
  }

  /// Adds the value of a cookie: only the last ones stay known.
  package func insertPassing(_ value: String, of name: String) {
    known.withLock { $0.insertPassing(value, of: name) }
  }

  /// Redacts a text: see `SecretMatcher`.
  package func redacting(_ text: String, isCut: Bool = false) -> String {
    known.withLock { $0.values.isEmpty } ? text : current.redacting(text, isCut: isCut)
  }
  package func isShown(in piece: String) -> Bool { current.isShown(in: piece) }
}

extension String {
  /// True for a short word or a short number, which is a setting and no secret.
  package var isSetting: Bool { utf8.count < 8 && (allSatisfy(\.isLetter) || allSatisfy(\.isNumber)) }
}

// A text with secrets, and its redacted form for messages.

/// A text that may hold secrets: the form that is sent, and the form that is shown with `***` for each secret.
package struct Redactable: Hashable, Sendable {
  /// The text with its secrets, for requests and records only.
  package var text: String
  /// The redacted text; nil if it is the text itself. (A copy of the text would make each `+=` copy all of it.)
  private var masked: String?

  package init(_ text: String, redacted: String? = nil) {
    self.text = text
    masked = redacted == text ? nil : redacted
  }

  /// Returns a value that is a secret as a whole.
  package static func secret(_ text: String) -> Redactable { Redactable(text, redacted: "***") }

  /// The text without its secrets, for every use besides requests and records.
  package var redacted: String {
    get { masked ?? text }
    set { masked = newValue == text ? nil : newValue }
  }

  /// True if the text holds a secret.
  package var isSecret: Bool { masked != nil }

  package static func += (a: inout Redactable, b: Redactable) {
    if a.masked == nil, b.isSecret { a.masked = a.text }
    a.masked?.append(b.redacted)
    a.text += b.text
  }
}

// Which token a request was sent with, for a server that refuses it in an answer that only the job understands.

/// The token of the last attempt of a request, and the one that the server has refused.
package final class TokenTrace: Sendable, Hashable {
  private struct State {
    var used: String?
    var refused: String?
  }

  private let state = Mutex(State())

  package init() {}

  /// Remembers the token of an attempt.
  package func use(_ token: String) { state.withLock { $0.used = token } }

  /// The token that the next attempt must not have.
  package var refused: String? { state.withLock { $0.refused } }

  /// Refuses the token of the last attempt; false if none was sent, or if one was refused before.
  package func refuse() -> Bool {
    state.withLock { state in
      guard state.refused == nil, let used = state.used else { return false }
      state.refused = used
      return true
    }
  }

  package static func == (a: TokenTrace, b: TokenTrace) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
