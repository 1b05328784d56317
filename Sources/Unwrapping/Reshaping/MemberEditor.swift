// `drop`, `keep`, `rename`, `decode.dates`, `decode.types` and `decode.nulls`: one walk to the members that a spec names.

import JSONText

/// Leaves out, keeps, renames or reads members of records, and changes nothing else in them.
///
/// A record that is no object stays unchanged.
struct MemberEditor: RecordPass {
  /// What happens to a member; no edit is reference-counted, since edits are read for members of every record.
  private enum Edit: Sendable {
    case drop
    /// Stays, while members without an edit are left out.
    case keep
    /// Gets another name: number in `newNames`.
    case rename(Int)
    /// Has the new name of another member already, which it must not.
    case hasNewName
    /// Number in `readers`.
    case read(Int)

    var isRename: Bool { if case .rename = self { true } else { false } }

    /// True if the edit covers the members of the member.
    var isOfWholeMember: Bool {
      switch self {
      case .drop, .keep, .read: true
      case .rename, .hasNewName: false
      }
    }
  }

  private struct Node: Sendable {
    let edit: Edit?
    /// Number of the level of the member's own members.
    let level: Int?
  }

  /// Members of one object that are looked for.
  private struct Level: Sendable {
    let texts: [String]
    let names: NameTable
    let nodes: [Node]
  }

  private typealias Path = (names: ArraySlice<String>, edit: Edit)

  /// The level of the record itself is the last.
  private var levels: [Level] = []
  let depth: Int
  /// Key whose paths may only lead through objects; nil if other values on the way stay as they are.
  private let strictKey: String?
  /// True if members without an edit are left out.
  private let keepsOnly: Bool
  /// New names in quotes; empty if no member gets another name.
  private let newNames: [[UInt8]]
  private let readers: [MemberReader]

  init(drop paths: [JSONPath]) {
    self.init(paths.map { ($0.names[...], .drop) })
  }

  init(keep paths: [JSONPath]) {
    self.init(paths.map { ($0.names[...], .keep) }, strictKey: "keep", keepsOnly: true)
  }

  /// - Parameter keys: the style that names have got before; paths have the names of before.
  init(rename members: [(path: JSONPath, name: String)], after keys: Shape.Keys?) {
    let paths = members.map { $0.path.names.map { keys?.styled($0) ?? $0 } }
    let taken: [Path] = zip(paths, members).map { ($0.dropLast() + [$1.name], .hasNewName) }
    self.init(
      paths.enumerated().map { ($1[...], .rename($0)) } + taken, newNames: members.map(\.name.quotedJSON))
  }

  init(read members: [(path: JSONPath, reader: MemberReader)]) {
    self.init(
      members.enumerated().map { ($1.path.names[...], .read($0)) }, strictKey: "decode", readers: members.map(\.reader))
  }

  private init(
    _ paths: [Path], strictKey: String? = nil, keepsOnly: Bool = false, newNames: [[UInt8]] = [],
    readers: [MemberReader] = []
  ) {
    (self.strictKey, self.keepsOnly, self.newNames, self.readers) = (strictKey, keepsOnly, newNames, readers)
    depth = paths.map(\.names.count).max() ?? 0
    _ = add(paths)
  }

  /// Adds the level of these paths after those of its members, and returns its number.
  ///
  /// Where a path leads through a member that is left out, kept or read, the member's own edit counts.
  private mutating func add(_ paths: [Path]) -> Int {
    var texts: [String] = []
    for name in paths.compactMap(\.names.first) where !texts.contains(name) { texts.append(name) }
    var nodes: [Node] = []
    for text in texts {
      let own = paths.filter { $0.names.first == text }.map { (names: $0.names.dropFirst(), edit: $0.edit) }
      let edit = own.first { $0.names.isEmpty }?.edit
      let inner = own.filter { !$0.names.isEmpty }
      nodes.append(Node(edit: edit, level: inner.isEmpty || edit?.isOfWholeMember == true ? nil : add(inner)))
    }
    levels.append(Level(texts: texts, names: NameTable(texts), nodes: nodes))
    return levels.count - 1
  }

  /// - Throws: `ModelError` for a value that can't be read, for one on the way to a member that `strictKey` refuses, and
  ///   for a new name that another member of the object has.
  func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int {
    copy.begin(record)
    guard record.isObject else { return copy.finish(record) }
    let closing = try edit(levels.count - 1, openedBy: record.opening, record, &copy)
    return copy.finish(record, closedBy: closing)
  }

  /// Edits the members of an object in order, and returns the number of its last bracket.
  private func edit(
    _ level: Int, openedBy opening: Int, _ record: TokenedRecord, _ copy: inout RecordCopy
  ) throws(ModelError) -> Int {
    var found: [(member: TokenIndexedMember, number: Int)] = []
    let closing = levels[level].names.forEachMember(openedBy: opening, of: record) { member, number, _ in
      found.append((member, number))
    }
    if !newNames.isEmpty { try checkNames(found.map(\.number), levels[level]) }
    // End of the members so far: of those that were left out from the first on, or of those that are kept.
    var end = (offset: record.offset(opening) + 1, token: opening + 1)
    for (member, number) in found {
      // A member's first token is its colon, and the comma before the member stands directly before the name.
      let (name, colon) = (member.name.lowerBound, member.token - 1)
      if keepsOnly {
        let comma = end.token == opening + 1 ? 0 : 1
        copy.replace(end.offset..<name - comma, end.token..<colon - comma, of: record)
        end = (member.value.upperBound, member.end)
      }
      switch levels[level].nodes[number].edit {
      case .drop:
        // The comma after the member goes, too, if no member stays before it; otherwise the one before it goes.
        let (isFirst, isLast) = (name == end.offset, member.end == closing)
        let (before, after) = (isFirst ? 0 : 1, isFirst && !isLast ? 1 : 0)
        copy.replace(name - before..<member.value.upperBound + after, colon - before..<member.end + after, of: record)
        if isFirst { end = (member.value.upperBound + after, member.end + after) }
      case .rename(let name): copy.replace(member.name, colon..<colon, of: record, by: newNames[name])
      case .read(let reader):
        if let bytes = try readers[reader].written(member, of: record) {
          copy.replace(member.value, member.token..<member.end, of: record, by: bytes)
        }
      case .keep, .hasNewName, nil: break
      }
      guard let inner = levels[level].nodes[number].level, try record.hasMembers(member, of: strictKey) else {
        continue
      }
      do {
        _ = try edit(inner, openedBy: member.token, record, &copy)
      } catch {
        throw error.inside(record.step(to: member))
      }
    }
    if keepsOnly { copy.replace(end.offset..<record.offset(closing), end.token..<closing, of: record) }
    return closing
  }

  /// Throws if a member has the new name of another one, and keeps it.
  private func checkNames(_ numbers: [Int], _ level: Level) throws(ModelError) {
    for number in numbers {
      guard case .rename(let name) = level.nodes[number].edit else { continue }
      let other = numbers.first {
        level.nodes[$0].edit?.isRename != true && level.texts[$0].quotedJSON == newNames[name]
      }
      guard let other else { continue }
      throw ModelError(
        keyPath: KeyPathText.member(level.texts[other]), expected: "one member of this name after 'rename'",
        found: "'\(level.texts[other])' and '\(level.texts[number])'")
    }
  }
}

extension JSONPath {
  fileprivate var names: [String] { steps.map(\.name) }
}

// Finds names that are known beforehand by the bytes of a record.

/// Numbers names from 0, so that one pass over a record's members needs no look-up by text.
struct NameTable: Sendable {
  private let names: WantedNames
  /// The names, quoted and minimally escaped.
  private let quoted: [[UInt8]]

  init(_ names: [String]) {
    self.names = WantedNames(names)
    quoted = names.map(\.quotedJSON)
  }

  /// Calls `body` for each member that has one of the names, and returns the token number of the object's last bracket.
  ///
  /// `body` gets the name's number, and whether the name has no needless escapes.
  func forEachMember(
    openedBy opening: Int, of record: TokenedRecord,
    _ body: (TokenIndexedMember, _ number: Int, _ isPlain: Bool) -> Void
  ) -> Int {
    record.tokenIndex.forEachMember(openedBy: opening, of: record.text, in: names) { member, match in
      switch match {
      case .none: break
      case .number(let number): body(member, number, true)
      case .escaped:
        let name = record.text[member.name]
        guard let number = JSONValue(validated: name).string.flatMap({ names.known($0) }) else { return }
        body(member, number, name.elementsEqual(quoted[number]))
      }
    }
  }
}

// `flatten`: the members of an object, one level up.

/// Puts the members of objects in the place of the object that has them, and changes nothing else in records.
struct MemberFlattener: RecordPass {
  /// An object that is flattened, or that is on the way to one.
  private struct Level: Sendable {
    var isFlat = false
    var inner: [String: Level] = [:]

    mutating func insert(_ path: ArraySlice<String>) {
      if let name = path.first { inner[name, default: Level()].insert(path.dropFirst()) } else { isFlat = true }
    }
  }

  /// An object while it is copied.
  private struct Copied {
    /// End of the members so far, and the number of the token there.
    var end: (offset: Int, token: Int)
    /// The object from which each name came: a name that the server sends twice in one object is no clash.
    private var sources: [[UInt8]: String] = [:]

    init(openedBy opening: Int, of record: TokenedRecord) {
      end = (record.offset(opening) + 1, opening + 1)
    }

    var isEmpty: Bool { sources.isEmpty }

    mutating func add(_ name: ArraySlice<UInt8>, of source: String) throws(ModelError) {
      // A name with a lone surrogate stays as it is spelled, with its quotes.
      let decoded = name.contains(JSONByte.backslash) ? JSONValue(validated: name).string.map { Array($0.utf8) } : nil
      let key = decoded ?? Array(name.contains(JSONByte.backslash) ? name : name.dropFirst().dropLast())
      let known = sources.updateValue(source, forKey: key)
      guard let known, known != source else { return }
      let quoted = excerpt(of: Array(name), 0..<name.count)
      let owners = [known, source].map { $0.isEmpty ? quoted : "\(quoted) of '\($0)'" }
      throw ModelError(
        keyPath: KeyPathText.member(JSONValue(validated: name).string ?? ""),
        expected: "one member of this name after 'flatten' ('drop' takes one away before)",
        found: owners.joined(separator: " and "))
    }
  }

  private let root: Level
  let depth: Int

  init(_ paths: [JSONPath]) {
    var root = Level()
    for path in paths { root.insert(path.names[...]) }
    self.root = root
    depth = (paths.map(\.steps.count).max() ?? 0) + 1
  }

  /// Appends the record with these members one level up; a record that is no object stays unchanged.
  ///
  /// - Throws: `ModelError` if two different members would have one name, or if a value can't have members.
  func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int {
    copy.begin(record)
    guard record.isObject else { return copy.finish(record) }
    return copy.finish(record, closedBy: try flatten(root, openedBy: record.opening, record, &copy))
  }

  /// Copies an object, and returns the number of its last bracket.
  private func flatten(
    _ level: Level, openedBy opening: Int, _ record: TokenedRecord, _ copy: inout RecordCopy
  ) throws(ModelError) -> Int {
    var object = Copied(openedBy: opening, of: record)
    let closing = try add(level, openedBy: opening, of: "", after: nil, record, to: &object, &copy)
    copy.replace(object.end.offset..<record.offset(closing), object.end.token..<closing, of: record)
    return closing
  }

  /// Adds the members of an object to the one that is copied, and returns the number of the object's last bracket.
  ///
  /// - Parameters:
  ///   - source: path of the object from the one that is copied.
  ///   - comma: number of the comma before the object; nil if it has none.
  private func add(
    _ level: Level, openedBy opening: Int, of source: String, after comma: Int?, _ record: TokenedRecord,
    to object: inout Copied, _ copy: inout RecordCopy
  ) throws(ModelError) -> Int {
    var closing = opening + 1
    for member in record.tokenIndex.members(openedBy: opening, of: record.text) {
      // A member's first token is its colon, before which the comma or the object's first bracket is.
      let comma = member.token - 2 > opening ? member.token - 2 : comma
      closing = member.end
      let name = level.inner.isEmpty ? nil : JSONValue(validated: record.text[member.name]).string
      let inner = name.flatMap { level.inner[$0] }
      let hasMembers = inner == nil ? false : try record.hasMembers(member, of: "flatten")
      if let inner, inner.isFlat {
        guard hasMembers else { continue }
        let step = record.step(to: member)
        _ = try add(
          inner, openedBy: member.token, of: KeyPathText.joined(source.isEmpty ? [step] : [source, step]), after: comma,
          record, to: &object, &copy)
        continue
      }
      let (start, end) = ((offset: member.name.lowerBound, token: member.token - 1), object.end)
      if let comma, !object.isEmpty {
        let offset = record.offset(comma)
        copy.replace(end.offset..<offset, end.token..<comma, of: record)
        copy.replace(offset + 1..<start.offset, comma + 1..<start.token, of: record)
      } else {
        copy.replace(end.offset..<start.offset, end.token..<start.token, of: record)
      }
      if let inner, hasMembers {
        do {
          _ = try flatten(inner, openedBy: member.token, record, &copy)
        } catch {
          throw error.inside(record.step(to: member))
        }
      }
      try object.add(record.text[member.name], of: source)
      object.end = (member.value.upperBound, member.end)
    }
    return closing
  }
}

extension TokenedRecord {
  /// Reports that a value on the way to a member is an object; null and `[]` stand for one without members.
  ///
  /// - Throws: `ModelError` for another value, whose members would stay as they are, or be lost.
  fileprivate func hasMembers(_ member: TokenIndexedMember, of key: String?) throws(ModelError) -> Bool {
    let value = member.value
    if text[value.lowerBound] == JSONByte.openObject { return true }
    // Some servers write an empty list for an empty object.
    guard let key, text[value.lowerBound] != UInt8(ascii: "n"), !text[value].elementsEqual("[]".utf8) else {
      return false
    }
    throw ModelError(
      keyPath: step(to: member), expected: "object, as '\(key)' says", found: quotation(of: text, value))
  }
}

extension ModelError {
  /// Returns the error of a record that has this one in its member.
  func inside(_ step: String) -> ModelError {
    ModelError(keyPath: KeyPathText.joined([step, keyPath]), expected: expected, found: found, isOfModel: isOfModel)
  }
}
