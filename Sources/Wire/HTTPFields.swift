// Header fields: ordered, names without regard to case (RFC 9110 §5).

package struct HTTPFields: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: Masked

    package init(name: String, value: Masked) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var all: [Field]

  package init(_ all: [Field] = []) {
    self.all = all
  }

  /// The values of a name in order, e.g. of several `Link` fields.
  package func values(of name: String) -> [String] {
    all.filter { $0.name.lowercased() == name.lowercased() }.map { $0.value.text }
  }

  /// The first value of a name.
  package subscript(_ name: String) -> String? { values(of: name).first }

  package mutating func append(_ name: String, _ value: Masked) {
    all.append(Field(name: name, value: value))
  }

  package mutating func append(_ name: String, _ value: String) {
    append(name, Masked(value))
  }

  /// Removes every field of that name.
  package mutating func remove(_ name: String) {
    all.removeAll { $0.name.lowercased() == name.lowercased() }
  }

  /// Replaces every field of that name by one.
  package mutating func set(_ name: String, _ value: Masked) {
    remove(name)
    append(name, value)
  }
}
