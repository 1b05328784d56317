package import JSONText

/// Rewrites records as a `Shape` describes: drop, keys, dates, model, in that order.
///
/// Its tables are compiled once a job. Each page works on a copy, which has buffers of its own.
package struct Reshaper: Sendable {
  private let dropper: MemberDropper?
  private var names: NameRewriter?
  private let dates: DateRewriter?
  private var model: ModelWalk?
  private var dropped: RewrittenRecord
  private var renamed: RewrittenRecord
  private var dated: RewrittenRecord
  /// Token index of a record whose tokens the caller does not know.
  private var looked: TokenIndex
  /// Token number from which the next record's tokens are searched.
  private var next = 0

  /// Depth of records at which token positions are needed.
  let depth: Int

  package init(_ shape: Shape) {
    dropper = shape.drop.isEmpty ? nil : MemberDropper(shape.drop)
    names = shape.keys.map { NameRewriter(style: $0) }
    dates = shape.dates.isEmpty ? nil : DateRewriter(shape.dates)
    model = shape.model.map { ModelWalk(ModelTable($0)) }
    dropped = RewrittenRecord(isRead: names != nil || dates != nil || model != nil)
    renamed = RewrittenRecord(isRead: dates != nil || model != nil)
    dated = RewrittenRecord(isRead: model != nil)
    depth = names != nil ? .max : max(dropper?.depth ?? 0, dates == nil ? 0 : 1, model?.depth ?? 0)
    looked = TokenIndex(depth: depth)
  }

  /// Returns a single record rewritten.
  package func apply(to record: JSONValue) throws(ModelError) -> JSONValue {
    var reshaper = self
    var output: [UInt8] = []
    _ = try reshaper.append(recordAt: 0, of: Array(record.bytes), known: TokenIndex(), to: &output)
    return JSONValue(validated: output[...])
  }

  /// Starts a new text.
  mutating func begin() {
    next = 0
  }

  /// Appends the rewritten record that begins at `start`, and returns the offset after it.
  ///
  /// - Parameter tokenIndex: token index of this text, as far as it is known.
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
    guard let dropper else { return try appendRenamed(record, to: &output) }
    dropped.begin()
    let end = dropper.append(record, to: &dropped)
    if names == nil, dates == nil, model == nil {
      output += dropped.text
    } else {
      _ = try appendRenamed(dropped.record, to: &output)
    }
    return end
  }

  private mutating func appendRenamed(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
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
