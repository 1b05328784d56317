import JSONText

/// Rewrites record after record, and reuses its buffers.
struct Reshaper: Sendable {
  private var names: NameRewriter?
  private let dates: DateRewriter?
  private var model: ModelWalk?
  private var renamed: RewrittenRecord
  private var dated: RewrittenRecord
  /// Token index of a record whose tokens the caller does not know.
  private var looked: TokenIndex
  /// Token number from which the next record's tokens are searched.
  private var next = 0

  init(_ shape: Shape) {
    names = shape.names
    dates = shape.dates
    model = shape.model
    renamed = RewrittenRecord(isRead: dates != nil || model != nil)
    dated = RewrittenRecord(isRead: model != nil)
    looked = TokenIndex(depth: shape.depth)
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
