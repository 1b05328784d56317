import Diagnostics
package import JSONText
package import Primitives

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
  package init() {}

  /// Returns what a member of the record itself means; nil if it is not read.
  package func reading(of name: String) -> Reading? { members.first { $0.path == [name] }?.reading }
}
