// NDJSON in, validated and compacted records out, as the bytes arrive.

/// Reads NDJSON: one value a line, LF or CR LF, the last line perhaps without; empty (or blank) lines and one byte
/// order mark at the start are skipped. A line feed inside a value is an error that says so, on the line that it ends.
package struct LineScanner: Sendable {
  private var intake: ChunkedScanner<LineReader>

  /// - Parameters:
  ///   - lineLimit: the longest line that is accepted, in bytes without its LF; a longer one is `lineTooLong`.
  ///   - kernel: another one than the best only for tests and measurements.
  ///   - tokenIndexDepth: how deep in records the places of tokens are wanted (`takeLines`); 0 for none.
  package init(
    lineLimit: Int = .max, depthLimit: Int = 1_024, kernel: Kernel = .best, tokenIndexDepth: Int = 0
  ) {
    intake = ChunkedScanner(
      LineReader(
        lineLimit: lineLimit, depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth))
  }

  /// Takes the next bytes; complete lines are in `takeRecords()` afterwards (also those before a fault).
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try intake.append(bytes) }
  }

  /// Takes the first bytes of a buffer that is used again.
  package mutating func append(_ buffer: [UInt8], _ count: Int) throws(JSONError) {
    try buffer.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      try intake.append(UnsafeBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    try intake.append(chunk)
  }

  /// Ends the input; a last line without LF is complete now.
  package mutating func finish() throws(JSONError) {
    try intake.finish()
  }

  /// The records that are complete and were not taken yet, each compacted and followed by LF.
  package mutating func takeRecords() -> [UInt8] {
    takeLines().lines
  }

  /// The same, and where their tokens stand, as far as that is wanted.
  package mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    let lines = intake.takeRecords()
    return (lines, intake.reader.takePunctuation(of: lines))
  }

  /// Records that came out so far.
  package var recordCount: Int { intake.recordCount }
}
