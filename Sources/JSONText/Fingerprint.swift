// Facts about lines that the corridor wants at the speed of memory: how many there are, and whether two pages differ.

/// A fast 64-bit hash of bytes that come in pieces: the same however they were cut, and good for telling pages apart.
///
/// Four lanes of xor and multiply, as in the family of wyhash and xxHash. It is not cryptographic: a server that wanted
/// to could make two pages look the same, which is an error of its own run and nobody else's.
package struct Fingerprint: Sendable {
  private static let stride = 32
  private static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
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
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
      hash = Self.mixed(hash, lane)
      hash ^= hash >> 32
    }
    return Int(truncatingIfNeeded: hash)
  }

  private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* prime
    return product << 29 | product >> 35
  }

  /// Whole strides go into the lanes, what is left waits in the tail (which is empty).
  private mutating func mix(_ bytes: ArraySlice<UInt8>) {
    let whole = bytes.count / Self.stride * Self.stride
    var lanes = lanes
    // Every load stays below `whole`, which is at most the buffer's count.
    bytes.withUnsafeBytes { buffer in
      var index = 0
      while index < whole {
        lanes.0 = Self.mixed(lanes.0, buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        lanes.1 = Self.mixed(lanes.1, buffer.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self))
        lanes.2 = Self.mixed(lanes.2, buffer.loadUnaligned(fromByteOffset: index &+ 16, as: UInt64.self))
        lanes.3 = Self.mixed(lanes.3, buffer.loadUnaligned(fromByteOffset: index &+ 24, as: UInt64.self))
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
