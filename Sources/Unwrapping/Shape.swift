// What each record must look like, and how it is rewritten: keys, dates, model, in that order.

package import JSONText

/// Key and date strategies and a model, compiled for the pass over records.
package struct Shape: Sendable {
  package enum Keys: Sendable { case camelCase, snakeCase }
  package enum DateForm: Sendable { case seconds, milliseconds, rfc3339 }
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

  package init(keys: Keys?, dates: [(name: String, form: DateForm)], model: [Member]?) { fatalError("unimplemented") }

  /// The record as it comes out.
  ///
  /// - Parameter number: of the record in its page, from 1, for the error.
  package func apply(to record: JSONValue, number: Int) throws(ContentFault) -> JSONValue { fatalError("unimplemented") }
}
