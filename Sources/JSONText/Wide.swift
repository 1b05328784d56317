// Looking at sixteen bytes at once: where the first byte of interest stands.
//
// `SIMD16<UInt8>(repeating:)` is spelled out everywhere: with an inferred type the compiler makes a loop a lane of it,
// at a twentieth of the speed.

/// Sixteen bytes as one vector, and the questions that are asked of it.
typealias Block = SIMD16<UInt8>

extension SIMDMask where Storage == SIMD16<UInt8>.MaskStorage {
  /// The index of the first lane that is set, or nil.
  ///
  /// A lane is all ones or all zeros, so the first set byte of each half is its count of trailing zero bits over 8.
  @inline(__always)
  var firstIndex: Int? {
    let halves = unsafeBitCast(self, to: SIMD2<UInt64>.self)
    if halves.x != 0 { return UInt64(littleEndian: halves.x).trailingZeroBitCount &>> 3 }
    if halves.y != 0 { return 8 &+ UInt64(littleEndian: halves.y).trailingZeroBitCount &>> 3 }
    return nil
  }
}

enum Wide {
  static let stride = 16

  /// The sixteen bytes from an address on, which need not be aligned.
  @inline(__always)
  static func block(_ address: UnsafePointer<UInt8>) -> Block {
    UnsafeRawPointer(address).loadUnaligned(as: Block.self)
  }

  /// The first index from `start` on that holds `"` or `\`, or the count.
  @inline(__always)
  static func firstQuoteOrBackslash(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start) { block in
      (block .== Block(repeating: 0x22)) .| (block .== Block(repeating: 0x5C))
    } orByte: { byte in
      byte == 0x22 || byte == 0x5C
    }
  }

  /// The first index from `start` on that holds `"` or a bracket of either kind, or the count.
  ///
  /// `[` and `{`, and `]` and `}`, differ in one bit only.
  @inline(__always)
  static func firstQuoteOrBracket(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start) { block in
      let folded = block | Block(repeating: 0x20)
      return (block .== Block(repeating: 0x22)) .| (folded .== Block(repeating: 0x7B))
        .| (folded .== Block(repeating: 0x7D))
    } orByte: { byte in
      byte == 0x22 || byte | 0x20 == 0x7B || byte | 0x20 == 0x7D
    }
  }

  @inline(__always)
  private static func first(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int,
    where isWanted: (Block) -> SIMDMask<Block.MaskStorage>, orByte isWantedByte: (UInt8) -> Bool
  ) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    var index = start
    while index &+ stride <= bytes.count {
      if let lane = isWanted(block(base + index)).firstIndex { return index &+ lane }
      index &+= stride
    }
    while index < bytes.count, !isWantedByte(base[index]) { index &+= 1 }
    return min(index, bytes.count)
  }
}
