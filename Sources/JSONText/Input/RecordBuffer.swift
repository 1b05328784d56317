// A buffer for records until they are taken: whole lines first, then the beginning of an incomplete one.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Buffer that is filled at its end and handed over at its front.
struct RecordBuffer: Sendable {
  /// Allocated bytes; bytes after `filled` are undefined.
  private(set) var bytes: [UInt8] = []
  /// Replaces `bytes` for a very long record.
  private var long: LargeBuffer?
  /// Number of bytes in use.
  private(set) var filled = 0
  /// Number of bytes in whole lines.
  private(set) var complete = 0
  /// Number of lines completed so far, including lines that were taken.
  private(set) var recordCount = 0
  /// Size from which on bytes are no longer copied when the buffer grows.
  var longRoom = 32 << 20

  /// Reads a chunk into the free bytes after `filled`.
  ///
  /// An error is returned, not thrown, because the bytes before the error stay. `isPlain` is `Cursor.isPlain`.
  mutating func write(
    _ chunk: UnsafeBufferPointer<UInt8>, _ read: (inout Cursor) throws(SyntaxError) -> Void
  ) -> (flaw: SyntaxError?, isPlain: Bool) {
    guard let input = chunk.baseAddress else { return (nil, true) }
    makeRoom(for: chunk.count)
    own()
    if let long { return gather(input, chunk.count, to: long.base, read) }
    // The bytes leave `self` for the time of the call, so that the counts can change meanwhile.
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

  /// Most bytes that are allocated before they are needed.
  private static let usualRoom = 512 << 10

  /// Every byte read gives at most one byte; the end of content that is no array adds a line feed.
  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + 1 + Cursor.slack
    guard (long?.count ?? bytes.count) < wanted else { return }
    // Doubled if a record is longer than a chunk, so that its bytes are copied only a few times.
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

  /// Makes `long` unique, since a copy of this buffer may share it.
  private mutating func own() {
    guard !isKnownUniquelyReferenced(&long), let shared = long else { return }
    long = LargeBuffer(UnsafeBufferPointer(start: shared.base, count: filled), count: shared.count)
  }

  /// Copies the bytes to the start of an array of `count` bytes; the other bytes are undefined.
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

  /// Returns the whole lines; an incomplete line moves to a new buffer.
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

/// Chunk that is being read, and the output for its bytes without insignificant white space.
///
/// The creator of a cursor provides an output for the whole rest of the input and `slack` more bytes.
struct Cursor {
  /// Number of bytes that a vector store may write past the last byte in use.
  static let slack = 64

  let input: UnsafePointer<UInt8>
  var index = 0
  var end: Int
  let output: UnsafeMutablePointer<UInt8>
  var filled: Int
  /// Number of output bytes in whole lines.
  var complete: Int
  /// Number of lines that were ended since the cursor was made.
  var records = 0
  /// NDJSON only: offset of the current line; negative if the line began in an earlier chunk.
  var lineStart = 0
  /// True if every byte read is one column: no line feed, and nothing beyond ASCII.
  ///
  /// It may be false without need.
  var isPlain = true
  /// True if a kernel met something that it does not understand, so that the rest of the chunk is read portably.
  var isIrregular = false

  /// Copies the input from `start` up to the current index.
  @inline(__always)
  mutating func keep(from start: Int) {
    (output + filled).update(from: input + start, count: index - start)
    filled += index - start
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    output[filled] = byte
    filled += 1
  }

  /// Ends a record.
  @inline(__always)
  mutating func endLine() {
    put(0x0A)
    complete = filled
    records += 1
  }
}

// Memory for a record that is too long to be copied: it grows without a copy, and is freed while it is handed over.

/// Memory that `realloc` moves by pages, not by bytes, and that takes no physical memory before it is written.
///
/// Only one buffer owns it at a time; `RecordBuffer` copies shared memory before it writes.
final class LargeBuffer: @unchecked Sendable {
  /// Size of the pieces that are copied, each before its memory is freed.
  private static let piece = 16 << 20

  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count: Int

  /// Allocates `count` bytes that begin with `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>, count: Int) {
    base = Self.allocated(nil, count)
    self.count = count
    if let source = bytes.baseAddress { base.update(from: source, count: bytes.count) }
  }

  deinit {
    free(base)
  }

  func grow(to count: Int) {
    base = Self.allocated(base, count)
    self.count = count
  }

  /// Returns the first bytes as an array, and empties the buffer.
  ///
  /// Pieces are copied from the last to the first and freed at once, so both never take much more memory than one.
  func handOver(_ length: Int) -> [UInt8] {
    length == 0
      ? []
      : [UInt8](unsafeUninitializedCapacity: length) { target, initialized in
        var left = length
        while left > 0, let start = target.baseAddress {
          let offset = max(0, left - Self.piece)
          (start + offset).update(from: base + offset, count: left - offset)
          left = offset
          grow(to: left)
        }
        initialized = length
      }
  }

  /// Ends the program if there is no memory, as Swift's own arrays do.
  private static func allocated(_ old: UnsafeMutablePointer<UInt8>?, _ count: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(old, max(count, 1)) else { fatalError("out of memory for a record of \(count) bytes") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
