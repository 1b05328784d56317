// Hashes of single records: by them, pages that share records are found.

/// Hashes the records of a page, one at a time, and the page as a whole.
package struct RecordHasher: Sendable {
  /// Number of records at each end of a page whose hashes are kept, so that memory does not grow with the page.
  private static let kept = 1 << 14

  /// Hashes of the objects, in order; of a large page, those of its first and its last records.
  package private(set) var hashes: [UInt64] = []
  private var count: UInt64 = 0
  private var content: UInt64 = 0

  package init() {}

  /// Adds whole lines that follow the lines before; the cuts between them change nothing.
  package mutating func add(_ lines: [UInt8]) {
    if hashes.count > 3 * Self.kept { hashes.removeSubrange(Self.kept..<hashes.count - Self.kept) }
    lines.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let text = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      var start = 0
      while start < bytes.count {
        let end = SIMDScan.firstLineFeed(text, from: start, to: bytes.count)
        let hash = LineHash.hash(base + start, end - start)
        content = LineHash.mixed(content ^ hash, LineHash.prime)
        count &+= 1
        if text[start] == UInt8(ascii: "{") { hashes.append(hash) }
        start = end + 1
      }
    }
  }

  /// Hash of all records, equal in every process.
  package var contentHash: Int { Int(truncatingIfNeeded: LineHash.mixed(content ^ count, LineHash.prime)) }
}

/// Fast 64-bit hash of one line, as `Fingerprint` is one of many bytes.
enum LineHash {
  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the xor of both halves of the product.
  @inline(__always)
  static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Returns the hash of `count` bytes, and reads no others.
  @inline(__always)
  static func hash(_ text: UnsafeRawPointer, _ count: Int) -> UInt64 {
    func word(_ offset: Int) -> UInt64 { text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    func half(_ offset: Int) -> UInt64 { UInt64(text.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    var (a, b): (UInt64, UInt64) = (0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)
    var index = 0
    while index &+ 32 <= count {
      a = mixed(a ^ word(index), prime ^ word(index &+ 8))
      b = mixed(b &+ word(index &+ 16), prime ^ word(index &+ 24))
      index &+= 32
    }
    // The last words overlap those before them, so that no byte needs a step of its own.
    if count >= 16 {
      if count &- index > 16 { a = mixed(a ^ word(index), prime ^ word(index &+ 8)) }
      b = mixed(b &+ word(count &- 16), prime ^ word(count &- 8))
    } else if count >= 8 {
      a = mixed(a ^ word(0), prime ^ word(count &- 8))
    } else if count >= 4 {
      a = mixed(a ^ half(0), prime ^ half(count &- 4))
    } else {
      for offset in 0..<count { a = mixed(a ^ UInt64(text.load(fromByteOffset: offset, as: UInt8.self)), prime) }
    }
    return mixed(a ^ UInt64(truncatingIfNeeded: count), b ^ prime)
  }
}
