// The reader of the YAML subset: its position in the text, and the helpers that all its parts need.

import Diagnostics

/// Reads one YAML 1.2 document, or one JSON text; see `Node.init(reading:)` for its guarantees.
///
/// Block maps and lists are frames of a stack that indentation pushes and pops. Flow collections are frames of a stack
/// of their own, as no block can be inside them. Nothing recurses, so no input can overflow the stack.
struct YAMLReader {
  /// Deepest nesting, as for bodies.
  static let depthLimit = 1_024
  /// Limit for the number of diagnostics.
  static let mistakeLimit = 100

  let source: SourceText
  let bytes: [UInt8]
  var position: Int
  /// Offset at which the line of `position` begins.
  var lineStart: Int
  /// Offset of the last line that was read as an entry or a value.
  var takenLine = -1
  var mistakes: [Diagnostic] = []
  var stack: [BlockFrame] = []
  var root: Node?
  /// The last comment that stands in place of a value in a flow collection.
  var valueComment: Range<Int>?
  /// Ranges of quoted scalars, in order; only they may have characters that are not printable.
  var quotedRanges: [Range<Int>] = []

  init(_ source: SourceText) {
    self.source = source
    bytes = source.bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    lineStart = position
  }

  /// Returns the byte at the offset; past the end, NUL, which no accepted text has.
  func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  var isAtEnd: Bool { position >= bytes.count }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func lineNumber(at offset: Int) -> Int { source.position(at: offset).line }

  mutating func report(_ message: String, at range: Range<Int>, advice: String? = nil) {
    guard mistakes.count < Self.mistakeLimit else { return }
    mistakes.append(Diagnostic(message, at: range, advice: advice))
  }

  /// Returns the end of the offset's line, before its line break.
  func lineEnd(from offset: Int) -> Int {
    var end = offset
    while !byte(end).isBreakOrEnd { end += 1 }
    return end
  }

  /// Returns the end of a run of spaces and tabs.
  func whiteEnd(from offset: Int) -> Int {
    var end = offset
    while byte(end).isWhite { end += 1 }
    return end
  }

  /// Skips spaces and tabs.
  mutating func skipWhite() { position = whiteEnd(from: position) }

  /// Skips a line break, if there is one: LF, CR LF or CR.
  mutating func skipBreak() {
    if byte(position) == .carriageReturn {
      position += byte(position + 1) == .lineFeed ? 2 : 1
    } else if byte(position) == .lineFeed {
      position += 1
    }
    lineStart = position
  }

  /// True if the line at the offset is `---` or `...` alone, the border of a document.
  func isMarker(at offset: Int) -> Bool {
    isMarker(.dash, at: offset) || isMarker(.dot, at: offset)
  }

  func isMarker(_ letter: UInt8, at offset: Int) -> Bool {
    offset == lineStart && byte(offset) == letter && byte(offset + 1) == letter && byte(offset + 2) == letter
      && byte(offset + 3).isBlankOrEnd
  }
}

extension YAMLReader {
  /// Skips empty lines and comments, and returns the next line with content, or nil at the end of the document.
  ///
  /// `position` must be at the start of a line.
  mutating func nextContentLine() -> ContentLine? {
    while !isAtEnd {
      if isMarker(at: position) { return nil }
      var content = lineStart
      while byte(content) == .space { content += 1 }
      let indent = content - lineStart
      content = whiteEnd(from: content)
      if !byte(content).isBreakOrEnd, byte(content) != .hash {
        return ContentLine(start: lineStart, indent: indent, content: content)
      }
      position = lineEnd(from: content)
      skipBreak()
    }
    return nil
  }

  /// Skips the rest of the line after a value, which may only have white space and a comment.
  mutating func finishLine() throws(Diagnostic) {
    let rest = whiteEnd(from: position)
    if byte(rest) == .hash {
      guard rest > position else { throw commentWithoutSpace(at: rest) }
    } else if !byte(rest).isBreakOrEnd {
      throw textAfterValue(at: rest)
    }
    position = lineEnd(from: rest)
    skipBreak()
  }

  private func textAfterValue(at offset: Int) -> Diagnostic {
    let isAfterQuote = quotedRanges.last?.upperBound == position
    let isApostrophe = isAfterQuote && byte(position - 1) == .apostrophe
    return Diagnostic(
      isAfterQuote ? "text after a closing quote" : "text after the end of a value",
      at: offset..<lineEnd(from: offset),
      advice: isApostrophe ? "in single quotes an apostrophe is written twice: ''" : "put the whole text in quotes")
  }

  func commentWithoutSpace(at offset: Int) -> Diagnostic {
    Diagnostic("a comment needs a space before '#'", at: offset..<offset + 1)
  }
}

// One document, with its start and end.

extension YAMLReader {
  mutating func readDocument() -> Node {
    do throws(Diagnostic) {
      try readStart()
      readBlocks()
      if mistakes.isEmpty { try readEnd() }
    } catch {
      mistakes.append(error)
    }
    leaveOutAliases()
    return root ?? Node(content: .null, range: bytes.count..<bytes.count)
  }

  /// Leaves out the mistakes about aliases of anchors that are mistakes themselves.
  private mutating func leaveOutAliases() {
    let words = mistakes.map { text($0.range) }
    let anchors = Set(words.filter { $0.hasPrefix("&") }.map { $0.dropFirst() })
    mistakes = zip(mistakes, words).filter { !$1.hasPrefix("*") || !anchors.contains($1.dropFirst()) }.map(\.0)
  }

  /// Skips comments and a `---` before the content.
  private mutating func readStart() throws(Diagnostic) {
    if let line = nextContentLine() {
      position = line.start
      if byte(position) == UInt8(ascii: "%") { throw directive() }
    } else if isMarker(.dash, at: position) {
      takenLine = lineStart
      position += 3
    }
  }

  private func directive() -> Diagnostic {
    Diagnostic(
      "a line that begins with '%' is a YAML directive, and these are not supported",
      at: position..<lineEnd(from: position), advice: "put text that begins with '%' in quotes")
  }

  /// Reads `...` and comments after the content.
  private mutating func readEnd() throws(Diagnostic) {
    while isMarker(.dot, at: position) {
      position += 3
      let rest = whiteEnd(from: position)
      guard byte(rest).isBreakOrEnd || byte(rest) == .hash else {
        throw Diagnostic("only a comment may follow '...'", at: rest..<lineEnd(from: rest))
      }
      position = lineEnd(from: rest)
      skipBreak()
      if let line = nextContentLine() { position = line.content }
    }
    guard isAtEnd else {
      throw Diagnostic(
        "a second document begins here, and a spec is one document", at: position..<lineEnd(from: position),
        advice: "put it into a file of its own")
    }
  }
}

// MARK: - Lines

/// Line that has more than white space and a comment.
struct ContentLine {
  let start: Int
  /// Number of spaces before the content, or before the first tab.
  let indent: Int
  let content: Int

  /// True if a tab precedes the content.
  var hasTab: Bool { content - start != indent }
}

/// Keys of one map, to find duplicates.
///
/// Keys compare by their bytes: two spellings of `é` are equal strings to Swift, but different keys to JSON.
struct KeySet {
  /// Keys by text; each value lists the spellings that Swift takes for equal.
  private var keys: [String: [NodeKey]] = [:]

  /// Adds a key, or returns the offset of the equal key that was added before.
  mutating func insert(_ key: NodeKey) -> Int? {
    let spellings = keys[key.text] ?? []
    let first = spellings.first { $0.text.utf8.elementsEqual(key.text.utf8) }
    if let first { return first.range.lowerBound }
    keys[key.text] = spellings + [key]
    return nil
  }
}

/// Key and its range in the source.
struct NodeKey {
  let text: String
  let range: Range<Int>
}

// Names for the bytes that have a meaning in YAML.

extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let hash = UInt8(ascii: "#")
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let backslash = UInt8(ascii: "\\")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let dash = UInt8(ascii: "-")
  static let dot = UInt8(ascii: ".")
  static let question = UInt8(ascii: "?")
  static let dollar = UInt8(ascii: "$")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")

  /// True for `s-white`.
  var isWhite: Bool { self == .space || self == .tab }
  /// True for `b-char`, and for the NUL that means the end.
  var isBreakOrEnd: Bool { self == .lineFeed || self == .carriageReturn || self == 0 }
  var isBlankOrEnd: Bool { isWhite || isBreakOrEnd }
  /// True for `c-flow-indicator`.
  var isFlowIndicator: Bool {
    switch self {
    case .comma, .openBracket, .closeBracket, .openBrace, .closeBrace: true
    default: false
    }
  }
  /// True for `c-indicator`, which no plain scalar begins with (`-`, `?` and `:` may, before text).
  var isIndicator: Bool { "-?:,[]{}#&*!|>'\"%@`".utf8.contains(self) }
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// Value of a hexadecimal digit of either case.
  var hexValue: UInt32? {
    switch self {
    case 0x30...0x39: UInt32(self) - 0x30
    case 0x41...0x46: UInt32(self) - 0x41 + 10
    case 0x61...0x66: UInt32(self) - 0x61 + 10
    default: nil
    }
  }
}

// MARK: The encoding of a spec: UTF-8, and the characters that it allows (YAML 1.2 §5.1)

extension SourceText {
  /// Size limit of a spec; a larger file is probably the wrong file.
  package static let specSizeLimit = 16 * 1_024 * 1_024

  /// Throws if the text is too large, in another encoding, or has control characters.
  ///
  /// - Returns: Offsets, in order, of characters that are only allowed in quotes.
  func checkCharacters(sizeLimit: Int = specSizeLimit) throws(Diagnostic) -> [Int] {
    if bytes.count > sizeLimit { throw Diagnostic("a spec can't be larger than \(sizeLimit >> 20) MiB", at: 0..<0) }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Diagnostic("the text is UTF-16", at: 0..<2, advice: "save it as UTF-8")
    }
    var onlyQuoted: [Int] = []
    var offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x80 {
        try checkControl(byte, at: offset)
        if byte == 0x7F { onlyQuoted.append(offset) }
        offset += 1
        continue
      }
      guard let (scalar, length) = Self.scalar(in: bytes, at: offset) else {
        throw Diagnostic("this is not UTF-8", at: offset..<offset + 1, advice: "save the file as UTF-8")
      }
      if !Self.isPrintable(scalar) { onlyQuoted.append(offset) }
      offset += length
    }
    return onlyQuoted
  }

  private func checkControl(_ byte: UInt8, at offset: Int) throws(Diagnostic) {
    if byte >= 0x20 || byte == .tab || byte == .lineFeed || byte == .carriageReturn { return }
    let name = "\\u{\(String(byte, radix: 16))}"
    throw Diagnostic(
      "the control character \(name) can't stand in a spec", at: offset..<offset + 1,
      advice: "in double quotes it can be written \\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
  }

  /// Reports that a non-ASCII scalar is in `c-printable` and no byte order mark.
  private static func isPrintable(_ scalar: UInt32) -> Bool {
    scalar == 0x85 || (scalar >= 0xA0 && scalar != 0xFEFF && scalar != 0xFFFE && scalar != 0xFFFF)
  }

  /// Returns the well-formed scalar of several bytes (RFC 3629) at the offset.
  private static func scalar(in bytes: [UInt8], at offset: Int) -> (UInt32, length: Int)? {
    let first = bytes[offset]
    let length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
    guard length > 0, offset + length <= bytes.count else { return nil }
    var scalar = UInt32(first & (0xFF >> UInt8(length + 1)))
    for byte in bytes[offset + 1..<offset + length] {
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    return scalar >= least && Unicode.Scalar(scalar) != nil ? (scalar, length) : nil
  }
}

extension YAMLReader {
  /// Reports the first character outside quotes that is only allowed in quotes.
  mutating func checkQuoted(_ offsets: [Int]) {
    var ranges = quotedRanges[...]
    for offset in offsets {
      while let range = ranges.first, range.upperBound <= offset { ranges.removeFirst() }
      if ranges.first?.contains(offset) == true { continue }
      report(
        "a character that is not printable can only stand in quotes", at: offset..<offset + 1,
        advice: "in double quotes it can be written \\u and four hexadecimal digits")
      return
    }
  }
}
