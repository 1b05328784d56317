/// An object among lines, and where its wanted members are.
struct PlacedRecord {
  let bytes: UnsafeBufferPointer<UInt8>
  let start: Int
  /// Where its closing bracket is, which a line feed follows.
  let end: Int
  /// Where the value of each name begins and ends; 0 and 0 for a member that is not there.
  let row: UnsafePointer<UInt32>

  @inline(__always)
  func value(of index: Int) -> Range<Int>? {
    let (start, end) = (row[2 &* index], row[2 &* index &+ 1])
    return start < end ? Int(start)..<Int(end) : nil
  }

  @inline(__always)
  func text(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }
}
