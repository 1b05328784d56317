// Where records gather until they are taken: whole lines first, then the beginning of one that is not whole.

/// One buffer that is filled at its end and handed over at its front.
struct RecordBuffer: Sendable {
  /// Room, all of it: what lies behind `filled` means nothing.
  private(set) var bytes: [UInt8] = []
  /// Instead of `bytes`, for a record that is very long.
  private var long: LargeBuffer?
  /// Bytes that count.
  private(set) var filled = 0
  /// Bytes of whole lines.
  private(set) var complete = 0
  /// Lines that became whole, those that were taken included.
  private(set) var recordCount = 0
  /// From here on bytes are not copied when there must be more room.
  var longRoom = 32 << 20

  /// Reads a chunk into the room behind what is filled. What is wrong in it is returned, because what came before it
  /// stays; and whether it is plain (`Cursor.isPlain`).
  mutating func write(
    _ chunk: UnsafeBufferPointer<UInt8>, _ read: (inout Cursor) throws(SyntaxError) -> Void
  ) -> (flaw: SyntaxError?, isPlain: Bool) {
    guard let input = chunk.baseAddress else { return (nil, true) }
    makeRoom(for: chunk.count)
    own()
    if let long { return gather(input, chunk.count, to: long.base, read) }
    // Out of self for the time of the call, so that its counts can be changed meanwhile.
    var room: [UInt8] = []
    swap(&room, &bytes)
    defer { swap(&room, &bytes) }
    return room.withUnsafeMutableBufferPointer { room in
      room.baseAddress.map { gather(input, chunk.count, to: $0, read) } ?? (nil, true)
    }
  }

  private mutating func gather(
    _ input: UnsafePointer<UInt8>, _ count: Int, to output: UnsafeMutablePointer<UInt8>,
    _ read: (inout Cursor) throws(SyntaxError) -> Void
  ) -> (flaw: SyntaxError?, isPlain: Bool) {
    var cursor = Cursor(input: input, end: count, output: output, filled: filled, complete: complete)
    defer { (filled, complete, recordCount) = (cursor.filled, cursor.complete, recordCount + cursor.records) }
    do throws(SyntaxError) {
      try read(&cursor)
      return (nil, cursor.isPlain)
    } catch {
      return (error, cursor.isPlain)
    }
  }

  /// The most that is made ready before it is needed.
  private static let usualRoom = 512 << 10

  /// Every byte that is read gives one at most, and the end of content that is no array a line feed more.
  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + 1 + Cursor.slack
    guard (long?.count ?? bytes.count) < wanted else { return }
    // Doubled where a record is longer than a chunk, so that its bytes are copied a few times at most.
    if long != nil {
      own()
      long?.grow(to: wanted * 2)
    } else if wanted > longRoom {
      long = bytes.withUnsafeBufferPointer {
        LargeBuffer(UnsafeBufferPointer(rebasing: $0[..<filled]), count: wanted * 2)
      }
      bytes = []
    } else {
      let room = filled > 0 ? max(wanted, bytes.count * 2) : wanted + wanted / 4
      bytes = Self.moved(bytes[..<filled], toRoom: room)
    }
  }

  /// A copy of this buffer may have the same long room.
  private mutating func own() {
    guard !isKnownUniquelyReferenced(&long), let shared = long else { return }
    long = LargeBuffer(UnsafeBufferPointer(start: shared.base, count: filled), count: shared.count)
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
    own()
    if let long { long.base[filled] = 0x0A } else { bytes[filled] = 0x0A }
    filled += 1
    complete = filled
    recordCount += 1
  }

  /// Hands over the whole lines; what is not whole moves to a new buffer.
  mutating func take() -> [UInt8] {
    guard complete > 0 else { return [] }
    defer { (filled, complete) = (filled - complete, 0) }
    if long != nil { return takeLong() }
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    if filled > complete {
      bytes = Self.moved(taken[complete..<filled], toRoom: max(filled - complete, min(taken.count, Self.usualRoom)))
    }
    taken.removeLast(taken.count - complete)
    return taken
  }

  private mutating func takeLong() -> [UInt8] {
    own()
    guard let room = long else { return [] }
    long = nil
    bytes = Array(UnsafeBufferPointer(start: room.base + complete, count: filled - complete))
    return room.handOver(complete)
  }

  mutating func reset() {
    long = nil
    filled = 0
    complete = 0
    recordCount = 0
  }
}
