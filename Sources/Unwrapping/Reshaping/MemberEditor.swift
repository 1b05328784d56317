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
      guard let inner = levels[level].nodes[number].level, try hasMembers(member, of: record) else { continue }
      do {
        _ = try edit(inner, openedBy: member.token, record, &copy)
      } catch {
        throw error.inside(record.step(to: member))
      }
    }
    if keepsOnly { copy.replace(end.offset..<record.offset(closing), end.token..<closing, of: record) }
    return closing
  }

  /// Reports that a value on the way to a member is an object; null and `[]` stand for one without members.
  ///
  /// - Throws: `ModelError` for another value, whose members would stay as they are, or be lost.
  private func hasMembers(_ member: TokenIndexedMember, of record: TokenedRecord) throws(ModelError) -> Bool {
    let (text, value) = (record.text, member.value)
    if text[value.lowerBound] == JSONByte.openObject { return true }
    // Some servers write an empty list for an empty object.
    guard let strictKey, text[value.lowerBound] != UInt8(ascii: "n"), !text[value].elementsEqual("[]".utf8) else {
      return false
    }
    throw ModelError(
      keyPath: record.step(to: member), expected: "object, as '\(strictKey)' says", found: quotation(of: text, value))
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

  /// An object while it is written.
  private struct Writer {
    private(set) var text: [UInt8] = [JSONByte.openObject]
    /// The object from which each name came: a name that the server sends twice in one object is no clash.
    private var sources: [[UInt8]: String] = [:]

    mutating func add(_ name: ArraySlice<UInt8>, _ value: some Collection<UInt8>, of source: String) throws(ModelError)
    {
      let known = sources.updateValue(source, forKey: Self.key(name))
      if let known, known != source {
        let quoted = excerpt(of: Array(name), 0..<name.count)
        let owners = [known, source].map { $0.isEmpty ? quoted : "\(quoted) of '\($0)'" }
        throw ModelError(
          keyPath: KeyPathText.member(JSONValue(validated: name).string ?? ""),
          expected: "one member of this name after 'flatten' ('drop' takes one away before)",
          found: owners.joined(separator: " and "))
      }
      if text.count > 1 { text.append(JSONByte.comma) }
      text += name
      text.append(JSONByte.colon)
      text += value
    }

    /// The decoded name; a name with a lone surrogate stays as it is spelled, with its quotes.
    private static func key(_ name: ArraySlice<UInt8>) -> [UInt8] {
      guard name.contains(JSONByte.backslash) else { return Array(name.dropFirst().dropLast()) }
      return JSONValue(validated: name).string.map { Array($0.utf8) } ?? Array(name)
    }

    mutating func end() -> [UInt8] { text + [JSONByte.closeObject] }
  }

  private let root: Level
  let depth = 0

  init(_ paths: [JSONPath]) {
    var root = Level()
    for path in paths { root.insert(path.steps.map(\.name)[...]) }
    self.root = root
  }

  /// Appends the record with these members one level up; a record that is no object stays unchanged.
  ///
  /// - Throws: `ModelError` if two different members would have one name, or if a value can't have members.
  func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int {
    copy.begin(record)
    guard record.isObject else { return copy.finish(record) }
    let end = record.text.endOfValue(at: record.start)
    var writer = Writer()
    try add(JSONValue(validated: record.text[record.start..<end]), root, of: "", to: &writer)
    copy.write(writer.end())
    return end
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

extension ModelError {
  /// Returns the error of a record that has this one in its member.
  func inside(_ step: String) -> ModelError {
    ModelError(keyPath: KeyPathText.joined([step, keyPath]), expected: expected, found: found, isOfModel: isOfModel)
  }
}
