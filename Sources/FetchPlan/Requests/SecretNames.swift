// Texts from a server may hold secrets that it was sent. Written down, they hold their names instead.

import JSONText
import Wire

/// The secrets that a job names, for texts that another process will read.
struct SecretNames: Sendable {
  /// What stands in a text, and what is written instead; the longest first.
  private let forms: [(value: [UInt8], spelling: [UInt8])]
  private let secrets: SecretStore

  /// - Parameters:
  ///   - values: secrets by their names (`env.KEY`), which another process that reads the same spec gives them too.
  ///   - secrets: everything that may not be seen in what is written.
  init(_ values: [String: String], secrets: SecretStore) {
    var forms: [(value: [UInt8], spelling: [UInt8])] = []
    for (name, value) in values where !value.isEmpty {
      forms.append((Array(value.utf8), Array("${\(name)}".utf8)))
      // Also where it needs no encoding: the value that another process finds may.
      forms.append((Array(value.percentEncoded.utf8), Array("${\(name)%}".utf8)))
    }
    self.forms = forms.sorted { ($1.value.count, $0.spelling.count) < ($0.value.count, $1.spelling.count) }
    self.secrets = secrets
  }

  /// The text with `${env.NAME}` for the values, `${env.NAME%}` where they are percent-encoded. Nil where that would not
  /// be enough to hide what is secret, or could be mistaken for what the server said.
  func hiding(_ text: String) -> String? {
    guard !text.contains("${env."), !text.contains("${auth.") else { return nil }
    let hidden = Self.replacing(forms.map { ($0.value, $0.spelling) }, in: text)
    return secrets.redacting(hidden) == hidden ? hidden : nil
  }

  /// The text that was hidden.
  func revealing(_ text: String) -> Redactable {
    let shown = Self.replacing(forms.map { ($0.spelling, Array("***".utf8)) }, in: text)
    return Redactable(Self.replacing(forms.map { ($0.spelling, $0.value) }, in: text), redacted: shown)
  }

  /// In one pass: what was put in is not looked at again.
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
