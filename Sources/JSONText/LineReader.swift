// NDJSON line by line: one value, white space, a line feed.

/// What `LineScanner` does with its bytes.
struct LineReader: ChunkReader {
  private var grammar: Grammar
  private let lineLimit: Int
  /// Bytes of the current line in chunks before this one.
  private var lineLength = 0
  private(set) var recordCount = 0

  init(lineLimit: Int, depthLimit: Int) {
    grammar = Grammar(depthLimit: depthLimit, lineFeedIsSpace: false)
    self.lineLimit = lineLimit
  }

  mutating func read(_ cursor: inout Cursor) throws(Flaw) {
    let end = cursor.end
    var lineStart = -lineLength
    while cursor.index < end {
      // The value is read up to the limit only, so that the same fault is found whatever the chunks.
      let (limit, overflowed) = lineStart.addingReportingOverflow(lineLimit)
      cursor.end = overflowed ? end : min(end, limit)
      try readLine(&cursor)
      guard cursor.index < end else { break }
      guard cursor.input[cursor.index] == 0x0A else {
        throw Flaw(reason: .lineTooLong(limit: lineLimit), offset: cursor.index)
      }
      try endLine(&cursor)
      lineStart = cursor.index
    }
    lineLength = end - lineStart
  }

  /// Ends the input: whether it is whole, and whether its end is that of a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    if isBetweenLines { return (true, false) }
    guard grammar.finish() else { return (false, false) }
    recordCount += 1
    grammar.reset()
    return (true, true)
  }

  private var isBetweenLines: Bool { grammar.state == .value && grammar.depth == 0 }

  /// Reads up to the line feed that ends the line, or to the cursor's end.
  private mutating func readLine(_ cursor: inout Cursor) throws(Flaw) {
    do throws(Flaw) {
      if isBetweenLines, !grammar.skipSpace(&cursor) || cursor.input[cursor.index] == 0x0A { return }
      if grammar.state != .afterValue || grammar.depth > 0 { try grammar.run(&cursor, floor: 0) }
      guard cursor.index < cursor.end, grammar.skipSpace(&cursor), cursor.input[cursor.index] != 0x0A else { return }
      // Something follows the value.
      try grammar.step(&cursor)
    } catch {
      let isLineFeed = error.offset >= 0 && cursor.input[error.offset] == 0x0A
      throw isLineFeed ? Flaw(reason: .lineFeedInsideValue, offset: error.offset) : error
    }
  }

  private mutating func endLine(_ cursor: inout Cursor) throws(Flaw) {
    cursor.index += 1
    guard !isBetweenLines else { return }
    guard grammar.finish() else { throw Flaw(reason: .lineFeedInsideValue, offset: cursor.index - 1) }
    cursor.endLine()
    recordCount += 1
    grammar.reset()
  }
}
