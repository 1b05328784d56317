// One incremental, validating pass: bytes of an envelope in, the records under one path out.

/// Cuts records out of one JSON text as its bytes arrive, and validates all of the text (RFC 8259, UTF-8, depth).
///
/// A record is the server's own bytes without insignificant white space, followed by one LF. Content that is an array
/// gives one record for each element, an object or scalar gives one record, and `null` gives none. With a `*` in the
/// path, this holds for every value that the path leads to. One byte order mark at the start is skipped. Besides captures
/// and records not taken yet, the scanner holds at most the current record.
package struct EnvelopeScanner: Sendable {
  private var scanner: ChunkedScanner<EnvelopeReader>

  /// Creates a scanner.
  ///
  /// - Parameters:
  ///   - watchedCount: number of captures, from the first on, that are searched for `lacks`.
  ///   - wantsElement: true if `lastElement` will be used.
  ///   - nameCount: number of names that are wanted of each record: 1 for that of the member at the content's last `*`,
  ///     else one for each `*`. With names, `null` at the end of the path is a record as well.
  ///   - wantsOutline: true if `outline` will be used.
  ///   - depthLimit: the deepest nesting that is accepted.
  ///   - kernel: a kernel other than the best, for tests and measurements only.
  ///   - tokenIndexDepth: depth to which a token index of the records is wanted (`takeLines`); 0 for none.
  package init(
    _ paths: WantedPaths, watchedCount: Int = 0, wantsElement: Bool = false, nameCount: Int = 0,
    wantsOutline: Bool = false, depthLimit: Int = 1_024, kernel: Kernel = .best,
    tokenIndexDepth: Int = 0
  ) {
    scanner = ChunkedScanner(
      EnvelopeReader(
        paths, watchedCount: watchedCount, wantsElement: wantsElement, nameCount: nameCount,
        wantsOutline: wantsOutline,
        grammar: Grammar(
          depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth))
    )
  }

  /// Takes the next bytes; `takeRecords()` then returns the records that are complete.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    try scanner.append(chunk)
  }

  /// Ends the text, and throws if it is incomplete; records that were complete before an error can still be taken.
  package mutating func finish() throws(JSONError) {
    try scanner.finish()
  }

  /// Returns the records that are complete and were not taken yet: whole NDJSON lines, possibly none.
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
  /// Outcome of the search for the content; valid after `finish()`.
  package var finding: ContentFinding { scanner.reader.finding }
  /// Kind of the content; valid after `finish()`.
  ///
  /// Nil for null, for missing content, and with a `*` in the path.
  package var contentKind: JSONKind? { scanner.reader.contentKind }
  /// The value of each of `captures`, compact, or nil for a missing value; valid after `finish()`.
  package var captured: [JSONValue?] { scanner.reader.captured }

  /// Scalars that block the paths of captures, by the capture's index; valid after `finish()`.
  ///
  /// `depth` is the number of the path's steps that lead to the string, number or boolean.
  package var bars: [Int: (depth: Int, value: JSONValue)] { scanner.reader.bars }

  /// Objects that lack the next member of a watched capture, by the capture's index; valid after `finish()`.
  ///
  /// `depth` is the number of steps to the object; it has these `names` (at most 200).
  package var lacks: [Int: (depth: Int, names: [String])] { scanner.reader.lacks }

  /// Members beside the content, if they are wanted; valid after `finish()`.
  package var outline: [EnvelopeOutline.Member] { scanner.reader.outline }

  /// True if the content is an array, or stands at a `*`.
  package var isList: Bool { scanner.reader.isList }

  /// Number of contents that are null, and so give no record.
  package var nullCount: Int { scanner.reader.nullCount }

  /// Number of elements or members at the content's first `*`.
  package var elementCount: Int { scanner.reader.elementCount }

  /// Last value at the content's last `*`, compact, or nil if there is none; valid after `finish()`.
  package var lastElement: JSONValue? { scanner.reader.lastElement }

  /// Returns the names of the records' members that were not taken yet, as they are spelled, each followed by LF.
  ///
  /// They are in the order in which the records begin, and may be one ahead of `takeRecords()`.
  package mutating func takeNames() -> [UInt8] {
    scanner.reader.takeNames()
  }

  /// Prepares for another text with equal content path and captures, and keeps the buffers.
  package mutating func reset() {
    scanner.reset()
    scanner.reader.reset()
  }
}
