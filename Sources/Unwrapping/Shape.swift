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

  fileprivate let names: NameRewriter?
  fileprivate let dates: DateRewriter?
  fileprivate let model: ModelWalk?

  /// - Parameters:
  ///   - dates: members of the record itself, by their names after `keys`.
  ///   - model: nil accepts anything.
  package init(keys: Keys?, dates: [(name: String, form: DateForm)], model: [Member]?) {
    names = keys.map { NameRewriter(style: $0) }
    self.dates = dates.isEmpty ? nil : DateRewriter(dates)
    self.model = model.map { ModelWalk(ModelTable($0)) }
  }

  /// The record as it comes out.
  ///
  /// - Parameter number: of the record in its page, from 1, for the error.
  package func apply(to record: JSONValue, number: Int) throws(ContentFault) -> JSONValue {
    var reshaper = Reshaper(self)
    var output: [UInt8] = []
    do {
      _ = try reshaper.append(recordAt: 0, of: Array(record.bytes), to: &output)
    } catch {
      throw error.fault(record: number)
    }
    return JSONValue(validated: output[...])
  }
}

/// Rewrites record after record, and keeps what it needs for that.
struct Reshaper: Sendable {
  private var names: NameRewriter?
  private let dates: DateRewriter?
  private var model: ModelWalk?
  private var renamed: [UInt8] = []
  private var dated: [UInt8] = []

  init(_ shape: Shape) {
    names = shape.names
    dates = shape.dates
    model = shape.model
  }

  /// Adds the record that begins at `start`, and returns the place after it.
  mutating func append(recordAt start: Int, of text: [UInt8], to output: inout [UInt8]) throws(Mismatch) -> Int {
    guard names != nil else { return try appendDated(recordAt: start, of: text, to: &output) }
    renamed.removeAll(keepingCapacity: true)
    let end = names?.append(recordAt: start, of: text, to: &renamed) ?? start
    _ = try appendDated(recordAt: 0, of: renamed, to: &output)
    return end
  }

  private mutating func appendDated(
    recordAt start: Int, of text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) -> Int {
    guard let dates else { return try appendModelled(recordAt: start, of: text, to: &output) }
    guard model != nil else { return try dates.append(recordAt: start, of: text, to: &output) }
    dated.removeAll(keepingCapacity: true)
    let end = try dates.append(recordAt: start, of: text, to: &dated)
    _ = try appendModelled(recordAt: 0, of: dated, to: &output)
    return end
  }

  private mutating func appendModelled(
    recordAt start: Int, of text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) -> Int {
    if let end = try model?.append(recordAt: start, of: text, to: &output) { return end }
    let end = text.endOfValue(at: start)
    output += text[start..<end]
    return end
  }
}
