// What both scanners do around their readers: the first bytes, chunks, places, and the fault that ends it all.

/// Reads one kind of input, chunk after chunk.
protocol ChunkReader: Sendable {
  /// Reads to the cursor's end.
  mutating func read(_ cursor: inout Cursor) throws(Flaw)
  /// Ends the input: whether it is whole, and whether its end is that of a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool)
}

/// Bytes of an input in, whole records out.
struct Intake<Reader: ChunkReader>: Sendable {
  var reader: Reader
  private var prelude = Prelude()
  private var place = Place()
  private var buffer = RecordBuffer()
  /// After a fault there is nothing more to read.
  private var fault: JSONFault?

  init(_ reader: Reader) {
    self.reader = reader
  }

  /// Ready for another input; the reader is its own.
  mutating func reset() {
    prelude = Prelude()
    place = Place()
    buffer.reset()
    fault = nil
  }

  mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
    if let fault { throw fault }
    guard !prelude.isOver else { return try read(chunk) }
    let held = prelude.held
    prelude.take(chunk)
    guard prelude.isOver else { return }
    guard !held.isEmpty else { return try begin(chunk) }
    // The input came in tiny pieces so far.
    try prelude.held.withUnsafeBufferPointer { (bytes) throws(JSONFault) in try begin(bytes) }
    try read(UnsafeBufferPointer(rebasing: chunk[(prelude.held.count - held.count)...]))
  }

  mutating func finish() throws(JSONFault) {
    if let fault { throw fault }
    if !prelude.isOver {
      prelude.finish()
      try prelude.held.withUnsafeBufferPointer { (bytes) throws(JSONFault) in
        if prelude.isCutMark { throw fail(Flaw(reason: .unexpectedEnd, offset: bytes.count), in: bytes) }
        try begin(bytes)
      }
    }
    let end = reader.finish()
    if end.endsRecord { buffer.endLine() }
    if !end.isWhole {
      throw fail(Flaw(reason: .unexpectedEnd, offset: 0), in: UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  var recordCount: Int { buffer.recordCount }

  mutating func takeRecords() -> [UInt8] {
    buffer.take()
  }

  /// Reads the first bytes of the input, now that it is clear what they are.
  private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
    if let name = prelude.wrongEncoding { throw fail(Flaw(reason: .wrongEncoding(name), offset: 0), in: bytes) }
    place.skipMark(prelude.markLength)
    try read(UnsafeBufferPointer(rebasing: bytes[prelude.markLength...]))
  }

  private mutating func read(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
    // Out of self for the time of the call, so that it can be written while the reader changes.
    var buffer = RecordBuffer()
    swap(&buffer, &self.buffer)
    let (flaw, isPlain) = buffer.write(chunk) { (cursor) throws(Flaw) in try reader.read(&cursor) }
    swap(&buffer, &self.buffer)
    if let flaw { throw fail(flaw, in: chunk) }
    place.advance(over: chunk, isPlain: isPlain)
  }

  private mutating func fail(_ flaw: Flaw, in chunk: UnsafeBufferPointer<UInt8>) -> JSONFault {
    let fault = place.fault(flaw, in: chunk)
    self.fault = fault
    return fault
  }
}
