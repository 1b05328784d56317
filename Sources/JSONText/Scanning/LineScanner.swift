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
  package mutating func finish() throws(JSONError) {
    try scanner.finish()
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
