// Header fields: ordered, names without regard to case (RFC 9110 §5).

package struct HTTPFields: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: Masked

    package init(name: String, value: Masked) {
      self.name = name
      self.value = value
    }

    /// ASCII letters match without regard to case; nothing else does.
    package func isNamed(_ other: String) -> Bool {
      name.utf8.elementsEqual(other.utf8) { a, b in
        a == b || (a ^ b == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(a | 0x20))
      }
    }
  }

  package private(set) var all: [Field]

  package init(_ all: [Field] = []) {
    self.all = all
  }

  /// The values of a name in order, e.g. of several `Link` fields.
  package func values(of name: String) -> [String] {
    all.filter { $0.isNamed(name) }.map { $0.value.text }
  }

  /// The first value of a name.
  package subscript(_ name: String) -> String? { all.first { $0.isNamed(name) }?.value.text }

  package mutating func append(_ name: String, _ value: Masked) {
    all.append(Field(name: name, value: value))
  }

  package mutating func append(_ name: String, _ value: String) {
    append(name, Masked(value))
  }

  /// Removes every field of that name.
  package mutating func remove(_ name: String) {
    all.removeAll { $0.isNamed(name) }
  }

  /// Replaces every field of that name by one.
  package mutating func set(_ name: String, _ value: Masked) {
    remove(name)
    append(name, value)
  }
}
