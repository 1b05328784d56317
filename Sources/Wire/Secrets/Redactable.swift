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
