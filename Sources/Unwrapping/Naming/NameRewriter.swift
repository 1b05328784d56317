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
    for place in name {
      switch text[place] {
      case JSONByte.backslash: return true
      case UInt8(ascii: "_"): if self == .camelCase { return true }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF: if self == .snakeCase { return true }
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
    for place in characters.indices {
      if isWordStart(place, of: characters) { result += "_" }
      result += characters[place].lowercased()
    }
    return result
  }

  /// Reports that a word starts at the index.
  ///
  /// In `myURLProperty`, `U` starts a word since a small letter precedes it, and `P` since a small letter follows it.
  private static func isWordStart(_ place: Int, of name: [Character]) -> Bool {
    guard place > 0, name[place].isUppercase else { return false }
    let before = name[place - 1]
    guard before.isUppercase else { return before.isLetter || before.isNumber }
    return place + 1 < name.count && name[place + 1].isLowercase
  }
}

/// Rewrites the member names of records, and nothing else in them.
struct NameRewriter: Sendable {
  private let style: Shape.Keys
  /// Rewritten names, indexed by their hash; a page has few distinct names.
  private var memo: [(name: [UInt8], styled: [UInt8])] = Array(repeating: ([], []), count: 512)
  private var known = StyledNames()
  /// Longest name that is remembered, so that the memo stays small whatever a server sends.
  private static let longestRemembered = 128

  init(style: Shape.Keys) {
    self.style = style
  }

  /// Appends the record with its names rewritten, and returns the offset after it.
  ///
  /// The token index must cover every depth.
  ///
  /// - Throws: the name that two different names of one object become.
  mutating func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    guard JSONByte.opens(record.text[record.start]) else {
      let end = record.text.endOfValue(at: record.start)
      output.add(record.start..<end, 0..<0, of: record)
      return end
    }
    var copied = (place: record.start, number: record.opening)
    var isSuspect = false
    let closing = record.tokenIndex.forEachName(inRecord: record.opening, of: record.text) { name, number in
      guard style.mayChange(name, in: record.text) else {
        if known.has(name, in: record.text) { isSuspect = true }
        return
      }
      output.add(copied.place..<name.lowerBound, copied.number..<number, of: record)
      output.add(restyled(name, of: record.text, &isSuspect))
      copied = (name.upperBound, number)
    }
    if isSuspect {
      var clashes = NameClashes(in: record, style: style)
      try clashes.check(upTo: closing)
    }
    let end = record.place(closing) + 1
    output.add(copied.place..<end, copied.number..<closing + 1, of: record)
    return end
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
    if !text.has(memo[slot].name, memo[slot].name.indices, at: range) {
      let (quoted, change) = styled(text[range])
      if let change, known.note(change.from, becoming: change.to) { isSuspect = true }
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
