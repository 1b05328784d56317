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

  /// How deep in records the places of tokens are looked at.
  package var depth: Int { names != nil ? .max : max(dates == nil ? 0 : 1, model?.depth ?? 0) }

  /// The record as it comes out.
  ///
  /// - Parameter number: of the record in its page, from 1, for the error.
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

/// Rewrites record after record, and keeps what it needs for that.
struct Reshaper: Sendable {
  private var names: NameRewriter?
  private let dates: DateRewriter?
  private var model: ModelWalk?
  private var renamed: RewrittenRecord
  private var dated: RewrittenRecord
  /// The tokens of a record that takes a closer look.
  private var looked: TokenIndex
  /// The number from which on the next record's tokens are looked for.
  private var next = 0

  init(_ shape: Shape) {
    names = shape.names
    dates = shape.dates
    model = shape.model
    renamed = RewrittenRecord(isRead: dates != nil || model != nil)
    dated = RewrittenRecord(isRead: model != nil)
    looked = TokenIndex(depth: shape.depth)
  }

  /// Other lines begin.
  mutating func begin() {
    next = 0
  }

  /// Adds the record that begins at `start`, and returns the place after it.
  ///
  /// - Parameter tokenIndex: where the tokens of this text stand, as far as it is known.
  mutating func append(
    recordAt start: Int, of text: [UInt8], known tokenIndex: TokenIndex, to output: inout [UInt8]
  ) throws(ModelError) -> Int {
    if let opening = tokenIndex.opening(ofRecordAt: start, from: &next) {
      let record = TokenedRecord(text: text, start: start, tokenIndex: tokenIndex, opening: opening)
      return try append(record, to: &output)
    }
    looked.look(at: start, in: text)
    return try append(TokenedRecord(text: text, start: start, tokenIndex: looked, opening: 0), to: &output)
  }

  private mutating func append(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard names != nil else { return try appendDated(record, to: &output) }
    renamed.begin()
    let end = try names?.append(record, to: &renamed) ?? record.start
    if dates == nil, model == nil { output += renamed.text } else { _ = try appendDated(renamed.record, to: &output) }
    return end
  }

  private mutating func appendDated(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard let dates else { return try appendModelled(record, to: &output) }
    dated.begin()
    let end = try dates.append(record, to: &dated)
    if model == nil { output += dated.text } else { _ = try appendModelled(dated.record, to: &output) }
    return end
  }

  private mutating func appendModelled(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    if let end = try model?.append(record, to: &output) { return end }
    let end = record.text.endOfValue(at: record.start)
    output += record.text[record.start..<end]
    return end
  }
}
