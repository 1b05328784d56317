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
    a.text += b.text
    a.shown += b.shown
  }
}

/// Every secret value a run knows, to keep them out of texts that came from elsewhere (bodies, system messages).
///
/// Values of fewer than 4 characters are not searched for: they would mask half of every message. Where they were put
/// in by a template, `Masked` knows.
package struct Secrets: Sendable {
  package private(set) var values: Set<String> = []

  package init(_ values: some Sequence<String> = []) {
    for value in values { insert(value) }
  }

  package mutating func insert(_ value: String) { fatalError("unimplemented") }

  /// The text with every known secret as `***`: plain, percent-encoded (upper and lower case digits), base64 (with and
  /// without padding, and URL-safe), JSON-escaped. Longest first.
  package func masking(_ text: String) -> String { fatalError("unimplemented") }
}
