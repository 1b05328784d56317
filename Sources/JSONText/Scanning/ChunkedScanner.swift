// The common part of both scanners: the first bytes, chunks, positions, and the error that ends the input.

/// Scanner that takes the bytes of an input and gives whole records.
struct ChunkedScanner<Reader: ChunkReader>: Sendable {
  var reader: Reader
  private var detector = EncodingDetector()
  private var place = TextPosition()
  private var buffer = RecordBuffer()
  /// Error after which nothing more is read.
  private var fault: JSONError?

  init(_ reader: Reader) {
    self.reader = reader
  }

  /// Prepares for another input; the caller resets `reader`.
  mutating func reset() {
    detector = EncodingDetector()
    place = TextPosition()
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

  mutating func finish() throws(JSONError) {
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
    place.skipMark(detector.markLength)
    try read(UnsafeBufferPointer(rebasing: bytes[detector.markLength...]))
  }

  private mutating func read(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    // The buffer leaves `self` for the time of the call, so that it can be written while the reader changes.
    var buffer = RecordBuffer()
    swap(&buffer, &self.buffer)
    let (flaw, isPlain) = buffer.write(chunk) { (cursor) throws(SyntaxError) in try reader.read(&cursor) }
    swap(&buffer, &self.buffer)
    if let flaw { throw fail(flaw, in: chunk) }
    place.advance(over: chunk, isPlain: isPlain)
  }

  private mutating func fail(_ flaw: SyntaxError, in chunk: UnsafeBufferPointer<UInt8>) -> JSONError {
    let fault = place.fault(flaw, in: chunk)
    self.fault = fault
    return fault
  }
}
