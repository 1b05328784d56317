// Result of reading the YAML subset: values with their source ranges, not yet a spec.

/// Value of a YAML (or JSON) document, with its range in the source.
package struct Node: Sendable {
  package indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    /// The number as JSON spells it.
    ///
    /// `0x1F` is `31`, `+1` is `1`, `.5` is `0.5`, `1.` is `1.0`; a JSON number is kept byte for byte.
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
  /// Bytes of the value in the source, quotes and brackets included.
  ///
  /// The range of a missing value is empty.
  package let range: Range<Int>
  /// Spelling of a scalar: the source's own for plain ones (`True`, `1.50`), the decoded text for quoted ones.
  package let spelling: String
  /// True for scalars that were not plain: quoted or block.
  package let isQuoted: Bool

  package init(content: Content, range: Range<Int>, spelling: String = "", isQuoted: Bool = false) {
    self.content = content
    self.range = range
    self.spelling = spelling
    self.isQuoted = isQuoted
  }
}
