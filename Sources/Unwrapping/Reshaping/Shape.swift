// How each record is checked and rewritten: keys, dates, model, in that order.

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

  let names: NameRewriter?
  let dates: DateRewriter?
  let model: ModelWalk?

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - dates: members of the record itself, by their names after `keys`.
  ///   - model: nil accepts anything.
  package init(keys: Keys?, dates: [(name: String, form: DateForm)], model: [Member]?) {
    names = keys.map { NameRewriter(style: $0) }
    self.dates = dates.isEmpty ? nil : DateRewriter(dates)
    self.model = model.map { ModelWalk(ModelTable($0)) }
  }

  /// Depth to which records need a token index.
  package var depth: Int { names != nil ? .max : max(dates == nil ? 0 : 1, model?.depth ?? 0) }

  /// Returns the record, checked and rewritten.
  ///
  /// - Parameter number: the record's number in its page, from 1, for the error.
  package func apply(to record: JSONValue, number: Int) throws(ContentError) -> JSONValue {
    var reshaper = Reshaper(self)
    var output: [UInt8] = []
    do {
      _ = try reshaper.append(recordAt: 0, of: Array(record.bytes), known: TokenIndex(), to: &output)
    } catch {
      throw error.fault(record: number)
    }
    return JSONValue(validated: output[...])
  }
}
