// A buffer for lines, which is filled at its end and handed over whole.

/// NDJSON that is being built, written through an `UncheckedWriter`.
package struct LineBuffer: Sendable {
  /// Allocated bytes; bytes after `filled` are undefined.
  private var bytes: [UInt8]
  private var filled = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: expected number of bytes; more are allowed.
  package init(capacity: Int) {
    bytes = Self.room(capacity)
  }

  /// Returns undefined bytes.
  ///
  /// A count of 0 gives `[]`: all empty arrays share one storage, and the initializer would write into it.
  private static func room(_ count: Int) -> [UInt8] {
    count == 0 ? [] : [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
  }

  package mutating func append(_ line: [UInt8]) {
    line.withUnsafeBufferPointer { line in write(atMost: line.count) { $0.put(line) } }
  }

  /// Appends at most `count` bytes, which `body` writes.
  @inline(__always)
  mutating func write(atMost count: Int, _ body: (inout UncheckedWriter) -> Void) {
    if bytes.count - filled < count + UncheckedWriter.slack { grow(by: count) }
    bytes.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return }
      var pen = UncheckedWriter(place: base + filled)
      body(&pen)
      filled = pen.place - base
    }
  }

  private mutating func grow(by count: Int) {
    var larger = Self.room((filled + count + UncheckedWriter.slack) * 3 / 2)
    larger.withUnsafeMutableBufferPointer { room in
      bytes.withUnsafeBufferPointer { _ = room.update(fromContentsOf: $0[..<filled]) }
    }
    bytes = larger
  }

  /// Returns all bytes written.
  package consuming func lines() -> [UInt8] {
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}

extension [UInt8] {
  /// Appends a part of other bytes like `+=` with a slice, but without reference counting.
  package mutating func append(_ part: Range<Int>, of bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append(contentsOf: UnsafeBufferPointer(rebasing: $0[part])) }
  }
}
