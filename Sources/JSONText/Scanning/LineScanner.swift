// NDJSON in, validated and compact records out, as the bytes arrive.

/// Reads NDJSON: one value a line, LF or CR LF, with or without a line end after the last line.
///
/// Empty (or blank) lines and one byte order mark at the start are skipped. A line feed inside a value is an error of
/// its own, on the line that the line feed ends.
package struct LineScanner: Sendable {
  private var scanner: ChunkedScanner<LineReader>

  /// Creates a scanner.
  ///
  /// - Parameters:
  ///   - lineLimit: the longest line that is accepted, in bytes without its LF; a longer one is `lineTooLong`.
  ///   - kernel: a kernel other than the best, for tests and measurements only.
  ///   - tokenIndexDepth: depth to which a token index of the records is wanted (`takeLines`); 0 for none.
  package init(
    lineLimit: Int = .max, depthLimit: Int = 1_024, kernel: Kernel = .best, tokenIndexDepth: Int = 0
  ) {
    scanner = ChunkedScanner(
      LineReader(
        lineLimit: lineLimit, depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth))
  }

  /// Takes the next bytes; `takeRecords()` then returns the complete lines, also those before an error.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
  }

  /// Takes the first bytes of a buffer that is reused.
  package mutating func append(_ buffer: [UInt8], _ count: Int) throws(JSONError) {
    try buffer.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      try scanner.append(UnsafeBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    try scanner.append(chunk)
  }

  /// Ends the input; a last line without LF is complete now.
  ///
  /// - Parameter isInsideLetter: true if half of a letter in another encoding was left.
  package mutating func finish(isInsideLetter: Bool = false) throws(JSONError) {
    try scanner.finish(isInsideLetter: isInsideLetter)
  }

  /// Returns the records that are complete and were not taken yet, each compact and followed by LF.
  package mutating func takeRecords() -> [UInt8] {
    takeLines().lines
  }

  /// Returns the lines of `takeRecords()` with their token index, as far as it is wanted.
  package mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    let lines = scanner.takeRecords()
    return (lines, scanner.reader.takeTokenIndex(of: lines))
  }

  /// Number of records so far.
  package var recordCount: Int { scanner.recordCount }
}

// MARK: Reads NDJSON line by line: one value, white space, a line feed

/// Reader for the bytes of a `LineScanner`.
struct LineReader: ChunkReader {
  private var grammar: Grammar
  private let lineLimit: Int
  /// Number of bytes of the current line in earlier chunks.
  private var lineLength = 0

  init(lineLimit: Int, depthLimit: Int, kernel: Kernel, tokenIndexDepth: Int) {
    grammar = Grammar(
      depthLimit: depthLimit, lineFeedIsSpace: false, kernel: kernel, tokenIndexDepth: tokenIndexDepth)
    grammar.recordDepth = 0
    self.lineLimit = lineLimit
  }

  /// Returns the token index of the records completed since the last call.
  mutating func takeTokenIndex(of lines: [UInt8]) -> TokenIndex {
    grammar.tokenIndex?.take(of: lines) ?? TokenIndex()
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    let end = cursor.end
    cursor.lineStart = -lineLength
    while cursor.index < end {
      // A line is read only up to the limit, so that the error does not depend on the chunks.
      let (limit, overflowed) = cursor.lineStart.addingReportingOverflow(lineLimit)
      cursor.end = overflowed ? end : max(cursor.index, min(end, limit))
      // A CR belongs to the line's end.
      if !overflowed, limit >= cursor.index, limit < end, cursor.input[limit] == 0x0D { cursor.end += 1 }
      // If this line's limit lies after the chunk, so do the limits of all further lines.
      let cuts = cursor.end == end
      try readLine(&cursor, cuts: cuts)
      guard cursor.index < end else { break }
      if cuts, isBetweenLines, cursor.input[cursor.index] != 0x0A { continue }
      guard cursor.input[cursor.index] == 0x0A else {
        throw SyntaxError(reason: .lineTooLong(limit: lineLimit), offset: cursor.index)
      }
      try endLine(&cursor)
      cursor.lineStart = cursor.index
    }
    lineLength = end - cursor.lineStart
    if cursor.records > 0 { cursor.isPlain = false }
  }

  /// Ends the input; returns whether the input is complete, and whether its end completes a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    if isBetweenLines { return (true, false) }
    guard grammar.finish() else { return (false, false) }
    grammar.reset()
    return (true, true)
  }

  private var isBetweenLines: Bool { grammar.state == .value && grammar.depth == 0 }

  /// Reads up to the line feed that ends the line, or to the cursor's end; with `cuts`, may also end whole lines.
  private mutating func readLine(_ cursor: inout Cursor, cuts: Bool) throws(SyntaxError) {
    do throws(SyntaxError) {
      if isBetweenLines, !grammar.skipSpace(&cursor) || cursor.input[cursor.index] == 0x0A { return }
      if grammar.state != .afterValue || grammar.depth > 0 {
        try grammar.run(&cursor, floor: 0, cutAt: cuts ? 0x0A : nil)
        if isBetweenLines { return }
      }
      guard cursor.index < cursor.end, grammar.skipSpace(&cursor), cursor.input[cursor.index] != 0x0A else { return }
      // `step` reports the bytes that follow the value.
      try grammar.step(&cursor)
    } catch {
      let isLineFeed = error.offset >= 0 && cursor.input[error.offset] == 0x0A
      throw isLineFeed ? SyntaxError(reason: .lineFeedInsideValue, offset: error.offset) : error
    }
  }

  private mutating func endLine(_ cursor: inout Cursor) throws(SyntaxError) {
    cursor.index += 1
    cursor.isPlain = false
    guard !isBetweenLines else { return }
    guard grammar.finish() else { throw SyntaxError(reason: .lineFeedInsideValue, offset: cursor.index - 1) }
    cursor.endLine()
    grammar.reset()
  }
}

// MARK: JSON texts one after the other: after RS (RFC 7464), between white space, or with nothing between them

/// Reads JSON texts one after the other, each a record.
///
/// A text begins after RS, as RFC 7464 has it, after white space, or directly after another one. A number and a word
/// end at white space only, since one that was cut looks like a whole one (RFC 7464 §2.4). The end of the input ends
/// one that does not begin after RS.
package struct SequenceScanner: Sendable {
  private var scanner: ChunkedScanner<SequenceReader>

  package init(depthLimit: Int = 1_024, kernel: Kernel = .best, tokenIndexDepth: Int = 0) {
    scanner = ChunkedScanner(
      SequenceReader(depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth))
  }

  /// Takes the next bytes; `takeLines()` then returns the complete texts, also those before an error.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
  }

  /// Ends the input; a last number is complete now, unless it begins after RS.
  ///
  /// - Parameter isInsideLetter: true if half of a letter in another encoding was left.
  package mutating func finish(isInsideLetter: Bool = false) throws(JSONError) {
    try scanner.finish(isInsideLetter: isInsideLetter)
  }

  /// Returns the records that are complete and were not taken yet, each compact and followed by LF.
  package mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    let lines = scanner.takeRecords()
    return (lines, scanner.reader.takeTokenIndex(of: lines))
  }

  /// Number of records so far.
  package var recordCount: Int { scanner.recordCount }
}

/// Reader for the bytes of a `SequenceScanner`.
struct SequenceReader: ChunkReader {
  /// The byte RS, which begins a text.
  private static let separator: UInt8 = 0x1E

  private var grammar: Grammar
  /// True if the current text is a number or a word.
  private var isBare = false
  /// True if the current or next text begins after RS.
  private var hasSeparator = false

  init(depthLimit: Int, kernel: Kernel, tokenIndexDepth: Int) {
    grammar = Grammar(depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth)
    grammar.recordDepth = 0
  }

  mutating func takeTokenIndex(of lines: [UInt8]) -> TokenIndex {
    grammar.tokenIndex?.take(of: lines) ?? TokenIndex()
  }

  private var isBetweenTexts: Bool { grammar.state == .value && grammar.depth == 0 }

  /// True after a text; after a number or a word, before the byte that shows whether it is whole.
  private var isAfterText: Bool { grammar.state == .afterValue && grammar.depth == 0 }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    cursor.isPlain = false
    while cursor.index < cursor.end {
      if isAfterText { try endBareText(&cursor) }
      if isBetweenTexts {
        guard skip(&cursor) else { return }
        isBare = !"{[\"".utf8.contains(cursor.input[cursor.index])
      }
      do throws(SyntaxError) {
        try grammar.run(&cursor, floor: 0)
      } catch {
        let isCut = error.offset >= 0 && cursor.input[error.offset] == Self.separator
        throw isCut ? SyntaxError(reason: .separatorInsideValue, offset: error.offset) : error
      }
      if isAfterText, !isBare { endText(&cursor) }
    }
  }

  private mutating func endText(_ cursor: inout Cursor) {
    cursor.endLine()
    grammar.reset()
    hasSeparator = false
  }

  /// Ends a number or a word at white space.
  private mutating func endBareText(_ cursor: inout Cursor) throws(SyntaxError) {
    switch cursor.input[cursor.index] {
    case 0x20, 0x09, 0x0A, 0x0D: endText(&cursor)
    case Self.separator: throw SyntaxError(reason: .bareValueMayBeCut, offset: cursor.index)
    default: throw SyntaxError(reason: .unexpectedByte, offset: cursor.index)
    }
  }

  /// Skips what stands between two texts; returns false if the chunk ends there.
  private mutating func skip(_ cursor: inout Cursor) -> Bool {
    while grammar.skipSpace(&cursor) {
      guard cursor.input[cursor.index] == Self.separator else { return true }
      hasSeparator = true
      cursor.index += 1
    }
    return false
  }

  mutating func finish() throws(SyntaxError) -> (isWhole: Bool, endsRecord: Bool) {
    if isBetweenTexts { return (true, false) }
    guard grammar.finish() else { return (false, false) }
    // Its writer would have ended it by a line feed.
    guard !isBare || !hasSeparator else { throw SyntaxError(reason: .bareValueMayBeCut, offset: 0) }
    grammar.reset()
    return (true, true)
  }
}
