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

  /// Adds the cookies of a response, which are secrets as well (RFC 6265 §8.3).
  ///
  /// Short words and numbers are settings, not secrets; they would redact half of every message.
  package func insertCookies(of fields: HTTPFields) {
    for cookie in fields.values(of: "Set-Cookie") {
      let pair = cookie.prefix { $0 != ";" }
      guard let mark = pair.firstIndex(of: "=") else { continue }
      let value = pair[pair.index(after: mark)...].filter { $0 != "\"" && $0 != " " }
      if !value.isSetting { insert(value) }
    }
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
