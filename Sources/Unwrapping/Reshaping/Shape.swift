package import JSONText
package import Primitives

/// Describes the changes to each record: members dropped, key style, date forms, model.
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

  let drop: [JSONPath]
  let keys: Keys?
  let dates: [(name: String, form: TimeForm)]
  let model: [Member]?

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - drop: members that are left out, by their names before `keys`.
  ///   - dates: members of the record itself, by their names after `keys`.
  ///   - model: nil accepts anything.
  package init(
    drop: [JSONPath] = [], keys: Keys?, dates: [(name: String, form: TimeForm)], model: [Member]?
  ) {
    self.drop = drop
    self.keys = keys
    self.dates = dates
    self.model = model
  }
}
