// A text with secrets in it, beside what a message may show of it.

/// A text that may hold secrets: what is sent, and what is shown (`***` where a secret was put in).
package struct Redactable: Hashable, Sendable {
  /// With its secrets: for requests and records only.
  package var text: String
  /// Without: for everything else.
  package var redacted: String

  package init(_ text: String, redacted: String? = nil) {
    self.text = text
    self.redacted = redacted ?? text
  }

  /// A value that is a secret as a whole.
  package static func secret(_ text: String) -> Redactable { Redactable(text, redacted: "***") }

  /// Whether it holds a secret.
  package var isSecret: Bool { text != redacted }

  package static func += (a: inout Redactable, b: Redactable) {
    let isPlain = !a.isSecret && !b.isSecret
    a.text += b.text
    if isPlain { a.redacted = a.text } else { a.redacted += b.redacted }
  }
}
