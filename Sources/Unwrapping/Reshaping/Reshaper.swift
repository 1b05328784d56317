package import JSONText
package import Primitives

/// Rewrites records as a `Shape` describes: drop or keep, flatten, keys, rename, dates and types, model, in that order.
///
/// Its tables are compiled once a job. Each page works on a copy, which has buffers of its own.
package struct Reshaper: Sendable {
  private let cutter: MemberCutter?
  private let flattener: MemberFlattener?
  private var names: NameRewriter?
  private let renamer: MemberRenamer?
  private let members: MemberRewriter?
  private var model: ModelWalk?
  private var cut: RewrittenRecord
  private var styled: RewrittenRecord
  private var renamed: RewrittenRecord
  private var read: RewrittenRecord
  /// Token index of a record whose tokens the caller does not know.
  private var looked: TokenIndex
  /// Token index of a flattened record.
  private var flat: TokenIndex
  /// Token number from which the next record's tokens are searched.
  private var next = 0

  /// Depth of records at which token positions are needed.
  let depth: Int

  package init(_ shape: Shape) {
    cutter = MemberCutter(drop: shape.drop, keep: shape.keep)
    flattener = MemberFlattener(shape.flatten)
    names = shape.keys.map { NameRewriter(style: $0) }
    renamer = shape.rename.isEmpty ? nil : MemberRenamer(shape.rename, after: shape.keys)
    members = shape.members.isEmpty && shape.nulls.isEmpty ? nil : MemberRewriter(shape.members, nulls: shape.nulls)
    model = shape.model.map { ModelWalk(ModelTable($0)) }
    let (isRead, isModelled) = (members != nil || model != nil, model != nil)
    cut = RewrittenRecord(isRead: names != nil || renamer != nil || isRead)
    styled = RewrittenRecord(isRead: renamer != nil || isRead)
    renamed = RewrittenRecord(isRead: isRead)
    read = RewrittenRecord(isRead: isModelled)
    let depths = [cutter?.depth, renamer?.depth, members?.depth, model?.depth].compactMap { $0 }
    depth = names != nil ? .max : depths.max() ?? 0
    looked = TokenIndex(depth: depth)
    flat = TokenIndex(depth: depth)
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
    guard let cutter else { return try appendFlattened(record, to: &output) }
    cut.begin()
    let end = try cutter.append(record, to: &cut)
    if flattener == nil, names == nil, renamer == nil, members == nil, model == nil {
      output += cut.text
    } else {
      _ = try appendFlattened(cut.record, to: &output)
    }
    return end
  }

  private mutating func appendFlattened(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard let flattener else { return try appendStyled(record, to: &output) }
    let end = record.text.endOfValue(at: record.start)
    let text = try flattener.flattened(JSONValue(validated: record.text[record.start..<end]))
    if names == nil, renamer == nil, members == nil, model == nil {
      output += text
    } else {
      flat.look(at: 0, in: text)
      _ = try appendStyled(TokenedRecord(text: text, start: 0, tokenIndex: flat, opening: 0), to: &output)
    }
    return end
  }

  private mutating func appendStyled(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard names != nil else { return try appendRenamed(record, to: &output) }
    styled.begin()
    let end = try names?.append(record, to: &styled) ?? record.start
    if renamer == nil, members == nil, model == nil {
      output += styled.text
    } else {
      _ = try appendRenamed(styled.record, to: &output)
    }
    return end
  }

  private mutating func appendRenamed(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    guard let renamer else { return try appendRead(record, to: &output) }
    renamed.begin()
    let end = try renamer.append(record, to: &renamed)
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

/// Describes the changes to each record: members dropped or kept, key style, names, members read as dates and types, model.
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

  /// The types as which members can be read.
  package enum ValueType: Hashable, Sendable { case string, integer, number, boolean }
  /// What the text or number of a member means.
  package enum Reading: Hashable, Sendable {
    case date(TimeForm)
    case type(ValueType)
  }

  let drop: [JSONPath]
  let keep: [JSONPath]
  let flatten: [JSONPath]
  let keys: Keys?
  let rename: [(path: JSONPath, name: String)]
  let members: [(path: JSONPath, reading: Reading)]
  let nulls: [(path: JSONPath, values: [JSONValue])]
  let model: [Member]?

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - drop: members that are left out, by their names before `keys`.
  ///   - keep: members that are kept, by their names before `keys`; none for all.
  ///   - flatten: objects whose members stand one level up, by their names before `keys`.
  ///   - rename: members with new names, by their names before `keys`.
  ///   - members: members that are written as what they mean, by their paths after `keys` and `rename`; none leads through another.
  ///   - nulls: members and their values that are written as null, before `members` reads them.
  ///   - model: nil accepts anything.
  package init(
    drop: [JSONPath] = [], keep: [JSONPath] = [], flatten: [JSONPath] = [], keys: Keys?,
    rename: [(path: JSONPath, name: String)] = [], members: [(path: JSONPath, reading: Reading)] = [],
    nulls: [(path: JSONPath, values: [JSONValue])] = [], model: [Member]?
  ) {
    (self.drop, self.keep, self.flatten, self.rename) = (drop, keep, flatten, rename)
    self.keys = keys
    (self.members, self.nulls) = (members, nulls)
    self.model = model
  }
}

/// Record between two rewriting steps, with its token index if the next step needs one.
struct RewrittenRecord {
  private(set) var text: [UInt8] = []
  private var tokenIndex = TokenIndex()
  /// True if the next step reads the tokens.
  private let isRead: Bool

  init(isRead: Bool) {
    self.isRead = isRead
  }

  mutating func begin() {
    text.removeAll(keepingCapacity: true)
    tokenIndex.begin(at: 0)
  }

  /// Appends a part of a record, with its tokens.
  mutating func add(_ part: Range<Int>, _ tokens: Range<Int>, of record: TokenedRecord) {
    if isRead {
      tokenIndex.add(tokens, of: record.tokenIndex, movedBy: text.count - part.lowerBound, in: record.text)
    }
    text.append(part, of: record.text)
  }

  /// Appends bytes that have no tokens.
  mutating func add(_ bytes: [UInt8]) {
    text += bytes
  }

  var record: TokenedRecord { TokenedRecord(text: text, start: 0, tokenIndex: tokenIndex, opening: 0) }
}

// One record with its token index: the reshaping steps go from token to token.

/// Record among others, or alone in its text.
struct TokenedRecord {
  let text: [UInt8]
  let start: Int
  /// Token index, as deep as its user needs; a record that is no object or array has no tokens in it.
  let tokenIndex: TokenIndex
  /// Token number of the record's first bracket.
  let opening: Int

  func offset(_ number: Int) -> Int { tokenIndex.offset(number, in: text) }
}
