// Searches sixteen bytes at once for the first byte of a class.
//
// `SIMD16<UInt8>(repeating:)` is spelled out everywhere: with an inferred type, the compiler makes a loop over the
// lanes, at a twentieth of the speed.

import CJSONText

/// Sixteen bytes as one vector.
typealias Block = SIMD16<UInt8>
typealias BlockMask = SIMDMask<SIMD16<UInt8>.MaskStorage>

extension SIMDMask where Storage == SIMD16<UInt8>.MaskStorage {
  /// Index of the first lane that is set, or 16.
  ///
  /// Four bits of each lane are packed into one word, and its trailing zero bits are counted. There is no branch, since
  /// the end of a token can't be predicted. (Shifting each pair of lanes by 4 leaves the wanted bits in its lower
  /// byte.)
  @inline(__always)
  var firstLane: Int {
    let pairs = unsafeBitCast(self, to: SIMD8<UInt16>.self) &>> SIMD8<UInt16>(repeating: 4)
    let nibbles = unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: pairs), to: UInt64.self)
    return UInt64(littleEndian: nibbles).trailingZeroBitCount &>> 2
  }
}

enum SIMDScan {
  static let stride = 16

  /// Loads sixteen bytes from an address, which need not be aligned.
  @inline(__always)
  static func block(_ address: UnsafePointer<UInt8>) -> Block {
    UnsafeRawPointer(address).loadUnaligned(as: Block.self)
  }

  @inline(__always)
  static func store(_ block: Block, _ address: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(address).storeBytes(of: block, as: Block.self)
  }

  // MARK: Classes of bytes

  /// Marks bytes that end a run of plain ASCII in a string: `"`, `\`, control characters, and non-ASCII bytes.
  ///
  /// Non-ASCII bytes are negative as signed numbers.
  @inline(__always)
  static func special(_ block: Block) -> BlockMask {
    let signed = unsafeBitCast(block, to: SIMD16<Int8>.self)
    return (block .== Block(repeating: 0x22)) .| (block .== Block(repeating: 0x5C))
      .| (signed .< SIMD16<Int8>(repeating: 0x20))
  }

  @inline(__always)
  static func backslash(_ block: Block) -> BlockMask { block .== Block(repeating: 0x5C) }

  // MARK: The first of a class

  /// Returns the first index of `start..<end` that ends a run of plain ASCII in a string, or `end`.
  static func firstSpecial(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    first(bytes, from: start, to: end) { block in
      special(block)
    } orByte: { byte in
      byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80
    }
  }

  /// Returns the first index of `start..<end` that is no white space, or `end`.
  static func firstNonSpace(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, lineFeed: UInt8) -> Int {
    first(bytes, from: start, to: end) { block in
      let isSpace =
        (block .== Block(repeating: 0x20)) .| (block .== Block(repeating: lineFeed))
        .| (block .== Block(repeating: 0x0D)) .| (block .== Block(repeating: 0x09))
      return .!isSpace
    } orByte: { byte in
      byte != 0x20 && byte != lineFeed && byte != 0x0D && byte != 0x09
    }
  }

  /// Returns the first index of `start..<end` that has a line feed, or `end`.
  ///
  /// Lines are often long. With `first`, this search took a fifth of the time of a run that hashes its records.
  @inline(__always)
  static func firstLineFeed(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    cjson_line_feed(bytes, start, end)
  }

  /// Returns the first index of `start..<end` that has `{`, or `end`.
  static func firstBrace(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    first(bytes, from: start, to: end) { block in
      block .== Block(repeating: 0x7B)
    } orByte: { byte in
      byte == 0x7B
    }
  }

  /// Returns the first index of `start..<end` that has `"` or `\`, or `end`.
  static func firstQuoteOrBackslash(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    first(bytes, from: start, to: end) { block in
      (block .== Block(repeating: 0x22)) .| (block .== Block(repeating: 0x5C))
    } orByte: { byte in
      byte == 0x22 || byte == 0x5C
    }
  }

  /// Returns the first index of `start..<end` that has `"` or a bracket of either kind, or `end`.
  ///
  /// `[` and `{`, and `]` and `}`, differ in one bit only.
  static func firstQuoteOrBracket(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    first(bytes, from: start, to: end) { block in
      let folded = block | Block(repeating: 0x20)
      return (block .== Block(repeating: 0x22)) .| (folded .== Block(repeating: 0x7B))
        .| (folded .== Block(repeating: 0x7D))
    } orByte: { byte in
      byte == 0x22 || byte | 0x20 == 0x7B || byte | 0x20 == 0x7D
    }
  }

  @inline(__always)
  private static func first(
    _ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int,
    where isWanted: (Block) -> BlockMask, orByte isWantedByte: (UInt8) -> Bool
  ) -> Int {
    var index = start
    while index &+ stride <= end {
      let lane = isWanted(block(bytes + index)).firstLane
      index &+= lane
      if lane < stride { return index }
    }
    while index < end, !isWantedByte(bytes[index]) { index &+= 1 }
    return min(index, end)
  }
}

// MARK: Selects the instructions that the first stage uses: once, the best that the machine has

/// Instruction set that the pass was written for; all of them give equal results for equal bytes.
package struct Kernel: Sendable, Equatable {
  let code: CInt
  /// Number of bytes that are read portably first, since a shorter value is not worth a scan.
  let probe: Int

  package static let best = Kernel(code: cjson_best(), probe: 128)
  package static let portable = Kernel(code: CInt(CJSONPortable), probe: .max)

  /// All kernels that this machine can run, by name, for tests and measurements; they scan whatever is long enough.
  package static var all: [(name: String, kernel: Kernel)] {
    [
      ("portable", CJSONPortable), ("SSE2", CJSONSSE2), ("AVX2", CJSONAVX2), ("AVX-512", CJSONAVX512),
      ("NEON", CJSONNEON),
    ]
    .filter { cjson_supports(CInt($0.1)) != 0 }
    .map { ($0.0, $0.1 == CJSONPortable ? .portable : Kernel(code: CInt($0.1), probe: 0)) }
  }

  var isPortable: Bool { code == CInt(CJSONPortable) }
}
