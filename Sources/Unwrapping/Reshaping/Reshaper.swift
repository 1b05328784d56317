package import JSONText

/// Rewrites records as a `Shape` describes: drop, keys, dates and types, model, in that order.
///
/// Its tables are compiled once a job. Each page works on a copy, which has buffers of its own.
package struct Reshaper: Sendable {
  private let dropper: MemberDropper?
  private var names: NameRewriter?
  private let members: MemberRewriter?
  private var model: ModelWalk?
  private var dropped: RewrittenRecord
  private var renamed: RewrittenRecord
  private var read: RewrittenRecord
  /// Token index of a record whose tokens the caller does not know.
  private var looked: TokenIndex
  /// Token number from which the next record's tokens are searched.
  private var next = 0

  /// Depth of records at which token positions are needed.
  let depth: Int

  package init(_ shape: Shape) {
    dropper = shape.drop.isEmpty ? nil : MemberDropper(shape.drop)
    names = shape.keys.map { NameRewriter(style: $0) }
    members = shape.members.isEmpty ? nil : MemberRewriter(shape.members)
    model = shape.model.map { ModelWalk(ModelTable($0)) }
    dropped = RewrittenRecord(isRead: names != nil || members != nil || model != nil)
    renamed = RewrittenRecord(isRead: members != nil || model != nil)
    read = RewrittenRecord(isRead: model != nil)
    depth = names != nil ? .max : max(dropper?.depth ?? 0, members?.depth ?? 0, model?.depth ?? 0)
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
    if names == nil, members == nil, model == nil {
      output += dropped.text
    } else {
      _ = try appendRenamed(dropped.record, to: &output)
    }
    return end
  }

  private mutating func appendRenamed(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard names != nil else { return try appendRead(record, to: &output) }
    renamed.begin()
    let end = try names?.append(record, to: &renamed) ?? record.start
    if members == nil, model == nil { output += renamed.text } else { _ = try appendRead(renamed.record, to: &output) }
    return end
  }

  private mutating func appendRead(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard let members else { return try appendModelled(record, to: &output) }
    read.begin()
    let end = try members.append(record, to: &read)
    if model == nil { output += read.text } else { _ = try appendModelled(read.record, to: &output) }
    return end
  }

  private mutating func appendModelled(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    if let end = try model?.append(record, to: &output) { return end }
    let end = record.text.endOfValue(at: record.start)
    output += record.text[record.start..<end]
    return end
  }
}
