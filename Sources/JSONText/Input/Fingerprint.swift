// Facts about lines that the corridor wants at the speed of memory: how many there are, and whether two pages differ.

/// A fast 64-bit hash of bytes that come in pieces: the same however they were cut, and good for telling pages apart.
///
/// Four lanes of xor (or add) and multiply, each of 16 bytes at once, as in wyhash (https://github.com/wangyi-fudan/wyhash). It is
/// not cryptographic: a server that wanted to could make two pages look the same, which is an error of its own run and
/// nobody else's.
package struct Fingerprint: Sendable {
  private static let stride = 64
  private static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// They begin with wyhash's secrets.
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
    var rest = tail
    rest += repeatElement(0, count: Self.stride - rest.count)
    mix(rest[...])
    var hash = UInt64(truncatingIfNeeded: count) &* Self.prime
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] { hash = Self.mixed(hash ^ lane, Self.prime) }
    return Int(truncatingIfNeeded: hash)
  }

  /// Both halves of the product.
  private static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// The next 16 bytes of a lane.
  @inline(__always)
  private static func mixed(_ lane: UInt64, _ buffer: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    mixed(
      lane ^ buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self),
      prime ^ buffer.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
  }

  /// The same, with sums. Lanes that are all alike the compiler would keep in vectors, which have no such product, and take
  /// them apart for each one: three times slower.
  @inline(__always)
  private static func added(_ lane: UInt64, _ buffer: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    mixed(
      lane &+ buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self),
      prime &+ buffer.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
  }

  /// Whole strides go into the lanes, what is left waits in the tail (which is empty).
  private mutating func mix(_ bytes: ArraySlice<UInt8>) {
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
    tail = Array(bytes.dropFirst(whole))
  }
}

/// How many line feeds there are: of NDJSON, how many records.
package func lineCount(of lines: [UInt8]) -> Int {
  lines.withUnsafeBufferPointer { Kernel.best.countLines($0).lineFeeds }
}
