// RFC 8259 as a state machine that may stop after any byte and continue with the next chunk.
//
// `step` reads one token, or as much of it as the chunk holds; it alone finds what is wrong.
// Where a chunk has room for whole blocks, Grammar+BlockScan reads them instead.

/// State of the grammar after the last byte, and the open brackets.
struct Grammar: Sendable {
  enum State: UInt8 {
    // Between tokens: the next token.
    case value, firstElement, name, firstName, colon, afterValue
    // Inside a token: the last byte read.
    case string, escape, hexDigits, continuation
    case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
    case literal
  }

  var state = State.value
  /// Number of open brackets.
  var depth = 0
  /// One bit for each open bracket of the current 64 levels, the innermost lowest; 1 for an object.
  var kinds: UInt64 = 0
  /// Bits of full outer words.
  var outerKinds: [UInt64] = []
  /// Token index of the records, if one is wanted.
  var tokenIndex: TokenIndex?
  /// Number of brackets open around the current record, or nil outside of records.
  var recordDepth: Int?
  let depthLimit: Int
  /// LF if a line feed is white space like any other; a second space if a line feed ends a line.
  let lineFeed: UInt8
  let kernel: Kernel

  private var isName = false
  private var hexDigitsLeft = 0
  private var sequence = UTF8Sequence()
  /// Bytes of the literal that must still come, the next byte lowest.
  private var literal: UInt32 = 0

  init(depthLimit: Int, lineFeedIsSpace: Bool = true, kernel: Kernel, tokenIndexDepth: Int = 0) {
    self.depthLimit = depthLimit
    self.kernel = kernel
    tokenIndex = tokenIndexDepth > 0 ? TokenIndex(depth: tokenIndexDepth) : nil
    lineFeed = lineFeedIsSpace ? 0x0A : 0x20
  }

  mutating func reset() {
    state = .value
    depth = 0
    kinds = 0
    if !outerKinds.isEmpty { outerKinds.removeAll(keepingCapacity: true) }
  }

  var isInObject: Bool { kinds & 1 == 1 }
  var isLines: Bool { lineFeed != 0x0A }

  /// Ends a number, if one is being read, and reports that the text may end here.
  mutating func finish() -> Bool {
    switch state {
    case .zero, .integer, .fraction, .exponent: state = .afterValue
    default: break
    }
    return state == .afterValue && depth == 0
  }

  /// Skips white space; returns false if the chunk ends there.
  @inline(__always)
  func skipSpace(_ cursor: inout Cursor) -> Bool {
    while cursor.index < cursor.end {
      let byte = cursor.input[cursor.index]
      if byte == 0x20 {
        cursor.index += 1
        continue
      }
      guard isSpace(byte) else { return true }
      cursor.isPlain = false
      cursor.index = SIMDScan.firstNonSpace(cursor.input, from: cursor.index + 1, to: cursor.end, lineFeed: lineFeed)
    }
    return false
  }

  @inline(__always)
  func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == lineFeed
  }

  /// Reads one token, or the part of it in the chunk.
  mutating func step(_ cursor: inout Cursor) throws(SyntaxError) {
    switch state {
    case .value, .firstElement, .name, .firstName, .colon, .afterValue:
      guard skipSpace(&cursor) else { return }
      try begin(&cursor)
    case .string, .escape, .hexDigits, .continuation: try readString(&cursor)
    case .literal: try readLiteral(&cursor)
    default: try readNumber(&cursor)
    }
  }

  private mutating func begin(_ cursor: inout Cursor) throws(SyntaxError) {
    let byte = cursor.input[cursor.index]
    switch (state, byte) {
    case (.firstElement, UInt8(ascii: "]")), (.firstName, UInt8(ascii: "}")): close(&cursor)
    case (.value, _), (.firstElement, _): try beginValue(byte, &cursor)
    case (.name, UInt8(ascii: "\"")), (.firstName, UInt8(ascii: "\"")): try beginString(isName: true, &cursor)
    case (.colon, UInt8(ascii: ":")):
      addToken(cursor)
      punctuate(then: .value, &cursor)
    case (.afterValue, _): try continueContainer(byte, &cursor)
    default: throw SyntaxError(reason: .unexpectedByte, offset: cursor.index)
    }
  }

  private mutating func beginValue(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    switch byte {
    case UInt8(ascii: "\""): try beginString(isName: false, &cursor)
    case UInt8(ascii: "{"), UInt8(ascii: "["): try open(isObject: byte == UInt8(ascii: "{"), &cursor)
    case UInt8(ascii: "-"): try beginNumber(.minus, &cursor)
    case UInt8(ascii: "0"): try beginNumber(.zero, &cursor)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): try beginNumber(.integer, &cursor)
    case UInt8(ascii: "t"): try beginLiteral(0x65_7572, &cursor)
    case UInt8(ascii: "f"): try beginLiteral(0x6573_6C61, &cursor)
    case UInt8(ascii: "n"): try beginLiteral(0x6C_6C75, &cursor)
    default: throw SyntaxError(reason: .unexpectedByte, offset: cursor.index)
    }
  }

  private mutating func continueContainer(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    guard depth > 0 else { throw SyntaxError(reason: .trailingContent, offset: cursor.index) }
    switch byte {
    case UInt8(ascii: ","):
      addToken(cursor)
      punctuate(then: isInObject ? .name : .value, &cursor)
    case isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]"): close(&cursor)
    default: throw SyntaxError(reason: .unexpectedByte, offset: cursor.index)
    }
  }

  private mutating func punctuate(then next: State, _ cursor: inout Cursor) {
    cursor.put(cursor.input[cursor.index])
    cursor.index += 1
    state = next
  }

  private mutating func open(isObject: Bool, _ cursor: inout Cursor) throws(SyntaxError) {
    guard depth < depthLimit else { throw SyntaxError(reason: .tooDeep(limit: depthLimit), offset: cursor.index) }
    if depth > 0, depth & 63 == 0 { outerKinds.append(kinds) }
    kinds = kinds << 1 | (isObject ? 1 : 0)
    depth += 1
    addToken(cursor)
    punctuate(then: isObject ? .firstName : .firstElement, &cursor)
  }

  private mutating func close(_ cursor: inout Cursor) {
    addToken(cursor)
    depth -= 1
    kinds >>= 1
    if depth > 0, depth & 63 == 0 { kinds = outerKinds.removeLast() }
    punctuate(then: .afterValue, &cursor)
  }

  // MARK: Strings

  private mutating func beginString(isName: Bool, _ cursor: inout Cursor) throws(SyntaxError) {
    self.isName = isName
    punctuate(then: .string, &cursor)
    try readString(&cursor)
  }

  private mutating func readString(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.index
    while cursor.index < cursor.end, try readStringPart(&cursor) {}
    cursor.keep(from: start)
  }

  /// Reads one special byte, or all bytes up to the next one; returns false if the string has ended.
  private mutating func readStringPart(_ cursor: inout Cursor) throws(SyntaxError) -> Bool {
    let byte = cursor.input[cursor.index]
    switch state {
    case .escape: try readEscape(byte, at: cursor.index)
    case .hexDigits: try readHexDigit(byte, at: cursor.index)
    case .continuation:
      cursor.isPlain = false
      try readContinuation(byte, at: cursor.index)
    default:
      switch byte {
      case UInt8(ascii: "\""): state = isName ? .colon : .afterValue
      case UInt8(ascii: "\\"): state = .escape
      case ..<0x20: throw SyntaxError(reason: .controlCharacterInString, offset: cursor.index)
      case 0x80...:
        cursor.isPlain = false
        try beginSequence(byte, at: cursor.index)
      default:
        cursor.index = SIMDScan.firstSpecial(cursor.input, from: cursor.index + 1, to: cursor.end)
        return true
      }
    }
    cursor.index += 1
    return state.isInString
  }

  private mutating func readEscape(_ byte: UInt8, at offset: Int) throws(SyntaxError) {
    guard byte != UInt8(ascii: "u") else {
      hexDigitsLeft = 4
      state = .hexDigits
      return
    }
    guard Bytes.isEscapeLetter(byte) else { throw SyntaxError(reason: .invalidEscape, offset: offset) }
    state = .string
  }

  private mutating func readHexDigit(_ byte: UInt8, at offset: Int) throws(SyntaxError) {
    guard Bytes.isHexDigit(byte) else { throw SyntaxError(reason: .invalidEscape, offset: offset) }
    hexDigitsLeft -= 1
    if hexDigitsLeft == 0 { state = .string }
  }

  private mutating func beginSequence(_ byte: UInt8, at offset: Int) throws(SyntaxError) {
    guard let begun = UTF8Sequence(lead: byte) else { throw SyntaxError(reason: .invalidUTF8, offset: offset) }
    sequence = begun
    state = .continuation
  }

  private mutating func readContinuation(_ byte: UInt8, at offset: Int) throws(SyntaxError) {
    guard sequence.accepts(byte) else { throw SyntaxError(reason: .invalidUTF8, offset: offset - sequence.read) }
    if sequence.isWhole { state = .string }
  }

  // MARK: Numbers and literals

  private mutating func beginNumber(_ first: State, _ cursor: inout Cursor) throws(SyntaxError) {
    punctuate(then: first, &cursor)
    try readNumber(&cursor)
  }

  private mutating func readNumber(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.index
    while cursor.index < cursor.end {
      guard let next = try afterNumberByte(cursor.input[cursor.index], at: cursor.index) else {
        state = .afterValue
        break
      }
      state = next
      cursor.index += 1
    }
    cursor.keep(from: start)
  }

  /// Returns the state after this byte (RFC 8259 §6), or nil if the number ended before the byte.
  private func afterNumberByte(_ byte: UInt8, at offset: Int) throws(SyntaxError) -> State? {
    let isDigit = Bytes.isDigit(byte)
    let isMark = byte | 0x20 == UInt8(ascii: "e")
    switch state {
    case .minus where isDigit: return byte == UInt8(ascii: "0") ? .zero : .integer
    case .zero where !isDigit, .integer where !isDigit:
      return byte == UInt8(ascii: ".") ? .point : isMark ? .exponentMark : nil
    case .integer: return .integer
    case .point where isDigit, .fraction where isDigit: return .fraction
    case .fraction: return isMark ? .exponentMark : nil
    case .exponentMark where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): return .exponentSign
    case .exponentMark where isDigit, .exponentSign where isDigit: return .exponent
    case .exponent: return isDigit ? .exponent : nil
    default: throw SyntaxError(reason: .invalidNumber, offset: offset)
    }
  }

  private mutating func beginLiteral(_ rest: UInt32, _ cursor: inout Cursor) throws(SyntaxError) {
    literal = rest
    punctuate(then: .literal, &cursor)
    try readLiteral(&cursor)
  }

  private mutating func readLiteral(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.index
    while cursor.index < cursor.end, literal != 0 {
      guard cursor.input[cursor.index] == UInt8(truncatingIfNeeded: literal) else {
        throw SyntaxError(reason: .invalidLiteral, offset: cursor.index)
      }
      literal >>= 8
      cursor.index += 1
    }
    cursor.keep(from: start)
    if literal == 0 { state = .afterValue }
  }
}

extension Grammar.State {
  var isInString: Bool {
    switch self {
    case .string, .escape, .hexDigits, .continuation: true
    default: false
    }
  }
}

// MARK: Each pass adds the tokens that it reads to the token index of the records

extension Grammar {
  /// Number of brackets open around the deepest tokens that are wanted of the current record.
  var deepestToken: Int { (recordDepth ?? 0) + min(tokenIndex?.depth ?? 0, depthLimit) }

  /// Adds the output offset of the next token to the token index; a bracket has the depth of its content.
  mutating func addToken(_ cursor: Cursor) {
    guard keepsOffsets(cursor), depth <= deepestToken else { return }
    tokenIndex?.add(cursor.filled)
  }

  /// Lends the token index to a walk that needs it, which keeps its own pointer to it.
  mutating func lendTokenIndex(_ cursor: Cursor) -> TokenIndex? {
    guard keepsOffsets(cursor) else { return nil }
    var lent: TokenIndex?
    swap(&lent, &tokenIndex)
    return lent
  }

  mutating func giveBack(_ lent: inout TokenIndex?) {
    if lent != nil { swap(&lent, &tokenIndex) }
  }

  /// True if tokens are wanted now; output beyond 4 GB has no token index.
  private mutating func keepsOffsets(_ cursor: Cursor) -> Bool {
    guard tokenIndex != nil, recordDepth != nil else { return false }
    if cursor.filled + (cursor.end - cursor.index) <= UInt32.max { return true }
    tokenIndex?.remove(from: cursor.complete)
    return false
  }
}

/// Calls `body` with pointers to both, while both are out of their owners.
func withUnsafeMutablePointers(
  to cursor: inout Cursor, _ tokenIndex: inout TokenIndex?,
  _ body: (UnsafeMutablePointer<Cursor>, UnsafeMutablePointer<TokenIndex>?) -> Void
) {
  withUnsafeMutablePointer(to: &cursor) { cursor in
    guard var tokens = tokenIndex else { return body(cursor, nil) }
    tokenIndex = nil
    withUnsafeMutablePointer(to: &tokens) { body(cursor, $0) }
    tokenIndex = tokens
  }
}
