// Bytes of an envelope in, the records under one key out: one incremental, validating pass.

/// Cuts records out of one JSON text as its bytes arrive, and validates all of it (RFC 8259, UTF-8, depth).
///
/// A record is the server's own bytes without insignificant white space, followed by one LF. Content that is an array
/// gives one record an element; an object or scalar gives one; `null` gives none. With a `*` on the way, that holds for
/// whatever stands at each end of it. One byte order mark at the start is skipped. A value of its own size is the most that is held.
package struct EnvelopeScanner: Sendable {
  private var intake: ChunkedScanner<EnvelopeReader>

  /// - Parameters:
  ///   - content: where the content sits; the empty path is the whole text.
  ///   - captures: values that are wanted besides, anywhere in the text (also inside the content). Of duplicate members
  ///     the last counts.
  ///   - watchedCount: how many of them, from the first on, are looked for in `lacks`.
  ///   - wantsElement: whether `lastElement` will be looked at.
  ///   - wantsNames: whether records stand in members that the content's last `*` goes through, whose names are wanted.
  ///     Then `null` at the end of the way is a record as well.
  ///   - depthLimit: the deepest nesting that is accepted.
  ///   - kernel: another one than the best only for tests and measurements.
  ///   - tokenIndexDepth: how deep in records the places of tokens are wanted (`takeLines`); 0 for none.
  package init(
    content: JSONPath, captures: [JSONPath] = [], watchedCount: Int = 0, wantsElement: Bool = false,
    wantsNames: Bool = false, depthLimit: Int = 1_024, kernel: Kernel = .best, tokenIndexDepth: Int = 0
  ) {
    intake = ChunkedScanner(
      EnvelopeReader(
        content: content, captures: captures, watchedCount: watchedCount, wantsElement: wantsElement,
        wantsNames: wantsNames,
        grammar: Grammar(depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth)))
  }

  /// Takes the next bytes. Whole records are in `takeRecords()` afterwards.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try intake.append(bytes) }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    try intake.append(chunk)
  }

  /// Ends the text: throws when it is not whole. Records that were complete before a fault can still be taken.
  package mutating func finish() throws(JSONError) {
    try intake.finish()
  }

  /// The records that are complete and were not taken yet: whole NDJSON lines, possibly none.
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
  /// Valid after `finish()`.
  package var finding: ContentFinding { intake.reader.finding }
  /// Valid after `finish()`: what the content is. Nil for null, for none, and with a `*` on the way.
  package var contentKind: JSONKind? { intake.reader.contentKind }
  /// Valid after `finish()`: for each of `captures` its value, compacted, or nil where there is none.
  package var captured: [JSONValue?] { intake.reader.captured }

  /// Valid after `finish()`: of those of `captures` that led into a string, number or boolean, and so to nothing, how many
  /// steps lead there, and what it is.
  package var bars: [Int: (depth: Int, value: JSONValue)] { intake.reader.bars }

  /// Valid after `finish()`: of those of `captures` that are watched and end at an object that lacks their next member, how
  /// many steps lead to it, and the names that it has (at most 200).
  package var lacks: [Int: (depth: Int, names: [String])] { intake.reader.lacks }

  /// Places of content where null stands, which gives no record.
  package var nullCount: Int { intake.reader.nullCount }

  /// Valid after `finish()`: what stands at the content's last `*` for the last time, compact; nil where nothing does.
  package var lastElement: JSONValue? { intake.reader.lastElement }

  /// For records in the order in which they begin: the names of the members they stand in, as they are spelled, each
  /// followed by LF. Those that were not taken yet; they may be ahead of `takeRecords()` by one.
  package mutating func takeNames() -> [UInt8] {
    intake.reader.takeNames()
  }

  /// Makes the scanner ready for another text with the same content and captures; keeps its buffers.
  package mutating func reset() {
    intake.reset()
    intake.reader.reset()
  }
}
