// Properties of lines, computed at the speed of memory: their number, and a hash that tells pages apart.

/// Fast 64-bit hash of bytes that come in pieces; it does not depend on the cuts, and tells pages apart.
///
/// Four lanes of xor (or add) and multiply take 16 bytes each at once, as in wyhash
/// (https://github.com/wangyi-fudan/wyhash). The hash is not cryptographic. A server could make two pages collide on
/// purpose, which would only break that server's own run.
package struct Fingerprint: Sendable {
  private static let stride = 64
  private static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Hash lanes; they start with wyhash's secrets.
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3
  )
  /// Bytes that do not fill a stride yet.
  private var tail: [UInt8] = []
  private var count = 0

  package init() {}

  package mutating func combine(_ bytes: [UInt8]) {
    count += bytes.count
    guard !tail.isEmpty else { return mix(bytes[...]) }
    let missing = min(Self.stride - tail.count, bytes.count)
    tail += bytes[..<missing]
    if tail.count == Self.stride {
      let whole = tail
      tail = []
      mix(whole[...])
      mix(bytes[missing...])
    }
  }

  package consuming func finalize() -> Int {
    tail += repeatElement(0, count: Self.stride - tail.count)
    mixStrides(tail[...])
    var hash = UInt64(truncatingIfNeeded: count) &* Self.prime
    hash = Self.mixed(hash ^ lanes.0, Self.prime)
    hash = Self.mixed(hash ^ lanes.1, Self.prime)
    hash = Self.mixed(hash ^ lanes.2, Self.prime)
    hash = Self.mixed(hash ^ lanes.3, Self.prime)
    return Int(truncatingIfNeeded: hash)
  }

  /// Returns the xor of both halves of the product.
  private static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Mixes the next 16 bytes into a lane with xor.
  @inline(__always)
  private static func mixed(_ lane: UInt64, _ buffer: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    mixed(
      lane ^ buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self),
      prime ^ buffer.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
  }

  /// Mixes the next 16 bytes into a lane with sums.
  ///
  /// If all lanes were alike, the compiler would keep them in vectors. Vectors have no such product, so each product
  /// would take them apart: three times slower.
  @inline(__always)
  private static func added(_ lane: UInt64, _ buffer: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    mixed(
      lane &+ buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self),
      prime &+ buffer.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
  }

  /// Mixes whole strides into the lanes; the rest becomes the tail, which must be empty.
  private mutating func mix(_ bytes: ArraySlice<UInt8>) {
    tail = Array(bytes.dropFirst(mixStrides(bytes)))
  }

  /// Mixes whole strides into the lanes, and returns their size.
  @discardableResult
  private mutating func mixStrides(_ bytes: ArraySlice<UInt8>) -> Int {
    let whole = bytes.count / Self.stride * Self.stride
    var lanes = lanes
    // Every load stays below `whole`, which is at most the buffer's count.
    bytes.withUnsafeBytes { buffer in
      var index = 0
      while index < whole {
        lanes.0 = Self.mixed(lanes.0, buffer, index)
        lanes.1 = Self.added(lanes.1, buffer, index &+ 16)
        lanes.2 = Self.mixed(lanes.2, buffer, index &+ 32)
        lanes.3 = Self.added(lanes.3, buffer, index &+ 48)
        index &+= Self.stride
      }
    }
    self.lanes = lanes
    return whole
  }
}

/// Returns the number of line feeds, which is the number of records in NDJSON.
package func lineCount(of lines: [UInt8]) -> Int {
  lines.withUnsafeBufferPointer { Kernel.best.countLines($0).lineFeeds }
}

extension [UInt8] {
  /// Hash of the bytes, equal in every process.
  package var fingerprint: Int {
    var fingerprint = Fingerprint()
    fingerprint.combine(self)
    return fingerprint.finalize()
  }
}
