/// Object among lines, and the positions of its wanted members.
struct PlacedRecord {
  let bytes: UnsafeBufferPointer<UInt8>
  let start: Int
  /// Offset of the closing bracket, which a line feed follows.
  let end: Int
  /// Start and end offset of each name's value; 0 and 0 for a missing member.
  let row: UnsafePointer<UInt32>

  @inline(__always)
  func value(of index: Int) -> Range<Int>? {
    let (start, end) = (row[2 &* index], row[2 &* index &+ 1])
    return start < end ? Int(start)..<Int(end) : nil
  }

  @inline(__always)
  func text(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }
}
