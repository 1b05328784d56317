// What the reader of the YAML subset gives: values with their places, not yet a spec.

/// A value of a YAML (or JSON) document, with the bytes it stands in.
package struct Node: Sendable {
  package indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    /// The number as JSON spells it: `0x1F` is `31`, `+1` is `1`, `.5` is `0.5`, `1.` is `1.0`; JSON numbers byte for byte.
    case number(String)
    case string(String)
    case list([Node])
    case map([Entry])
  }

  package struct Entry: Sendable {
    package let key: String
    package let keyRange: Range<Int>
    package let value: Node
    package init(key: String, keyRange: Range<Int>, value: Node) {
      self.key = key
      self.keyRange = keyRange
      self.value = value
    }
  }

  package let content: Content
  /// The bytes of the source that the value stands in (quotes and brackets included; empty for a value that is not there).
  package let range: Range<Int>
  /// Scalars: as it stands in the source for plain ones (`True`, `1.50`); the decoded text for quoted ones.
  package let spelling: String
  /// Scalars that were not plain: quoted or block.
  package let isQuoted: Bool

  package init(content: Content, range: Range<Int>, spelling: String = "", isQuoted: Bool = false) {
    self.content = content
    self.range = range
    self.spelling = spelling
    self.isQuoted = isQuoted
  }
}
