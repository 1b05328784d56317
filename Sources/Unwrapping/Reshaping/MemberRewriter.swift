// `decode.dates`, `decode.types` and `decode.nulls`: reads members as what they mean, and writes them as that.

import JSONText
import Primitives

/// Rewrites some members of records, and nothing else in them.
struct MemberRewriter: Sendable {
  /// What happens to a member.
  private struct Change: Sendable {
    var reading: Shape.Reading?
    /// Holds for a value that is written as null.
    var isNull: Condition.Clause?
  }

  private let tree: MemberTree<Change>

  init(
    _ members: [(path: JSONPath, reading: Shape.Reading)], nulls: [(path: JSONPath, values: [JSONValue])] = []
  ) {
    var changes: [(path: JSONPath, leaf: Change)] = members.map { ($0.path, Change(reading: $0.reading)) }
    for (path, values) in nulls {
      let isNull = Condition.Clause(path: path, tests: [.among(values)])
      if let index = changes.firstIndex(where: { $0.path == path }) {
        changes[index].leaf.isNull = isNull
      } else {
        changes.append((path, Change(isNull: isNull)))
      }
    }
    tree = MemberTree(changes)
  }

  /// Depth of records at which token positions are needed.
  var depth: Int { tree.depth }

  /// Appends the record with its members rewritten, and returns the offset after it.
  ///
  /// A record that is no object, and members that are null, stay unchanged.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    let text = record.text
    guard text[record.start] == JSONByte.openObject else {
      let end = text.endOfValue(at: record.start)
      output.add(record.start..<end, 0..<0, of: record)
      return end
    }
    var copied = (offset: record.start, number: record.opening)
    let closing = try rewrite(tree.levels.count - 1, openedBy: record.opening, record) { member, written in
      output.add(copied.offset..<member.value.lowerBound, copied.number..<member.token, of: record)
      output.add(written)
      copied = (member.value.upperBound, member.end)
    }
    let end = record.offset(closing) + 1
    output.add(copied.offset..<end, copied.number..<closing + 1, of: record)
    return end
  }

  /// Calls `body` in order for each member of an object that is written anew; returns the number of its last bracket.
  private func rewrite(
    _ level: Int, openedBy opening: Int, _ record: TokenedRecord, _ body: (TokenIndexedMember, [UInt8]) -> Void
  ) throws(ModelError) -> Int {
    let text = record.text
    let (found, closing) = tree.members(of: level, openedBy: opening, record)
    for (member, node) in found {
      switch node {
      case .level(let inner):
        guard try record.hasMembers(member, of: "decode") else { continue }
        do {
          _ = try rewrite(inner, openedBy: member.token, record, body)
        } catch {
          throw error.inside(record.step(to: member))
        }
      case .leaf(let change):
        guard text[member.value.lowerBound] != UInt8(ascii: "n") else { continue }
        if let isNull = change.isNull, isNull.holds(JSONValue(validated: text[member.value])) {
          body(member, Array("null".utf8))
          continue
        }
        guard let reading = change.reading else { continue }
        guard let written = reading.written(member.value, in: text) else {
          throw ModelError(
            keyPath: record.step(to: member), expected: reading.expected, found: quotation(of: text, member.value)
          )
        }
        if let bytes = written.bytes { body(member, bytes) }
      }
    }
    return closing
  }
}

extension Shape.Reading {
  /// What stands in place of a value.
  fileprivate enum Written {
    case unchanged
    case new([UInt8])

    static let null = Written.new(Array("null".utf8))

    var bytes: [UInt8]? { if case .new(let bytes) = self { bytes } else { nil } }
  }

  /// Returns what a value other than null is written as; nil if it can't be read so.
  fileprivate func written(_ value: Range<Int>, in text: [UInt8]) -> Written? {
    // A table has an empty text where there is no value.
    if self != .type(.string), value.count == 2, text[value.lowerBound] == JSONByte.quote { return .null }
    switch self {
    case .date(let form):
      return form.instant(value, in: text).map { .new([JSONByte.quote] + $0.rfc3339Bytes + [JSONByte.quote]) }
    case .type(.string):
      if text[value.lowerBound] == JSONByte.quote { return .unchanged }
      return .new(String(decoding: text[value], as: UTF8.self).quotedJSON)
    case .type(let type):
      guard let content = text.content(ofStringAt: value) else {
        return type.accepts(value, in: text) ? .unchanged : nil
      }
      return type.converted(content).map { .new($0) }
    }
  }

  fileprivate var expected: String {
    switch self {
    case .date(let form): form.expected
    case .type(.number): "number, as 'types' says"
    case .type(.integer): "whole number, as 'types' says"
    case .type(.boolean): "true or false, as 'types' says"
    case .type(.string): "string, as 'types' says"
    }
  }
}

extension Shape.ValueType {
  fileprivate func accepts(_ value: Range<Int>, in text: [UInt8]) -> Bool {
    let leaf: ModelTable.Leaf =
      switch self {
      case .number: .number
      case .integer: .integer
      case .boolean: .boolean
      case .string: .string
      }
    return leaf.accepts(value, in: text)
  }

  /// Returns the JSON value that a text spells; nil if it is none of this type.
  ///
  /// A number must be one of JSON (RFC 8259 §6), and keeps its digits: `007` may be a code, `1,5` two numbers.
  fileprivate func converted(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    if self == .boolean {
      let word = content.map { $0 | 0x20 }
      return ["true", "false"].map { Array($0.utf8) }.first { $0 == word }
    }
    guard content.isJSONNumber else { return nil }
    let text = Array(content)
    return accepts(text.indices, in: text) ? text : nil
  }
}

extension TimeForm {
  /// Reads a time; numbers may also be in strings, and a pattern may match a number, such as `%Y%m%d`.
  fileprivate func instant(_ value: Range<Int>, in text: [UInt8]) -> Timestamp? {
    let content = text.content(ofStringAt: value)
    if content == nil, self == .rfc3339 || self == .date { return nil }
    return timestamp(of: content ?? text[value])
  }

  fileprivate var expected: String {
    switch self {
    case .seconds: "seconds since 1970 (years 0001 to 9999), as 'dates' says"
    case .milliseconds: "milliseconds since 1970 (years 0001 to 9999), as 'dates' says"
    case .rfc3339: "RFC 3339 date and time (years 0001 to 9999), as 'dates' says"
    case .date: "date such as 2024-01-31 (years 0001 to 9999), as 'dates' says"
    case .pattern(let pattern): "time of the form '\(pattern.spelling)' (years 0001 to 9999), as 'dates' says"
    }
  }
}

extension [UInt8] {
  /// Returns the decoded content of a string, or nil for another kind or a string with lone surrogates.
  func content(ofStringAt value: Range<Int>) -> ArraySlice<UInt8>? {
    guard value.count >= 2, self[value.lowerBound] == JSONByte.quote else { return nil }
    let raw = self[value.lowerBound + 1..<value.upperBound - 1]
    guard raw.contains(JSONByte.backslash) else { return raw }
    return JSONValue(validated: self[value]).string.map { Array($0.utf8)[...] }
  }
}

// Members of a record and of the objects in it, found in one pass over the tokens.

/// Paths into a record, each with something to do at its end.
struct MemberTree<Leaf: Sendable>: Sendable {
  enum Node: Sendable {
    case leaf(Leaf)
    /// Number of the level of the member's own members.
    case level(Int)
  }

  /// Members of one object that are looked for.
  struct Level: Sendable {
    let names: NameTable
    let nodes: [Node]
  }

  /// The level of the record itself is the last.
  private(set) var levels: [Level] = []
  /// Depth of records at which token positions are needed.
  let depth: Int

  /// Creates the tree; where a path leads through the end of another, that one's leaf counts.
  init(_ paths: [(path: JSONPath, leaf: Leaf)]) {
    depth = paths.map(\.path.steps.count).max() ?? 0
    _ = add(paths.map { (names: $0.path.steps.map(\.name)[...], leaf: $0.leaf) })
  }

  /// Adds the level of these paths after those of its members, and returns its number.
  private mutating func add(_ paths: [(names: ArraySlice<String>, leaf: Leaf)]) -> Int {
    var names: [String] = []
    for name in paths.compactMap(\.names.first) where !names.contains(name) { names.append(name) }
    var nodes: [Node] = []
    for name in names {
      let rests = paths.filter { $0.names.first == name }.map { (names: $0.names.dropFirst(), leaf: $0.leaf) }
      let end = rests.first { $0.names.isEmpty }
      nodes.append(end.map { .leaf($0.leaf) } ?? .level(add(rests)))
    }
    levels.append(Level(names: NameTable(names), nodes: nodes))
    return levels.count - 1
  }

  /// Returns the members of an object that a level names, in order, and the token number of its last bracket.
  func members(of level: Int, openedBy opening: Int, _ record: TokenedRecord) -> (
    found: [(member: TokenIndexedMember, node: Node)], closing: Int
  ) {
    var found: [(member: TokenIndexedMember, node: Node)] = []
    let closing = levels[level].names.forEachMember(openedBy: opening, of: record) { member, number, _ in
      found.append((member, levels[level].nodes[number]))
    }
    return (found, closing)
  }
}
