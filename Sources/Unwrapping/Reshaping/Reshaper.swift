package import JSONText
package import Primitives

/// One change to records, made from token to token.
protocol RecordPass: Sendable {
  /// Depth of records at which token positions are needed.
  var depth: Int { get }

  /// Appends the changed record, and returns the offset after the record as it came.
  mutating func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int
}

/// Rewrites records as a `Shape` describes: drop or keep, flatten, keys, rename, dates and types, model, in that order.
///
/// Its tables are compiled once a job. Each page works on a copy, which has buffers of its own.
package struct Reshaper: Sendable {
  private var passes: [any RecordPass] = []
  /// The record between two passes, for each pass but the last.
  private var copies: [RecordCopy] = []
  /// The records that leave the last pass.
  private var output = RecordCopy(isRead: false)
  /// Token index of a record whose tokens the caller does not know.
  private var looked: TokenIndex
  /// Token number from which the next record's tokens are searched.
  private var next = 0

  /// Depth of records at which token positions are needed.
  let depth: Int

  package init(_ shape: Shape) {
    if !shape.keep.isEmpty {
      passes.append(MemberEditor(keep: shape.keep))
    } else if !shape.drop.isEmpty {
      passes.append(MemberEditor(drop: shape.drop))
    }
    if !shape.flatten.isEmpty { passes.append(MemberFlattener(shape.flatten)) }
    if let keys = shape.keys { passes.append(NameRewriter(style: keys)) }
    if !shape.rename.isEmpty { passes.append(MemberEditor(rename: shape.rename, after: shape.keys)) }
    let readers = MemberReader.all(shape.members, nulls: shape.nulls)
    if !readers.isEmpty { passes.append(MemberEditor(read: readers)) }
    if let model = shape.model { passes.append(ModelWalk(ModelTable(model))) }
    copies = passes.dropLast().map { _ in RecordCopy(isRead: true) }
    // What 'flatten' brings up was deeper by at most the steps of its paths.
    let deepest = passes.map(\.depth).max() ?? 0
    depth = deepest + min(.max - deepest, shape.flatten.map(\.steps.count).max() ?? 0)
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

  /// Appends the record as it leaves the last pass, and returns the offset after it.
  ///
  /// - Parameter pass: the pass that reads the record.
  private mutating func append(
    _ record: TokenedRecord, reading pass: Int = 0, to output: inout [UInt8]
  ) throws(ModelError) -> Int {
    if pass < copies.count {
      let end = try passes[pass].append(record, to: &copies[pass])
      _ = try append(copies[pass].record, reading: pass + 1, to: &output)
      return end
    }
    // The last pass writes directly behind the records before.
    swap(&output, &self.output.text)
    defer { swap(&output, &self.output.text) }
    if pass < passes.count { return try passes[pass].append(record, to: &self.output) }
    self.output.begin(record)
    return self.output.finish(record)
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
