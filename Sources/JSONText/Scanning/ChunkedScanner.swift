// What both scanners do around their readers: the first bytes, chunks, places, and the fault that ends it all.

/// Bytes of an input in, whole records out.
struct ChunkedScanner<Reader: ChunkReader>: Sendable {
  var reader: Reader
  private var prelude = EncodingDetector()
  private var place = TextPosition()
  private var buffer = RecordBuffer()
  /// After a fault there is nothing more to read.
  private var fault: JSONError?

  init(_ reader: Reader) {
    self.reader = reader
  }

  /// Ready for another input; the reader is its own.
  mutating func reset() {
    prelude = EncodingDetector()
    place = TextPosition()
    buffer.reset()
    fault = nil
  }

  mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let fault { throw fault }
    guard !prelude.isOver else { return try read(chunk) }
    let held = prelude.held
    prelude.take(chunk)
    guard prelude.isOver else { return }
    guard !held.isEmpty else { return try begin(chunk) }
    // The input came in tiny pieces so far.
    try prelude.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in try begin(bytes) }
    try read(UnsafeBufferPointer(rebasing: chunk[(prelude.held.count - held.count)...]))
  }

  mutating func finish() throws(JSONError) {
    if let fault { throw fault }
    if !prelude.isOver {
      prelude.finish()
      try prelude.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        if prelude.isCutMark { throw fail(SyntaxError(reason: .unexpectedEnd, offset: bytes.count), in: bytes) }
        try begin(bytes)
      }
    }
    let end = reader.finish()
    if end.endsRecord { buffer.endLine() }
    if !end.isWhole {
      throw fail(SyntaxError(reason: .unexpectedEnd, offset: 0), in: UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  var recordCount: Int { buffer.recordCount }

  mutating func takeRecords() -> [UInt8] {
    buffer.take()
  }

  /// Reads the first bytes of the input, now that it is clear what they are.
  private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let name = prelude.wrongEncoding { throw fail(SyntaxError(reason: .wrongEncoding(name), offset: 0), in: bytes) }
    place.skipMark(prelude.markLength)
    try read(UnsafeBufferPointer(rebasing: bytes[prelude.markLength...]))
  }

  private mutating func read(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    // Out of self for the time of the call, so that it can be written while the reader changes.
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
