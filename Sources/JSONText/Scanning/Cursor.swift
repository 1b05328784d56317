/// A chunk that is being read, and the place where its bytes without insignificant white space go.
///
/// The output has room for the whole rest of the input and `slack` bytes more; who makes a cursor sees to that.
struct Cursor {
  /// Wide stores may write this far past the last byte that counts.
  static let slack = 64

  let input: UnsafePointer<UInt8>
  var index = 0
  var end: Int
  let output: UnsafeMutablePointer<UInt8>
  var filled: Int
  /// The output up to here is whole lines.
  var complete: Int
  /// Lines that were ended since the cursor was made.
  var records = 0
  /// Of NDJSON: where the current line begins; below zero in a chunk before.
  var lineStart = 0
  /// Whether all that was read is one byte a column: no line feed, and nothing beyond ASCII. (It may be false too
  /// often.)
  var isPlain = true
  /// Whether something that a kernel does not understand was met: the rest of the chunk is read portably.
  var isIrregular = false

  /// Copies the input from `start` up to the current place.
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
