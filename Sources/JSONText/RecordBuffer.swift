// Where records gather until they are taken: whole lines first, then the beginning of one that is not whole.

/// One buffer that is filled at its end and handed over at its front.
struct RecordBuffer: Sendable {
  /// Room, all of it: what lies behind `filled` means nothing.
  private(set) var bytes: [UInt8] = []
  /// Bytes that count.
  private(set) var filled = 0
  /// Bytes of whole lines.
  private(set) var complete = 0

  /// Reads a chunk into the room behind what is filled. What is wrong in it is returned, because what came before it
  /// stays.
  mutating func write(
    _ chunk: UnsafeBufferPointer<UInt8>, _ read: (inout Cursor) throws(Flaw) -> Void
  ) -> Flaw? {
    guard let input = chunk.baseAddress else { return nil }
    makeRoom(for: chunk.count)
    return bytes.withUnsafeMutableBufferPointer { room in
      guard let output = room.baseAddress else { return nil }
      var cursor = Cursor(input: input, end: chunk.count, output: output, filled: filled, complete: complete)
      defer { (filled, complete) = (cursor.filled, cursor.complete) }
      do throws(Flaw) {
        try read(&cursor)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Every byte that is read gives one at most, and the end of content that is no array a line feed more.
  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + 1 + Cursor.slack
    guard bytes.count < wanted else { return }
    // Doubled where a record is longer than a chunk, so that its bytes are copied a few times at most.
    let grown = max(wanted, filled > 0 ? bytes.count * 2 : 0)
    bytes.append(contentsOf: repeatElement(0, count: grown - bytes.count))
  }

  /// Ends a record that the end of the input completes.
  mutating func endLine() {
    makeRoom(for: 0)
    bytes[filled] = 0x0A
    filled += 1
    complete = filled
  }

  /// Hands over the whole lines; what is not whole moves to a new buffer.
  mutating func take() -> [UInt8] {
    guard complete > 0 else { return [] }
    var taken = bytes
    bytes = Array(taken[complete..<filled])
    taken.removeLast(taken.count - complete)
    filled -= complete
    complete = 0
    return taken
  }

  mutating func reset() {
    filled = 0
    complete = 0
  }
}
