/// A text that equals only texts of the same bytes, as texts of JSON do.
///
/// Two strings of Swift are equal if Unicode shows them alike: `é` as one scalar and as two.
package struct ExactText: Hashable, Sendable, Comparable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package static func < (a: ExactText, b: ExactText) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}
