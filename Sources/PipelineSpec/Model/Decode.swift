import Diagnostics
import JSONText
package import Primitives

/// `decode`: key and date strategies.
package struct Decode: Hashable, Sendable {
  package enum Keys: String, CaseIterable, Sendable {
    case camelCase
    case snakeCase = "snake_case"
  }
  package var keys: Keys?
  /// Date members, by their names after `keys`, and the form in which they are read.
  package var dates: [DateField] = []
  package struct DateField: Hashable, Sendable {
    package let name: String
    package let form: TimeForm
    package init(name: String, form: TimeForm) {
      self.name = name
      self.form = form
    }
  }
  package init() {}
}
