// The common part of both scanners: the first bytes, chunks, positions, and the error that ends the input.

/// Scanner that takes the bytes of an input and gives whole records.
struct ChunkedScanner<Reader: ChunkReader>: Sendable {
  var reader: Reader
  private var detector = EncodingDetector()
  private var position = TextPosition()
  private var buffer = RecordBuffer()
  /// Error after which nothing more is read.
  private var fault: JSONError?

  init(_ reader: Reader) {
    self.reader = reader
  }

  /// Prepares for another input; the caller resets `reader`.
  mutating func reset() {
    detector = EncodingDetector()
    position = TextPosition()
    buffer.reset()
    fault = nil
  }

  mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let fault { throw fault }
    guard !detector.isOver else { return try read(chunk) }
    let held = detector.held
    detector.take(chunk)
    guard detector.isOver else { return }
    guard !held.isEmpty else { return try begin(chunk) }
    // The input has come in tiny pieces so far.
    try detector.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in try begin(bytes) }
    try read(UnsafeBufferPointer(rebasing: chunk[(detector.held.count - held.count)...]))
  }

  /// Ends the input.
  ///
  /// - Parameter isInsideLetter: true if half of a letter in another encoding was left.
  mutating func finish(isInsideLetter: Bool = false) throws(JSONError) {
    if let fault { throw fault }
    if !detector.isOver {
      detector.finish()
      try detector.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        if detector.isCutMark { throw fail(SyntaxError(reason: .unexpectedEnd, offset: bytes.count), in: bytes) }
        try begin(bytes)
      }
    }
    let end: (isWhole: Bool, endsRecord: Bool)
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    if isInsideLetter { throw fail(SyntaxError(reason: .endInsideLetter, offset: 0), in: nothing) }
    do throws(SyntaxError) { end = try reader.finish() } catch { throw fail(error, in: nothing) }
    if end.endsRecord { buffer.endLine() }
    if !end.isWhole {
      throw fail(SyntaxError(reason: .unexpectedEnd, offset: 0), in: nothing)
    }
  }

  var recordCount: Int { buffer.recordCount }

  mutating func takeRecords() -> [UInt8] {
    buffer.take()
  }

  /// Reads the first bytes of the input after their encoding is clear.
  private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let name = detector.wrongEncoding { throw fail(SyntaxError(reason: .wrongEncoding(name), offset: 0), in: bytes) }
    position.skipMark(detector.markLength)
    try read(UnsafeBufferPointer(rebasing: bytes[detector.markLength...]))
  }

  private mutating func read(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    // The buffer leaves `self` for the time of the call, so that it can be written while the reader changes.
    var buffer = RecordBuffer()
    swap(&buffer, &self.buffer)
    let (flaw, isPlain) = buffer.write(chunk) { (cursor) throws(SyntaxError) in try reader.read(&cursor) }
    swap(&buffer, &self.buffer)
    if let flaw { throw fail(flaw, in: chunk) }
    position.advance(over: chunk, isPlain: isPlain)
  }

  private mutating func fail(_ flaw: SyntaxError, in chunk: UnsafeBufferPointer<UInt8>) -> JSONError {
    let fault = position.fault(flaw, in: chunk)
    self.fault = fault
    return fault
  }
}

/// Reader of one kind of input, chunk after chunk.
protocol ChunkReader: Sendable {
  /// Reads to the cursor's end.
  mutating func read(_ cursor: inout Cursor) throws(SyntaxError)
  /// Ends the input; returns whether the input is complete, and whether its end completes a record.
  mutating func finish() throws(SyntaxError) -> (isWhole: Bool, endsRecord: Bool)
}

// MARK: Reads one JSON text as one value of any kind

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

// MARK: The first four bytes of an input: a byte order mark to skip, or an encoding that is not UTF-8

/// Holds back the first bytes until the encoding is clear.
struct EncodingDetector: Sendable {
  private(set) var held: [UInt8] = []
  private(set) var isOver = false

  private static let length = 4

  /// Takes the bytes that are still needed.
  ///
  /// Detection ends at four bytes, or earlier if fewer are clear. A peer that waits for a reply to `7` and a line feed
  /// sends no more.
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) {
    held += chunk.prefix(Self.length - held.count)
    isOver = held.count == Self.length || isClear
  }

  /// True if more bytes would change nothing: UTF-16 and UTF-32 have a mark or a NUL in their first two bytes.
  private var isClear: Bool {
    held.count > 1 && !held.contains(0) && ![[0xEF, 0xBB], [0xFF, 0xFE]].contains(held)
  }

  /// Ends an input of fewer than four bytes.
  mutating func finish() {
    isOver = true
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Length of the UTF-8 byte order mark, or 0; RFC 8259 §8.1 allows parsers to ignore the mark.
  var markLength: Int { held.first == Self.mark[0] && held.starts(with: Self.mark) ? Self.mark.count : 0 }

  /// True if the whole input is a beginning of the byte order mark.
  var isCutMark: Bool { !held.isEmpty && held.count < Self.mark.count && Self.mark.starts(with: held) }

  /// Name of an encoding that is not UTF-8, found by its mark or by the NUL bytes among the first four.
  ///
  /// A JSON text begins with two ASCII characters (RFC 4627 §3); in UTF-16, even a lone digit or an empty string is
  /// longer.
  var wrongEncoding: String? {
    guard held.contains(where: { $0 == 0 || $0 >= 0xFE }) else { return nil }
    let isNUL = held.map { $0 == 0 }
    if held == [0, 0, 0xFE, 0xFF] || isNUL == [true, true, true, false] { return "UTF-32BE" }
    if held == [0xFF, 0xFE, 0, 0] || isNUL == [false, true, true, true] { return "UTF-32LE" }
    if held.starts(with: [0xFE, 0xFF]) || isNUL.starts(with: [true, false]) { return "UTF-16BE" }
    if held.starts(with: [0xFF, 0xFE]) || isNUL.starts(with: [false, true]) { return "UTF-16LE" }
    return nil
  }
}
