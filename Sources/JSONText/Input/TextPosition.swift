// The current position as offset, line and column: cheap sums for each chunk, an exact position only for an error.

import CJSONText

/// Position of the next chunk.
struct TextPosition: Sendable {
  private var offset = 0
  private var line = 1
  /// Number of scalars since the start of the line.
  private var scalars = 0
  /// Last bytes before the next chunk.
  private var tail: [UInt8] = []

  private static let context = JSONError.context
  /// Length of the context before an error, and of a sequence's bytes between that context and the next chunk.
  private static let tailLength = context + 3

  /// Skips a byte order mark, which takes no column.
  mutating func skipMark(_ count: Int) {
    offset += count
  }

  /// Moves over a chunk.
  ///
  /// - Parameter isPlain: true if the chunk is known to be ASCII without line feeds.
  mutating func advance(over chunk: UnsafeBufferPointer<UInt8>, isPlain: Bool) {
    if isPlain { scalars += chunk.count } else { move(over: chunk) }
    offset += chunk.count
    tail = (chunk.count < Self.tailLength ? tail : []) + chunk.suffix(Self.tailLength)
    tail.removeFirst(max(0, tail.count - Self.tailLength))
  }

  private mutating func move(over bytes: UnsafeBufferPointer<UInt8>) {
    let counts = Kernel.best.countLines(bytes)
    line += counts.lineFeeds
    guard counts.lineFeeds > 0, let last = bytes.lastIndex(of: 0x0A) else {
      scalars += bytes.count - counts.continuations
      return
    }
    let rest = UnsafeBufferPointer(rebasing: bytes[(last + 1)...])
    scalars = rest.count - Kernel.best.countLines(rest).continuations
  }

  /// Returns the error at an offset of the chunk that begins here.
  ///
  /// A negative offset is at most three bytes back, at the lead byte of a UTF-8 sequence, which is one scalar.
  func fault(_ flaw: SyntaxError, in chunk: UnsafeBufferPointer<UInt8>) -> JSONError {
    var place = self
    place.move(over: UnsafeBufferPointer(rebasing: chunk[..<max(flaw.offset, 0)]))
    let before =
      flaw.offset < 0 ? Array(tail.dropLast(-flaw.offset)) : tail + chunk[..<flaw.offset].suffix(Self.context)
    let after = (flaw.offset < 0 ? tail.suffix(-flaw.offset) : []) + chunk[max(flaw.offset, 0)...].prefix(Self.context)
    return JSONError(
      reason: flaw.reason, offset: offset + flaw.offset, line: place.line,
      column: place.scalars + (flaw.offset < 0 ? 0 : 1), before: before.suffix(Self.context),
      after: Array(after.prefix(Self.context)))
  }
}

extension Kernel {
  /// Counts line feeds, and UTF-8 continuation bytes, which begin no scalar.
  func countLines(_ bytes: UnsafeBufferPointer<UInt8>) -> (lineFeeds: Int, continuations: Int) {
    guard let base = bytes.baseAddress, !isPortable else { return SIMDScan.countLines(bytes) }
    let blocks = bytes.count / 64
    var feeds: UInt64 = 0
    var tails: UInt64 = 0
    cjson_count(code, base, blocks, &feeds, &tails)
    let rest = SIMDScan.countLines(UnsafeBufferPointer(rebasing: bytes[(blocks * 64)...]))
    return (Int(feeds) + rest.lineFeeds, Int(tails) + rest.continuations)
  }
}

extension SIMDScan {
  /// Counts line feeds, and UTF-8 continuation bytes, which begin no scalar.
  static func countLines(_ bytes: UnsafeBufferPointer<UInt8>) -> (lineFeeds: Int, continuations: Int) {
    guard let base = bytes.baseAddress else { return (0, 0) }
    var lineFeeds = 0
    var continuations = 0
    var index = 0
    while index &+ stride <= bytes.count {
      // A lane counts to at most 255 before the lanes are added up.
      let batchEnd = min(bytes.count &- stride, index &+ 254 &* stride)
      var feeds = Block(repeating: 0)
      var tails = Block(repeating: 0)
      while index <= batchEnd {
        let lanes = UnsafeRawPointer(base + index).loadUnaligned(as: Block.self)
        let signed = unsafeBitCast(lanes, to: SIMD16<Int8>.self)
        feeds &-= unsafeBitCast(lanes .== Block(repeating: 0x0A), to: Block.self)
        tails &-= unsafeBitCast(signed .< SIMD16<Int8>(repeating: -64), to: Block.self)
        index &+= stride
      }
      lineFeeds &+= sum(feeds)
      continuations &+= sum(tails)
    }
    while index < bytes.count {
      lineFeeds &+= base[index] == 0x0A ? 1 : 0
      continuations &+= base[index] & 0xC0 == 0x80 ? 1 : 0
      index &+= 1
    }
    return (lineFeeds, continuations)
  }

  private static func sum(_ counts: SIMD16<UInt8>) -> Int {
    Int(SIMD16<UInt16>(truncatingIfNeeded: counts).wrappedSum())
  }
}
