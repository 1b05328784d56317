// Memory for a record that is too long to be copied: it grows without a copy, and is freed while it is handed over.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory that `realloc` moves by pages, not by bytes, and that takes no physical memory before it is written.
///
/// Only one buffer owns it at a time; `RecordBuffer` copies shared memory before it writes.
final class LargeBuffer: @unchecked Sendable {
  /// Size of the pieces that are copied, each before its memory is freed.
  private static let piece = 16 << 20

  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count: Int

  /// Allocates `count` bytes that begin with `bytes`.
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

  /// Returns the first bytes as an array, and empties the buffer.
  ///
  /// Pieces are copied from the last to the first and freed at once, so both never take much more memory than one.
  func handOver(_ length: Int) -> [UInt8] {
    length == 0
      ? []
      : [UInt8](unsafeUninitializedCapacity: length) { target, initialized in
        var left = length
        while left > 0, let start = target.baseAddress {
          let offset = max(0, left - Self.piece)
          (start + offset).update(from: base + offset, count: left - offset)
          left = offset
          grow(to: left)
        }
        initialized = length
      }
  }

  /// Ends the program if there is no memory, as Swift's own arrays do.
  private static func allocated(_ old: UnsafeMutablePointer<UInt8>?, _ count: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(old, max(count, 1)) else { fatalError("out of memory for a record of \(count) bytes") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
