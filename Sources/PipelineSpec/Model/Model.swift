import Diagnostics
package import JSONText
package import Primitives

/// `model`: the members and types that each record must have.
package struct Model: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case string, integer, number, boolean, date, url, any
    case list(Kind)
    case map(Model)
  }
  package struct Member: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    package init(name: String, kind: Kind, isOptional: Bool) {
      self.name = name
      self.kind = kind
      self.isOptional = isOptional
    }
  }
  package let members: [Member]
  package init(members: [Member]) { self.members = members }

  /// Returns the type of the member at the end of the path; nil if the model does not name it.
  func kind(at path: ArraySlice<String>) -> Kind? {
    guard let kind = members.first(where: { $0.name == path.first })?.kind else { return nil }
    guard path.count > 1 else { return kind }
    guard case .map(let inner) = kind else { return nil }
    return inner.kind(at: path.dropFirst())
  }
}

/// `decode`: names, and members that are written as what they mean.
package struct Decode: Hashable, Sendable {
  package enum Keys: String, CaseIterable, Sendable {
    case camelCase
    case snakeCase = "snake_case"
  }
  package var keys: Keys?
  /// The types as which `types` reads members.
  package enum ValueType: String, CaseIterable, Sendable { case string, integer, number, boolean }
  /// What a member means.
  package enum Reading: Hashable, Sendable {
    case date(TimeForm)
    case type(ValueType)

    /// The key that says so.
    package var key: String {
      switch self {
      case .date: "dates"
      case .type: "types"
      }
    }
  }
  package struct Member: Hashable, Sendable {
    package let path: JSONPath
    package let reading: Reading
    package init(path: JSONPath, reading: Reading) {
      self.path = path
      self.reading = reading
    }
  }
  /// Members of `dates` and `types`, by their paths after `keys`.
  package var members: [Member] = []
  /// A member of `nulls`, by its path after `keys`, and the values that are written as null.
  package struct Nulls: Hashable, Sendable {
    package let path: JSONPath
    package let values: [JSONValue]
    package init(path: JSONPath, values: [JSONValue]) { (self.path, self.values) = (path, values) }
  }
  package var nulls: [Nulls] = []
  /// The paths of all members that are read, each with its key.
  package var paths: [(key: String, path: JSONPath)] {
    members.map { ($0.reading.key, $0.path) } + nulls.map { ("nulls", $0.path) }
  }
  package init() {}

  /// Returns what a member of the record itself means; nil if it is not read.
  package func reading(of name: String) -> Reading? { members.first { $0.path == [name] }?.reading }
}
