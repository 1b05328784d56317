// Where lines are put together: room that is filled at its end, and handed over whole.

/// NDJSON under way, written through a pen.
package struct LineBuffer: Sendable {
  /// Room, all of it: what lies behind `filled` means nothing.
  private var bytes: [UInt8]
  private var filled = 0

  /// - Parameter capacity: how many bytes are expected; there may be more.
  package init(capacity: Int) {
    bytes = Self.room(capacity)
  }

  /// (Of no room all empty arrays share one, and its count is written by whoever makes it.)
  private static func room(_ count: Int) -> [UInt8] {
    count == 0 ? [] : [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
  }

  package mutating func append(_ line: [UInt8]) {
    line.withUnsafeBufferPointer { line in write(atMost: line.count) { $0.put(line) } }
  }

  /// Writes behind what is there, `atMost` bytes of it.
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

  /// Hands over all of it.
  package consuming func lines() -> [UInt8] {
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}

extension [UInt8] {
  /// Adds a part of other bytes: what `+=` does with a slice, but nothing is counted for it.
  package mutating func append(_ part: Range<Int>, of bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append(contentsOf: UnsafeBufferPointer(rebasing: $0[part])) }
  }
}
