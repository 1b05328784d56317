package import JSONText
package import Primitives

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

/// Describes the changes to each record: members dropped, key style, members read as dates and types, model.
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
  let keys: Keys?
  let members: [(path: JSONPath, reading: Reading)]
  let model: [Member]?

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - drop: members that are left out, by their names before `keys`.
  ///   - members: members that are written as what they mean, by their paths after `keys`; none leads through another.
  ///   - model: nil accepts anything.
  package init(
    drop: [JSONPath] = [], keys: Keys?, members: [(path: JSONPath, reading: Reading)] = [], model: [Member]?
  ) {
    self.drop = drop
    self.keys = keys
    self.members = members
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

  func place(_ number: Int) -> Int { tokenIndex.place(number, in: text) }
}

// `drop`: removes members from records, at the ends of their paths.

/// Removes members of records, and changes nothing else in them.
struct MemberDropper: Sendable {
  /// A part of the record that is left out, and the numbers of the tokens in it.
  private struct Cut {
    var place: Range<Int>
    var tokens: Range<Int>
  }

  private let tree: MemberTree<Void>

  init(_ paths: [JSONPath]) {
    tree = MemberTree(paths.map { ($0, ()) })
  }

  /// Depth of records at which token positions are needed.
  var depth: Int { tree.depth }

  /// Appends the record without the members, and returns the offset after it.
  ///
  /// A record that is no object stays unchanged.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) -> Int {
    guard record.text[record.start] == JSONByte.openObject else {
      let end = record.text.endOfValue(at: record.start)
      let isList = JSONByte.opens(record.text[record.start])
      let last = isList ? record.tokenIndex.end(ofValueBehind: record.opening - 1, in: record.text) : record.opening
      output.add(record.start..<end, record.opening..<last, of: record)
      return end
    }
    var cuts: [Cut] = []
    let closing = addCuts(of: tree.levels.count - 1, openedBy: record.opening, record, to: &cuts)
    var copied = (place: record.start, token: record.opening)
    for cut in cuts {
      output.add(copied.place..<cut.place.lowerBound, copied.token..<cut.tokens.lowerBound, of: record)
      copied = (cut.place.upperBound, cut.tokens.upperBound)
    }
    let end = record.place(closing) + 1
    output.add(copied.place..<end, copied.token..<closing + 1, of: record)
    return end
  }

  /// Adds the cuts of an object in order, and returns the number of its last bracket.
  private func addCuts(of level: Int, openedBy opening: Int, _ record: TokenedRecord, to cuts: inout [Cut]) -> Int {
    let (found, closing) = tree.members(of: level, openedBy: opening, record)
    // Members that follow each other are one cut, so that a cut at the end takes the comma before it.
    var run: Cut?
    for (member, node) in found {
      if case .level(let inner) = node {
        guard record.text[member.value.lowerBound] == JSONByte.openObject else { continue }
        if let ended = run { cuts.append(ended) }
        run = nil
        _ = addCuts(of: inner, openedBy: member.token, record, to: &cuts)
        continue
      }
      // A member's comma is dropped with the member, whose first token is its colon.
      let isLast = member.end == closing
      let cut = Cut(
        place: member.name.lowerBound..<(isLast ? member.value.upperBound : record.place(member.end) + 1),
        tokens: member.token - 1..<(isLast ? member.end : member.end + 1))
      if let before = run, before.place.upperBound == cut.place.lowerBound {
        run = Cut(
          place: before.place.lowerBound..<cut.place.upperBound,
          tokens: before.tokens.lowerBound..<cut.tokens.upperBound)
      } else {
        if let ended = run { cuts.append(ended) }
        run = cut
      }
    }
    guard var last = run else { return closing }
    let isAtEnd = last.place.upperBound == record.place(closing)
    if isAtEnd, last.place.lowerBound > record.place(opening) + 1 {
      last = Cut(
        place: last.place.lowerBound - 1..<last.place.upperBound,
        tokens: last.tokens.lowerBound - 1..<last.tokens.upperBound)
    }
    cuts.append(last)
    return closing
  }
}
