// A text with secrets in it, beside what a message may show of it.

/// A text that may hold secrets: what is sent, and what is shown (`***` where a secret was put in).
package struct Redactable: Hashable, Sendable {
  /// With its secrets: for requests and records only.
  package var text: String
  /// What is shown instead of the text; nil for the text itself. (A copy of the text would make each `+=` copy all of it.)
  private var masked: String?

  package init(_ text: String, redacted: String? = nil) {
    self.text = text
    masked = redacted == text ? nil : redacted
  }

  /// A value that is a secret as a whole.
  package static func secret(_ text: String) -> Redactable { Redactable(text, redacted: "***") }

  /// Without its secrets: for everything but requests and records.
  package var redacted: String {
    get { masked ?? text }
    set { masked = newValue == text ? nil : newValue }
  }

  /// Whether it holds a secret.
  package var isSecret: Bool { masked != nil }

  package static func += (a: inout Redactable, b: Redactable) {
    if a.masked == nil, b.isSecret { a.masked = a.text }
    a.masked?.append(b.redacted)
    a.text += b.text
  }
}
