// Room for a record that is too long to be copied: it grows where it is, and is given back while it is handed over.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory that `realloc` moves by its pages, not by its bytes, and that takes none before it is written to.
///
/// Only one buffer has it at a time (`RecordBuffer` copies it before it writes, if need be).
final class LargeBuffer: @unchecked Sendable {
  /// What is copied at once, before its memory is given back.
  private static let piece = 16 << 20

  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count: Int

  /// The bytes at the start of so much room.
  init(_ bytes: UnsafeBufferPointer<UInt8>, count: Int) {
    base = Self.allocated(nil, count)
    self.count = count
    if let source = bytes.baseAddress { base.update(from: source, count: bytes.count) }
  }

  deinit {
    free(base)
  }

  func grow(to count: Int) {
    base = Self.allocated(base, count)
    self.count = count
  }

  /// The first bytes as an array, copied from the last to the first, so that both together never take much more than
  /// one of them. There is no room left afterwards.
  func handOver(_ length: Int) -> [UInt8] {
    length == 0
      ? []
      : [UInt8](unsafeUninitializedCapacity: length) { target, initialized in
        var left = length
        while left > 0, let start = target.baseAddress {
          let place = max(0, left - Self.piece)
          (start + place).update(from: base + place, count: left - place)
          left = place
          grow(to: left)
        }
        initialized = length
      }
  }

  /// Ends the program where there is no memory, as Swift's own arrays do.
  private static func allocated(_ old: UnsafeMutablePointer<UInt8>?, _ count: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(old, max(count, 1)) else { fatalError("out of memory for a record of \(count) bytes") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
