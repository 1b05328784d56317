import Diagnostics
import JSONText

/// `decode`: key and date strategies.
package struct Decode: Hashable, Sendable {
  package enum Keys: String, CaseIterable, Sendable {
    case camelCase
    case snakeCase = "snake_case"
  }
  package enum DateForm: String, CaseIterable, Sendable { case seconds, milliseconds, rfc3339 }
  package var keys: Keys?
  /// Date members, by their names after `keys`, and the form in which they are read.
  package var dates: [DateField] = []
  package struct DateField: Hashable, Sendable {
    package let name: String
    package let form: DateForm
    package init(name: String, form: DateForm) {
      self.name = name
      self.form = form
    }
  }
  package init() {}
}
