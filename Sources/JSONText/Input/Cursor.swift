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
