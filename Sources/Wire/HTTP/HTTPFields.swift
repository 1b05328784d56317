// Header fields in order; names match without regard to case (RFC 9110 §5).

package struct HTTPFields: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: Redactable

    package init(name: String, value: Redactable) {
      self.name = name
      self.value = value
    }

    /// Reports that the field has this name; only ASCII letters match without regard to case.
    package func isNamed(_ other: String) -> Bool {
      name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8, by: HTTPFields.isSameLetter)
    }
  }

  /// Reports that two bytes are equal, or the same ASCII letter in two cases.
  package static func isSameLetter(_ a: UInt8, _ b: UInt8) -> Bool {
    a == b || (a ^ b == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(a | 0x20))
  }

  /// Fields that this program made; unused if there is a block.
  private var own: [Field]
  /// Fields of a response, until they are changed.
  private var block: FieldBlock?

  package init(_ all: [Field] = []) {
    own = all
  }

  package init(_ block: FieldBlock) {
    own = []
    self.block = block
  }

  package var all: [Field] { block?.fields ?? own }

  /// Returns the values of a name in order; there may be several `Link` fields.
  package func values(of name: String) -> [String] {
    if let block { return block.values(of: name) }
    return own.filter { $0.isNamed(name) }.map { $0.value.text }
  }

  /// First value of a name.
  package subscript(_ name: String) -> String? {
    if let block { return block.firstValue(of: name) }
    return own.first { $0.isNamed(name) }?.value.text
  }

  /// Reports that the first value of a name is text.
  ///
  /// A value that is not UTF-8 has its bytes beyond ASCII percent-encoded.
  package func isText(_ name: String) -> Bool { block?.isText(name) ?? true }

  /// Reports that the name of some field begins with the prefix.
  package func hasName(startingWith prefix: String) -> Bool {
    if let block { return block.hasName(startingWith: prefix) }
    return own.contains { $0.name.utf8.starts(with: prefix.utf8, by: Self.isSameLetter) }
  }

  package mutating func append(_ name: String, _ value: Redactable) {
    change { $0.append(Field(name: name, value: value)) }
  }

  package mutating func append(_ name: String, _ value: String) {
    append(name, Redactable(value))
  }

  /// Removes every field with this name.
  package mutating func remove(_ name: String) {
    change { $0.removeAll { $0.isNamed(name) } }
  }

  /// Replaces every field with this name by one field.
  package mutating func set(_ name: String, _ value: Redactable) {
    remove(name)
    append(name, value)
  }

  private mutating func change(_ change: (inout [Field]) -> Void) {
    if let block { own = block.fields }
    block = nil
    change(&own)
  }

  package static func == (a: HTTPFields, b: HTTPFields) -> Bool { a.all == b.all }

  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension HTTPFields.Field {
  /// Names of fields whose values are always secrets, in lower case.
  private static let secretNames: Set = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2",
  ]

  /// Names of fields that reveal nothing of the body, even if the whole reply is hidden.
  private static let publicNames: Set = ["content-type", "content-length", "content-encoding", "date", "connection"]

  /// True if the value is always a secret, whatever its source.
  package var isAlwaysSecret: Bool { Self.secretNames.contains(name.lowercased()) }

  /// Returns the value for a recording or a message.
  ///
  /// - Parameter isHidden: true if the field is one of a reply that is a secret as a whole, such as a token.
  package func shownValue(hiding secrets: SecretStore, ofHiddenReply isHidden: Bool = false) -> String {
    let name = name.lowercased()
    let isSecret = isAlwaysSecret || isHidden && !Self.publicNames.contains(name)
    return isSecret ? "***" : secrets.redacting(value.redacted)
  }
}
