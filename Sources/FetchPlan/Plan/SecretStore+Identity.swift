// Secrets in texts that are compared with those of another run.

import JSONText
package import Wire

extension SecretStore {
  /// Redacts a text that is compared with that of another run; a redacted text is followed by its short fingerprint.
  package func identity(of text: String) -> String {
    let redacted = redacting(text)
    return redacted == text ? text : "\(redacted) (\(text.shortFingerprint))"
  }
}

extension String {
  /// 16 bits of a hash: enough to notice another value, and too few to find a secret.
  package var shortFingerprint: Int { Array(utf8).fingerprint & 0xFFFF }
}
