// Reads one JSON text as one value of any kind.

/// Reader for a text that is wanted whole.
struct ValueReader: ChunkReader {
  private var grammar: Grammar

  init(depthLimit: Int, kernel: Kernel) {
    grammar = Grammar(depthLimit: depthLimit, kernel: kernel)
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    if grammar.state != .afterValue || grammar.depth > 0 { try grammar.run(&cursor, floor: 0) }
    // Only white space may follow; `step` reports anything else.
    while cursor.index < cursor.end { try grammar.step(&cursor) }
  }

  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    let isWhole = grammar.finish()
    return (isWhole, isWhole)
  }
}

extension JSONValue {
  /// Validates and compacts a text of unknown origin.
  package init(parsing text: [UInt8], depthLimit: Int = 1_024, kernel: Kernel = .best) throws(JSONError) {
    var scanner = ChunkedScanner(ValueReader(depthLimit: depthLimit, kernel: kernel))
    try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
    try scanner.finish()
    self.init(validated: scanner.takeRecords().dropLast())
  }
}
