// Where records gather until they are taken: whole lines first, then the beginning of one that is not whole.

/// One buffer that is filled at its end and handed over at its front.
struct RecordBuffer: Sendable {
  /// Room, all of it: what lies behind `filled` means nothing.
  private(set) var bytes: [UInt8] = []
  /// Bytes that count.
  private(set) var filled = 0
  /// Bytes of whole lines.
  private(set) var complete = 0
  /// Lines that became whole, those that were taken included.
  private(set) var recordCount = 0

  /// Reads a chunk into the room behind what is filled. What is wrong in it is returned, because what came before it
  /// stays; and whether it is plain (`Cursor.isPlain`).
  mutating func write(
    _ chunk: UnsafeBufferPointer<UInt8>, _ read: (inout Cursor) throws(Flaw) -> Void
  ) -> (flaw: Flaw?, isPlain: Bool) {
    guard let input = chunk.baseAddress else { return (nil, true) }
    makeRoom(for: chunk.count)
    return bytes.withUnsafeMutableBufferPointer { room in
      guard let output = room.baseAddress else { return (nil, true) }
      var cursor = Cursor(input: input, end: chunk.count, output: output, filled: filled, complete: complete)
      defer { (filled, complete, recordCount) = (cursor.filled, cursor.complete, recordCount + cursor.records) }
      do throws(Flaw) {
        try read(&cursor)
        return (nil, cursor.isPlain)
      } catch {
        return (error, cursor.isPlain)
      }
    }
  }

  /// The most that is made ready before it is needed.
  private static let usualRoom = 512 << 10

  /// Every byte that is read gives one at most, and the end of content that is no array a line feed more.
  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + 1 + Cursor.slack
    guard bytes.count < wanted else { return }
    // Doubled where a record is longer than a chunk, so that its bytes are copied a few times at most.
    let room = filled > 0 ? max(wanted, bytes.count * 2) : wanted + wanted / 4
    bytes = Self.moved(bytes[..<filled], toRoom: room)
  }

  /// The bytes at the start of so much room, the rest of which is left as the memory was.
  private static func moved(_ bytes: ArraySlice<UInt8>, toRoom count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
      _ = room.update(fromContentsOf: bytes)
      initialized = count
    }
  }

  /// Ends a record that the end of the input completes.
  mutating func endLine() {
    makeRoom(for: 0)
    bytes[filled] = 0x0A
    filled += 1
    complete = filled
    recordCount += 1
  }

  /// Hands over the whole lines; what is not whole moves to a new buffer.
  mutating func take() -> [UInt8] {
    guard complete > 0 else { return [] }
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    if filled > complete {
      bytes = Self.moved(taken[complete..<filled], toRoom: max(filled - complete, min(taken.count, Self.usualRoom)))
    }
    taken.removeLast(taken.count - complete)
    filled -= complete
    complete = 0
    return taken
  }

  mutating func reset() {
    filled = 0
    complete = 0
    recordCount = 0
  }
}
