// Values that are captured besides the content while the text is read.

/// Values of all captures: the complete ones, and the nested ones that are being read.
struct Captures: Sendable {
  /// Capture that has started.
  private struct Opened {
    var capture: Int
    var depth: Int
    var start: Int
    var end: Int?
  }

  private(set) var values: [JSONValue?]
  /// Open captures, outer ones before inner ones; they share `bytes`.
  private var opened: [Opened] = []
  private var openCount = 0
  private var bytes: [UInt8] = []
  private(set) var outline = EnvelopeOutline()

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  mutating func reset() {
    self = Captures(count: values.count)
  }

  /// Starts a capture of a value that has this many containers around it.
  mutating func open(_ capture: Int, at depth: Int) {
    opened.append(Opened(capture: capture, depth: depth, start: bytes.count))
    openCount += 1
  }

  /// A member of the envelope begins, with this many containers around it.
  ///
  /// It is none of the captures.
  mutating func openMember(_ path: [String], isInner: Bool, at depth: Int) {
    guard outline.openDepth == nil else { return }
    outline.open(path, isInner: isInner, at: depth)
    openCount += 1
  }

  var areOpen: Bool { openCount > 0 }

  @inline(__always)
  mutating func take(_ compact: UnsafeBufferPointer<UInt8>) {
    if openCount > 0 { append(compact) }
  }

  private mutating func append(_ compact: UnsafeBufferPointer<UInt8>) {
    if outline.openDepth != nil, !outline.take(compact) { openCount -= 1 }
    if !opened.isEmpty { bytes.append(contentsOf: compact) }
  }

  /// Ends the captures of the value that has this many containers around it.
  @inline(__always)
  mutating func close(at depth: Int) {
    if openCount > 0 { closeOpened(at: depth) }
  }

  private mutating func closeOpened(at depth: Int) {
    if outline.openDepth == depth {
      outline.close()
      openCount -= 1
    }
    guard !opened.isEmpty else { return }
    for index in opened.indices where opened[index].depth == depth && opened[index].end == nil {
      opened[index].end = bytes.count
      openCount -= 1
    }
    guard openCount == (outline.openDepth == nil ? 0 : 1) else { return }
    for value in opened {
      values[value.capture] = JSONValue(validated: bytes[value.start..<(value.end ?? bytes.count)])
    }
    opened.removeAll()
    bytes = []
  }
}
