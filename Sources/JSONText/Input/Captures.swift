// Values that are wanted besides the content, gathered while they are read.

/// The values of all captures: those that are whole, and those that are being read, one inside the other.
struct Captures: Sendable {
  /// A capture whose value has begun.
  private struct Opened {
    var capture: Int
    var depth: Int
    var start: Int
    var end: Int?
  }

  private(set) var values: [JSONValue?]
  /// Inner ones come after the outer ones, and share their bytes.
  private var opened: [Opened] = []
  private var openCount = 0
  private var bytes: [UInt8] = []

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  mutating func reset() {
    self = Captures(count: values.count)
  }

  /// A wanted value begins, with this many containers around it.
  mutating func open(_ capture: Int, at depth: Int) {
    opened.append(Opened(capture: capture, depth: depth, start: bytes.count))
    openCount += 1
  }

  var areOpen: Bool { openCount > 0 }

  @inline(__always)
  mutating func take(_ compact: UnsafeBufferPointer<UInt8>) {
    if openCount > 0 { bytes.append(contentsOf: compact) }
  }

  /// A value with this many containers around it has ended.
  @inline(__always)
  mutating func close(at depth: Int) {
    if openCount > 0 { closeOpened(at: depth) }
  }

  private mutating func closeOpened(at depth: Int) {
    for index in opened.indices where opened[index].depth == depth && opened[index].end == nil {
      opened[index].end = bytes.count
      openCount -= 1
    }
    guard openCount == 0 else { return }
    for value in opened {
      values[value.capture] = JSONValue(validated: bytes[value.start..<(value.end ?? bytes.count)])
    }
    opened.removeAll()
    bytes = []
  }
}
