/// Appends bytes at an address, without bounds checks; there must be space for them and for `slack` more.
struct UncheckedWriter {
  /// Number of bytes that a block store may write past a short piece.
  static let slack = 2 * SIMDScan.stride

  var place: UnsafeMutablePointer<UInt8>

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    place.pointee = byte
    place += 1
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    place.update(from: base, count: bytes.count)
    place += bytes.count
  }

  @inline(__always)
  mutating func put(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { put($0) }
  }

  /// Appends a range of bytes, which is usually short.
  @inline(__always)
  mutating func put(_ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    let start = base + range.lowerBound
    if range.count <= Self.slack, range.lowerBound + Self.slack <= bytes.count {
      SIMDScan.store(SIMDScan.block(start), place)
      SIMDScan.store(SIMDScan.block(start + SIMDScan.stride), place + SIMDScan.stride)
    } else {
      place.update(from: start, count: range.count)
    }
    place += range.count
  }
}
