// The records of a CSV text as NDJSON: whole lines first, then the beginning of an incomplete one.

/// Buffer that is filled at its end; whole lines are taken from its front.
struct CSVOutput: Sendable {
  /// Size above which memory is not kept for the next lines.
  private static let usualRoom = 8 << 20

  /// Allocated bytes; bytes after `filled` are undefined.
  private var bytes: [UInt8] = []
  /// Number of bytes in use.
  private var filled = 0
  /// Number of bytes in whole lines.
  private var complete = 0
  private(set) var recordCount = 0

  /// Calls `body` with a writer after the last byte, which may write `count` bytes.
  mutating func write(
    atMost count: Int, _ body: (inout CSVWriter) throws(SyntaxError) -> Void
  ) throws(SyntaxError) {
    makeRoom(for: count)
    let (before, lines, records) = (filled, complete, recordCount)
    var after = (before, lines, records)
    defer { (filled, complete, recordCount) = after }
    try bytes.withUnsafeMutableBufferPointer { (room) throws(SyntaxError) in
      guard let base = room.baseAddress else { return }
      var writer = CSVWriter(base: base, filled: before, complete: lines, recordCount: records)
      defer { after = (writer.filled, writer.complete, writer.recordCount) }
      try body(&writer)
    }
  }

  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + UncheckedWriter.slack
    if bytes.count < wanted { bytes = Self.moved(bytes[..<filled], toRoom: max(wanted, bytes.count * 2)) }
  }

  /// Copies the bytes to the start of an array of `count` bytes; the other bytes are undefined.
  private static func moved(_ bytes: ArraySlice<UInt8>, toRoom count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
      _ = room.update(fromContentsOf: bytes)
      initialized = count
    }
  }

  /// Returns a copy of the whole lines, which takes no more memory than their bytes.
  mutating func take() -> [UInt8] {
    guard complete > 0 else { return [] }
    let lines = Array(bytes[..<complete])
    if bytes.count > Self.usualRoom { bytes = Array(bytes[complete..<filled]) } else { moveRest() }
    (filled, complete) = (filled - complete, 0)
    return lines
  }

  /// Moves the bytes after the whole lines to the front.
  private mutating func moveRest() {
    let rest = complete..<filled
    bytes.withUnsafeMutableBufferPointer { bytes in
      // The bytes may overlap, which `update` allows. A slice would keep the array, so that all of it would be copied.
      guard let base = bytes.baseAddress else { return }
      base.update(from: base + rest.lowerBound, count: rest.count)
    }
  }
}
