package import JSONText
package import Primitives

/// Describes the changes to each record: members dropped, key style, members read as dates and types, model.
///
/// `Reshaper` makes these changes.
package struct Shape: Sendable {
  package enum Keys: Sendable { case camelCase, snakeCase }
  package indirect enum Kind: Hashable, Sendable {
    case string, integer, number, boolean, date, url, any
    case list(Kind)
    case map([Member])
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

  /// The types as which members can be read.
  package enum ValueType: Hashable, Sendable { case string, integer, number, boolean }
  /// What the text or number of a member means.
  package enum Reading: Hashable, Sendable {
    case date(TimeForm)
    case type(ValueType)
  }

  let drop: [JSONPath]
  let keys: Keys?
  let members: [(path: JSONPath, reading: Reading)]
  let model: [Member]?

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - drop: members that are left out, by their names before `keys`.
  ///   - members: members that are written as what they mean, by their paths after `keys`; none leads through another.
  ///   - model: nil accepts anything.
  package init(
    drop: [JSONPath] = [], keys: Keys?, members: [(path: JSONPath, reading: Reading)] = [], model: [Member]?
  ) {
    self.drop = drop
    self.keys = keys
    self.members = members
    self.model = model
  }
}
