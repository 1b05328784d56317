// `decode.keys`: rewrites member names at every depth to camelCase or snake_case.

import JSONText

extension Shape.Keys {
  /// Returns the name in this style by the rules of Foundation's key strategies, underscores at both ends kept.
  ///
  /// Two of Foundation's accidents are left out. `URLValue` becomes `url_value`, not `u_rl_value`. An underscore goes
  /// only between two letters or digits: `user_Id` becomes `user_id`, not `user__id`.
  package func styled(_ name: String) -> String {
    switch self {
    case .camelCase: Self.camelCase(name)
    case .snakeCase: Self.snakeCase(name)
    }
  }

  /// Reports that the name may change in this style, judged by its undecoded bytes.
  func mayChange(_ name: Range<Int>, in text: [UInt8]) -> Bool {
    for offset in name {
      switch text[offset] {
      case JSONByte.backslash: return true
      case UInt8(ascii: "_"): if self == .camelCase { return true }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF, UInt8(ascii: " "), UInt8(ascii: "-"):
        if self == .snakeCase { return true }
      default: continue
      }
    }
    return false
  }

  private static func camelCase(_ name: String) -> String {
    let leading = name.prefix { $0 == "_" }
    let rest = name[leading.endIndex...]
    let words = rest.split(separator: "_")
    guard words.count > 1, let first = words.first, let last = words.last else { return name }
    return leading + first.lowercased() + words.dropFirst().map(capitalized).joined() + rest[last.endIndex...]
  }

  /// Like Foundation's `capitalized`: title case for the first letter of each run of letters, lower case for the rest.
  private static func capitalized(_ word: Substring) -> String {
    var result = ""
    var isInsideRun = false
    for scalar in word.unicodeScalars {
      let properties = scalar.properties
      if properties.isCased {
        result += isInsideRun ? properties.lowercaseMapping : properties.titlecaseMapping
        isInsideRun = true
      } else {
        result.unicodeScalars.append(scalar)
        if !properties.isCaseIgnorable { isInsideRun = false }
      }
    }
    return result
  }

  private static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for index in characters.indices {
      // `First Name` and `first-name` are words, too.
      if " -".contains(characters[index]) {
        if result.last != "_", index + 1 == characters.count || characters[index + 1] != "_" { result += "_" }
        continue
      }
      if isWordStart(index, of: characters) { result += "_" }
      result += characters[index].lowercased()
    }
    return result
  }

  /// Reports that a word starts at the index.
  ///
  /// In `myURLProperty`, `U` starts a word since a small letter precedes it, and `P` since a small letter follows it.
  private static func isWordStart(_ index: Int, of name: [Character]) -> Bool {
    guard index > 0, name[index].isUppercase else { return false }
    let before = name[index - 1]
    guard before.isUppercase else { return before.isLetter || before.isNumber }
    return index + 1 < name.count && name[index + 1].isLowercase
  }
}

/// Rewrites the member names of records, and nothing else in them.
struct NameRewriter: RecordPass {
  private let style: Shape.Keys
  /// Rewritten names, indexed by their hash; a page has few distinct names.
  private var memo: [(name: [UInt8], styled: [UInt8])] = Array(repeating: ([], []), count: 512)
  private var known = StyledNames()
  /// Longest name that is remembered, so that the memo stays small whatever a server sends.
  private static let longestRemembered = 128

  init(style: Shape.Keys) {
    self.style = style
  }

  /// Tokens are needed at every depth.
  var depth: Int { .max }

  /// Appends the record with its names rewritten, and returns the offset after it.
  ///
  /// - Throws: the name that two different names of one object become.
  mutating func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int {
    copy.begin(record)
    guard JSONByte.opens(record.text[record.start]) else { return copy.finish(record) }
    var isSuspect = false
    let closing = record.tokenIndex.forEachName(inRecord: record.opening, of: record.text) { name, colon in
      if style.mayChange(name, in: record.text) {
        copy.replace(name, colon..<colon, of: record, by: restyled(name, of: record.text, &isSuspect))
      } else if known.has(name, in: record.text) {
        isSuspect = true
      }
    }
    if isSuspect {
      var clashes = NameClashes(in: record, style: style)
      try clashes.check(upTo: closing)
    }
    return copy.finish(record, closedBy: closing)
  }

  /// Returns the rewritten name, with quotes.
  ///
  /// - Parameter isSuspect: set to true if another name of the object may become equal to this name.
  private mutating func restyled(_ range: Range<Int>, of text: [UInt8], _ isSuspect: inout Bool) -> [UInt8] {
    guard range.count <= Self.longestRemembered else {
      isSuspect = true
      return styled(text[range]).quoted
    }
    let slot = text.nameHash(range) & (memo.count - 1)
    if !text.has(memo[slot].name, at: range) {
      let (quoted, change) = styled(text[range])
      if let change, known.add(change.from, becoming: change.to) { isSuspect = true }
      memo[slot] = (Array(text[range]), quoted)
    }
    if known.isContested { isSuspect = true }
    return memo[slot].styled
  }

  /// Rewrites one name; an unchanged name, or one with lone surrogates, stays byte for byte.
  private func styled(_ quoted: ArraySlice<UInt8>) -> (quoted: [UInt8], change: (from: [UInt8], to: [UInt8])?) {
    guard let name = JSONValue(validated: quoted).string else { return (Array(quoted), nil) }
    let styled = style.styled(name)
    let change = (from: Array(name.utf8), to: Array(styled.utf8))
    return (change.from == change.to ? Array(quoted) : styled.quotedJSON, change)
  }
}

// `key: currency`: puts the name of each member of a map into the record that is its value.

/// Puts members with names of maps in front of each record.
///
/// If an object already has a member, its value is replaced in place. A record that is no object becomes
/// `{KEY: …, "value": …}`.
struct Naming: Sendable {
  private let keys: [String]
  /// The bytes `"KEY":` of each member.
  private let labels: [[UInt8]]
  /// Names whose records have not arrived yet, each with its line feed.
  private var waiting: [UInt8] = []

  init(keys: [String]) {
    self.keys = keys
    labels = keys.map { $0.quotedJSON + [JSONByte.colon] }
  }

  /// Returns the lines with their names put in.
  ///
  /// - Parameters:
  ///   - lines: whole lines.
  ///   - names: JSON strings, one a line, as many for each record as there are keys, from the first record that has no
  ///     names yet.
  mutating func named(_ lines: [UInt8], _ names: [UInt8]) -> [UInt8] {
    waiting += names
    var output: [UInt8] = []
    output.reserveCapacity(lines.count + waiting.count)
    var (offset, name) = (0, 0)
    var found: [Range<Int>] = []
    while offset < lines.count, name < waiting.count {
      let end = lines.endOfValue(at: offset)
      found.removeAll(keepingCapacity: true)
      for _ in keys where name < waiting.count {
        let endOfName = waiting.endOfString(at: name)
        found.append(name..<endOfName)
        // `+ 1` skips the line feed.
        name = endOfName + 1
      }
      append(lines[offset..<end], named: found, to: &output)
      output.append(JSONByte.lineFeed)
      offset = end + 1
    }
    waiting.removeFirst(min(name, waiting.count))
    return output
  }

  private func append(_ record: ArraySlice<UInt8>, named names: [Range<Int>], to output: inout [UInt8]) {
    var value = JSONValue(validated: record)
    var added: [Int] = []
    for (index, name) in names.enumerated() {
      if value[keys[index]] != nil, let changed = value.setting(keys[index], to: JSONValue(validated: waiting[name])) {
        value = changed
      } else {
        added.append(index)
      }
    }
    guard !added.isEmpty else { return output += value.bytes }
    output.append(JSONByte.openObject)
    for (position, index) in added.enumerated() {
      if position > 0 { output.append(JSONByte.comma) }
      output += labels[index]
      output += waiting[names[index]]
    }
    if value.kind != .object {
      output += #","value":"#.utf8
      output += record
      output.append(JSONByte.closeObject)
    } else {
      if value.bytes.count > 2 { output.append(JSONByte.comma) }
      output += value.bytes.dropFirst()
    }
  }
}

extension [UInt8] {
  /// Reports that a range of this text has these bytes.
  fileprivate func has(_ name: [UInt8], at range: Range<Int>) -> Bool {
    guard name.count == range.count else { return false }
    var offset = range.lowerBound
    for byte in name {
      if self[offset] != byte { return false }
      offset &+= 1
    }
    return true
  }

  /// FNV-1a hash of the range.
  ///
  /// Names are short, so a hash with a more costly start would not be faster. Colliding names from a server
  /// cost time only: callers stay correct and bounded.
  func nameHash(_ range: Range<Int>) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for offset in range { hash = (hash ^ UInt32(self[offset])) &* 0x0100_0193 }
    return Int(hash ^ (hash >> 15))
  }
}

// Finds names of one object that become equal when they are rewritten. A reader of the record would see one of their
// values and lose the others.

/// Full check of one record for names that become equal; its token index must cover every depth.
struct NameClashes {
  private struct Container {
    /// New names of the container's members, each with the range of its old name.
    var names: [String: Range<Int>] = [:]
    let isObject: Bool
    /// Current step into the container, as key path text.
    var step: String { isObject ? member : KeyPathText.element(index) }
    var member = ""
    var index = 0
  }

  private let record: TokenedRecord
  private let style: Shape.Keys
  private var open: [Container] = []

  init(in record: TokenedRecord, style: Shape.Keys) {
    self.record = record
    self.style = style
  }

  /// Checks every name from the record's first token to its last bracket.
  ///
  /// - Parameter closing: token number of the record's last bracket.
  /// - Throws: the first new name that two different names of one object become.
  mutating func check(upTo closing: Int) throws(ModelError) {
    for number in record.opening..<closing {
      let offset = record.offset(number)
      switch record.text[offset] {
      case JSONByte.openObject: open.append(Container(isObject: true))
      case JSONByte.openArray: open.append(Container(isObject: false))
      case JSONByte.comma: open[open.count - 1].index += 1
      case JSONByte.colon: try take(record.offset(number - 1) + 1..<offset)
      default: open.removeLast()
      }
    }
  }

  /// A name that the server sent twice is no clash.
  private mutating func take(_ range: Range<Int>) throws(ModelError) {
    guard let name = name(at: range) else { return }
    let styled = style.mayChange(range, in: record.text) ? style.styled(name) : name
    let last = open.count - 1
    open[last].member = KeyPathText.member(styled)
    guard let other = open[last].names.updateValue(range, forKey: styled), self.name(at: other) != name else { return }
    throw ModelError(
      keyPath: KeyPathText.joined(open.map(\.step)),
      expected: "one member of this name after 'decode' (without 'keys' both stay)",
      found: "\(excerpt(of: record.text, other)) and \(excerpt(of: record.text, range))")
  }

  private func name(at range: Range<Int>) -> String? { JSONValue(validated: record.text[range]).string }
}

/// Rewritten names so far: a cheap test for whether a record needs the full check of `NameClashes`.
struct StyledNames: Sendable {
  /// Limit of remembered names; a server that sends values as names gets the full check instead.
  private static let most = 4_096

  /// First original name for each rewritten name.
  private var sources: [[UInt8]: [UInt8]] = [:]
  /// Bit set of the hashes of all rewritten names.
  private var bits = [UInt64](repeating: 0, count: 64)
  /// True if different names became equal, perhaps in different objects, or if there are too many names to know.
  private(set) var isContested = false

  /// Remembers a name and its rewritten form, both without quotes.
  ///
  /// Returns true if the rewritten form is new: an equal name may precede it in the record.
  mutating func add(_ name: [UInt8], becoming styled: [UInt8]) -> Bool {
    if let source = sources[styled] {
      if source != name { isContested = true }
      return false
    }
    guard sources.count < Self.most else {
      isContested = true
      return true
    }
    sources[styled] = name
    let bit = Self.bit(of: styled, styled.indices)
    bits[bit >> 6] |= 1 << UInt64(bit & 63)
    return true
  }

  /// Reports that another name was rewritten to the name in this range, which includes its quotes.
  func has(_ name: Range<Int>, in text: [UInt8]) -> Bool {
    let name = name.lowerBound + 1..<name.upperBound - 1
    let bit = Self.bit(of: text, name)
    return bits[bit >> 6] & 1 << UInt64(bit & 63) != 0 && sources[Array(text[name])] != nil
  }

  /// Small hash of the length and three letters; other names may share it.
  private static func bit(of text: [UInt8], _ name: Range<Int>) -> Int {
    guard let last = name.last else { return 0 }
    let (start, middle) = (Int(text[name.lowerBound]), Int(text[name.lowerBound + name.count / 2]))
    return (name.count &* 31 &+ start &* 7 &+ middle &* 61 &+ Int(text[last]) &* 13) & 4_095
  }
}
