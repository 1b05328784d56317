// Names in place of secrets, for texts that are written to disk: a server's text may repeat the secrets that it got.

import JSONText
import Wire

/// The named secrets of a job, for texts that another process will read.
struct SecretNames: Sendable {
  /// Values and the spellings that replace them, the longest value first.
  private let forms: [(value: [UInt8], spelling: [UInt8])]
  let secrets: SecretStore

  /// Creates the table of names.
  ///
  /// - Parameters:
  ///   - values: secrets by their names (`env.KEY`); another process that reads the same spec uses the same names.
  ///   - secrets: all secrets that a written text must not show.
  init(_ values: [String: String], secrets: SecretStore) {
    var forms: [(value: [UInt8], spelling: [UInt8])] = []
    for (name, value) in values where !value.isEmpty {
      forms.append((Array(value.utf8), Array("${\(name)}".utf8)))
      // Even if this value needs no encoding, the value in another process may.
      forms.append((Array(value.percentEncoded.utf8), Array("${\(name)%}".utf8)))
    }
    self.forms = forms.sorted { ($1.value.count, $0.spelling.count) < ($0.value.count, $1.spelling.count) }
    self.secrets = secrets
  }

  /// Returns the text with `${env.NAME}` for each value, or `${env.NAME%}` if the value is percent-encoded.
  ///
  /// Nil if a secret remains, or if the result could be confused with the server's own text.
  func hiding(_ text: String) -> String? {
    guard !text.contains("${env."), !text.contains("${auth.") else { return nil }
    let hidden = Self.replacing(forms.map { ($0.value, $0.spelling) }, in: text)
    return secrets.redacting(hidden) == hidden ? hidden : nil
  }

  /// Returns the original text.
  func revealing(_ text: String) -> Redactable {
    let shown = Self.replacing(forms.map { ($0.spelling, Array("***".utf8)) }, in: text)
    return Redactable(Self.replacing(forms.map { ($0.spelling, $0.value) }, in: text), redacted: shown)
  }

  /// Replaces in one pass, so that inserted text is not searched again.
  private static func replacing(_ pairs: [(old: [UInt8], new: [UInt8])], in text: String) -> String {
    var rest = Array(text.utf8)[...]
    var replaced: [UInt8] = []
    while let byte = rest.first {
      if let pair = pairs.first(where: { rest.starts(with: $0.old) }) {
        replaced += pair.new
        rest = rest.dropFirst(pair.old.count)
      } else {
        replaced.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: replaced, as: UTF8.self)
  }
}
