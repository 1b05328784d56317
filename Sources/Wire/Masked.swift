// A text with secrets in it, beside what a message may show of it.

/// A text that may hold secrets: what is sent, and what is shown (`***` where a secret was put in).
package struct Masked: Hashable, Sendable {
  /// With its secrets: for requests and records only.
  package var text: String
  /// Without: for everything else.
  package var shown: String

  package init(_ text: String, shown: String? = nil) {
    self.text = text
    self.shown = shown ?? text
  }

  /// A value that is a secret as a whole.
  package static func secret(_ text: String) -> Masked { Masked(text, shown: "***") }

  /// Whether it holds a secret.
  package var isSecret: Bool { text != shown }

  package static func += (a: inout Masked, b: Masked) {
    let isPlain = !a.isSecret && !b.isSecret
    a.text += b.text
    if isPlain { a.shown = a.text } else { a.shown += b.shown }
  }
}
