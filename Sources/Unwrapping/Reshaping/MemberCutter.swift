// `drop`, `keep` and `rename`: what records lose, and what gets another name.

import JSONText

/// Removes members of records: those that are named, or all others.
enum MemberCutter: Sendable {
  case drop(MemberDropper)
  case keep(MemberKeeper)

  init?(drop: [JSONPath], keep: [JSONPath]) {
    if !keep.isEmpty {
      self = .keep(MemberKeeper(keep))
    } else if !drop.isEmpty {
      self = .drop(MemberDropper(drop))
    } else {
      return nil
    }
  }

  /// Depth of records at which token positions are needed.
  var depth: Int {
    switch self {
    case .drop(let dropper): dropper.depth
    case .keep(let keeper): keeper.depth
    }
  }

  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    switch self {
    case .drop(let dropper): dropper.append(record, to: &output)
    case .keep(let keeper): try keeper.append(record, to: &output)
    }
  }
}

extension TokenedRecord {
  var isObject: Bool { text[start] == JSONByte.openObject }

  /// Appends the record, and returns the offset after it.
  func appendUnchanged(to output: inout RewrittenRecord) -> Int {
    let end = text.endOfValue(at: start)
    let last = JSONByte.opens(text[start]) ? tokenIndex.end(ofValueBehind: opening - 1, in: text) : opening
    output.add(start..<end, opening..<last, of: self)
    return end
  }
}

/// Removes members of records, and changes nothing else in them.
struct MemberDropper: Sendable {
  /// A part of the record that is left out, and the numbers of the tokens in it.
  private struct Cut {
    var range: Range<Int>
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
    guard record.isObject else { return record.appendUnchanged(to: &output) }
    var cuts: [Cut] = []
    let closing = addCuts(of: tree.levels.count - 1, openedBy: record.opening, record, to: &cuts)
    var copied = (offset: record.start, token: record.opening)
    for cut in cuts {
      output.add(copied.offset..<cut.range.lowerBound, copied.token..<cut.tokens.lowerBound, of: record)
      copied = (cut.range.upperBound, cut.tokens.upperBound)
    }
    let end = record.offset(closing) + 1
    output.add(copied.offset..<end, copied.token..<closing + 1, of: record)
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
        range: member.name.lowerBound..<(isLast ? member.value.upperBound : record.offset(member.end) + 1),
        tokens: member.token - 1..<(isLast ? member.end : member.end + 1))
      if let before = run, before.range.upperBound == cut.range.lowerBound {
        run = Cut(
          range: before.range.lowerBound..<cut.range.upperBound,
          tokens: before.tokens.lowerBound..<cut.tokens.upperBound)
      } else {
        if let ended = run { cuts.append(ended) }
        run = cut
      }
    }
    guard var last = run else { return closing }
    let isAtEnd = last.range.upperBound == record.offset(closing)
    if isAtEnd, last.range.lowerBound > record.offset(opening) + 1 {
      last = Cut(
        range: last.range.lowerBound - 1..<last.range.upperBound,
        tokens: last.tokens.lowerBound - 1..<last.tokens.upperBound)
    }
    cuts.append(last)
    return closing
  }
}

// `keep`: the other way round.

/// Keeps members of records, in the records' own order.
struct MemberKeeper: Sendable {
  private let tree: MemberTree<Void>

  init(_ paths: [JSONPath]) {
    tree = MemberTree(paths.map { ($0, ()) })
  }

  var depth: Int { tree.depth }

  /// Appends the record with these members only, and returns the offset after it.
  ///
  /// A record that is no object stays unchanged. So do null and `[]` on the way to a member, which have no members.
  ///
  /// - Throws: `ModelError` for another value on the way, which would be lost.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    guard record.isObject else { return record.appendUnchanged(to: &output) }
    return try appendObject(tree.levels.count - 1, openedBy: record.opening, record, to: &output)
  }

  /// Appends an object's members that a level names, and returns the offset after the object.
  private func appendObject(
    _ level: Int, openedBy opening: Int, _ record: TokenedRecord, to output: inout RewrittenRecord
  ) throws(ModelError) -> Int {
    let start = record.offset(opening)
    output.add(start..<start + 1, opening..<opening + 1, of: record)
    let (found, closing) = tree.members(of: level, openedBy: opening, record)
    var isFirst = true
    for (member, node) in found {
      // A member's first token is its colon; another member's comma comes before that one's name.
      let offset = isFirst ? member.name.lowerBound : member.name.lowerBound - 1
      let token = isFirst ? member.token - 1 : member.token - 2
      isFirst = false
      if case .level(let inner) = node, try record.hasMembers(member, of: "keep") {
        output.add(offset..<member.value.lowerBound, token..<member.token, of: record)
        do {
          _ = try appendObject(inner, openedBy: member.token, record, to: &output)
        } catch {
          throw error.inside(record.step(to: member))
        }
      } else {
        output.add(offset..<member.value.upperBound, token..<member.end, of: record)
      }
    }
    let end = record.offset(closing)
    output.add(end..<end + 1, closing..<closing + 1, of: record)
    return end + 1
  }
}

// `rename`: other names, in place.

/// Gives members of records other names, and changes nothing else in them.
struct MemberRenamer: Sendable {
  /// A member that is looked for.
  private struct Node {
    /// The member's new name in quotes; nil for one that keeps its name.
    var newName: [UInt8]?
    /// Number of the level of the member's own members.
    var level: Int?
  }

  /// Members of one object that are looked for: those with new names, and those that have one of these names already.
  private struct Level {
    let texts: [String]
    let names: NameTable
    let nodes: [Node]
  }

  private typealias Entry = (steps: ArraySlice<String>, name: String)

  /// The level of the record itself is the last.
  private var levels: [Level] = []
  let depth: Int

  /// - Parameter keys: the style that names have got before; paths have the names of before.
  init(_ members: [(path: JSONPath, name: String)], after keys: Shape.Keys?) {
    depth = members.map(\.path.steps.count).max() ?? 0
    _ = add(members.map { ($0.path.steps.map { keys?.styled($0.name) ?? $0.name }[...], $0.name) })
  }

  private mutating func add(_ entries: [Entry]) -> Int {
    var texts: [String] = []
    for text in entries.compactMap(\.steps.first) where !texts.contains(text) { texts.append(text) }
    var nodes: [Node] = []
    for text in texts {
      let inner = entries.filter { $0.steps.first == text && $0.steps.count > 1 }.map {
        ($0.steps.dropFirst(), $0.name)
      }
      let own = entries.first { $0.steps.first == text && $0.steps.count == 1 }
      nodes.append(Node(newName: own?.name.quotedJSON, level: inner.isEmpty ? nil : add(inner)))
    }
    for name in entries.filter({ $0.steps.count == 1 }).map(\.name) where !texts.contains(name) {
      texts.append(name)
      nodes.append(Node())
    }
    levels.append(Level(texts: texts, names: NameTable(texts), nodes: nodes))
    return levels.count - 1
  }

  /// Appends the record with its new names, and returns the offset after it.
  ///
  /// A record that is no object stays unchanged.
  ///
  /// - Throws: `ModelError` if two different members of one object would have one name.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    guard record.isObject else { return record.appendUnchanged(to: &output) }
    var copied = (offset: record.start, number: record.opening)
    let closing = try rename(levels.count - 1, openedBy: record.opening, record) { member, name in
      output.add(copied.offset..<member.name.lowerBound, copied.number..<member.token - 1, of: record)
      output.add(name)
      copied = (member.name.upperBound, member.token - 1)
    }
    let end = record.offset(closing) + 1
    output.add(copied.offset..<end, copied.number..<closing + 1, of: record)
    return end
  }

  /// Calls `body` in order for each member that gets a name; returns the token number of the object's last bracket.
  private func rename(
    _ number: Int, openedBy opening: Int, _ record: TokenedRecord, _ body: (TokenIndexedMember, [UInt8]) -> Void
  ) throws(ModelError) -> Int {
    let level = levels[number]
    var found: [(member: TokenIndexedMember, number: Int)] = []
    let closing = level.names.forEachMember(openedBy: opening, of: record) { member, number, _ in
      found.append((member, number))
    }
    try check(found.map(\.number), level)
    for (member, number) in found {
      if let name = level.nodes[number].newName { body(member, name) }
      guard let inner = level.nodes[number].level, record.text[member.value.lowerBound] == JSONByte.openObject else {
        continue
      }
      do {
        _ = try rename(inner, openedBy: member.token, record, body)
      } catch {
        throw error.inside(record.step(to: member))
      }
    }
    return closing
  }

  /// Throws if a member has the new name of another one, and keeps it.
  private func check(_ numbers: [Int], _ level: Level) throws(ModelError) {
    for number in numbers {
      guard let name = level.nodes[number].newName else { continue }
      let other = numbers.first { level.nodes[$0].newName == nil && level.texts[$0].quotedJSON == name }
      guard let other else { continue }
      throw ModelError(
        keyPath: KeyPathText.member(level.texts[other]), expected: "one member of this name after 'rename'",
        found: "'\(level.texts[other])' and '\(level.texts[number])'")
    }
  }
}

// `flatten`: the members of an object, one level up.

/// Puts the members of objects in the place of the object that has them, and changes nothing else in records.
struct MemberFlattener: Sendable {
  /// An object that is flattened, or that is on the way to one.
  private struct Level: Sendable {
    var isFlat = false
    var inner: [String: Level] = [:]

    mutating func insert(_ path: ArraySlice<String>) {
      if let name = path.first { inner[name, default: Level()].insert(path.dropFirst()) } else { isFlat = true }
    }
  }

  /// An object while it is written.
  private struct Writer {
    private(set) var text: [UInt8] = [JSONByte.openObject]
    /// The object from which each name came: a name that the server sends twice in one object is no clash.
    private var sources: [[UInt8]: String] = [:]

    mutating func add(_ name: ArraySlice<UInt8>, _ value: some Collection<UInt8>, of source: String) throws(ModelError)
    {
      let decoded = JSONValue(validated: name).string
      let known = sources.updateValue(source, forKey: decoded.map { Array($0.utf8) } ?? Array(name))
      if let known, known != source {
        let quoted = excerpt(of: Array(name), 0..<name.count)
        let owners = [known, source].map { $0.isEmpty ? quoted : "\(quoted) of '\($0)'" }
        throw ModelError(
          keyPath: KeyPathText.member(decoded ?? ""),
          expected: "one member of this name after 'flatten' ('drop' takes one away before)",
          found: owners.joined(separator: " and "))
      }
      if text.count > 1 { text.append(JSONByte.comma) }
      text += name
      text.append(JSONByte.colon)
      text += value
    }

    mutating func end() -> [UInt8] { text + [JSONByte.closeObject] }
  }

  private let root: Level

  init?(_ paths: [JSONPath]) {
    guard !paths.isEmpty else { return nil }
    var root = Level()
    for path in paths { root.insert(path.steps.map(\.name)[...]) }
    self.root = root
  }

  /// Returns the record with these members one level up; a record that is no object stays unchanged.
  ///
  /// - Throws: `ModelError` if two different members would have one name, or if a value can't have members.
  func flattened(_ record: JSONValue) throws(ModelError) -> [UInt8] {
    guard record.kind == .object else { return Array(record.bytes) }
    var writer = Writer()
    try add(record, root, of: "", to: &writer)
    return writer.end()
  }

  private func add(_ object: JSONValue, _ level: Level, of source: String, to writer: inout Writer) throws(ModelError) {
    for member in object.members {
      let name = level.inner.isEmpty ? nil : JSONValue(validated: member.quotedName).string
      guard let name, let inner = level.inner[name] else {
        try writer.add(member.quotedName, member.value.bytes, of: source)
        continue
      }
      let step = KeyPathText.member(name)
      guard member.value.kind == .object else {
        // Some servers write an empty list for an empty object.
        guard member.value.isNull || member.value.text == "[]" else {
          let text = Array(member.value.bytes)
          throw ModelError(
            keyPath: step, expected: "object, as 'flatten' says", found: quotation(of: text, text.indices))
        }
        if !inner.isFlat { try writer.add(member.quotedName, member.value.bytes, of: source) }
        continue
      }
      if inner.isFlat {
        try add(member.value, inner, of: KeyPathText.joined(source.isEmpty ? [step] : [source, step]), to: &writer)
      } else {
        var own = Writer()
        do {
          try add(member.value, inner, of: "", to: &own)
        } catch {
          throw error.inside(step)
        }
        try writer.add(member.quotedName, own.end(), of: source)
      }
    }
  }
}

extension TokenedRecord {
  /// Reports that a value on the way to a member is an object; null and `[]` stand for one without members.
  ///
  /// - Throws: `ModelError` for another value, whose members would stay as they are, or be lost.
  func hasMembers(_ member: TokenIndexedMember, of key: String) throws(ModelError) -> Bool {
    let value = member.value
    if text[value.lowerBound] == JSONByte.openObject { return true }
    // Some servers write an empty list for an empty object.
    if text[value.lowerBound] == UInt8(ascii: "n") || text[value].elementsEqual("[]".utf8) { return false }
    throw ModelError(
      keyPath: step(to: member), expected: "object, as '\(key)' says", found: quotation(of: text, value))
  }

  /// Returns the step to a member, as key path text.
  func step(to member: TokenIndexedMember) -> String {
    KeyPathText.member(JSONValue(validated: text[member.name]).string ?? "")
  }
}

extension ModelError {
  /// Returns the error of a record that has this one in its member.
  func inside(_ step: String) -> ModelError {
    ModelError(keyPath: KeyPathText.joined([step, keyPath]), expected: expected, found: found, isOfModel: isOfModel)
  }
}
