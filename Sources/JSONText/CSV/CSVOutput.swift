// The records of a CSV text as NDJSON: whole lines first, then the beginning of an incomplete one.

/// Buffer that is filled at its end; whole lines are taken from its front.
struct CSVOutput: Sendable {
  /// Size above which memory is not kept for the next lines.
  private static let usualRoom = 8 << 20

  /// Allocated bytes; bytes after `filled` are undefined.
  private var bytes: [UInt8] = []
  /// Number of bytes in use.
  private var filled = 0
  /// Number of bytes in whole lines.
  private var complete = 0
  private(set) var recordCount = 0

  /// Calls `body` with a writer after the last byte, which may write `count` bytes.
  mutating func write(
    atMost count: Int, _ body: (inout CSVWriter) throws(SyntaxError) -> Void
  ) throws(SyntaxError) {
    makeRoom(for: count)
    let (before, lines, records) = (filled, complete, recordCount)
    var after = (before, lines, records)
    defer { (filled, complete, recordCount) = after }
    try bytes.withUnsafeMutableBufferPointer { (room) throws(SyntaxError) in
      guard let base = room.baseAddress else { return }
      var writer = CSVWriter(base: base, filled: before, complete: lines, recordCount: records)
      defer { after = (writer.filled, writer.complete, writer.recordCount) }
      try body(&writer)
    }
  }

  private mutating func makeRoom(for count: Int) {
    let wanted = filled + count + UncheckedWriter.slack
    if bytes.count < wanted { bytes = Self.moved(bytes[..<filled], toRoom: max(wanted, bytes.count * 2)) }
  }

  /// Copies the bytes to the start of an array of `count` bytes; the other bytes are undefined.
  private static func moved(_ bytes: ArraySlice<UInt8>, toRoom count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
      _ = room.update(fromContentsOf: bytes)
      initialized = count
    }
  }

  /// Returns a copy of the whole lines, which takes no more memory than their bytes.
  mutating func take() -> [UInt8] {
    guard complete > 0 else { return [] }
    let lines = Array(bytes[..<complete])
    if bytes.count > Self.usualRoom { bytes = Array(bytes[complete..<filled]) } else { moveRest() }
    (filled, complete) = (filled - complete, 0)
    return lines
  }

  /// Moves the bytes after the whole lines to the front.
  private mutating func moveRest() {
    let rest = complete..<filled
    bytes.withUnsafeMutableBufferPointer { bytes in
      // The bytes may overlap, which `update` allows. A slice would keep the array, so that all of it would be copied.
      guard let base = bytes.baseAddress else { return }
      base.update(from: base + rest.lowerBound, count: rest.count)
    }
  }
}

/// Appends records to a `CSVOutput`, which provides the memory.
struct CSVWriter {
  private let base: UnsafeMutablePointer<UInt8>
  var bytes: UncheckedWriter
  /// Number of bytes in whole lines.
  private(set) var complete: Int
  private(set) var recordCount: Int

  init(base: UnsafeMutablePointer<UInt8>, filled: Int, complete: Int, recordCount: Int) {
    self.base = base
    bytes = UncheckedWriter(position: base + filled)
    (self.complete, self.recordCount) = (complete, recordCount)
  }

  /// Number of bytes written, with those before.
  var filled: Int { bytes.position - base }

  /// The incomplete line.
  var line: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base + complete, count: filled - complete) }

  mutating func removeLine() {
    bytes.position = base + complete
  }

  /// Ends a record.
  @inline(__always)
  mutating func endLine() {
    bytes.put(0x0A)
    complete = filled
    recordCount &+= 1
  }

  /// Writes an ASCII byte that a JSON string must escape (RFC 8259 §7).
  mutating func putEscape(of byte: UInt8) {
    bytes.put(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.put(byte)
    case 0x0A: bytes.put(UInt8(ascii: "n"))
    case 0x0D: bytes.put(UInt8(ascii: "r"))
    case 0x09: bytes.put(UInt8(ascii: "t"))
    default:
      for letter in "u00".utf8 { bytes.put(letter) }
      bytes.put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0x0F
      bytes.put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }
}

// MARK: The bytes before each field of a record: its member's name, or only a comma

/// The bytes between the fields of a record, as JSON; each field is a string, whose quotes they have.
struct CSVNames: Sendable {
  /// All these bytes, one after the other, and padding for block copies.
  let bytes: [UInt8]
  /// Offsets of the bytes before each field; the last offset is their end.
  let starts: [Int]
  /// Length of the longest piece.
  let longest: Int
  /// Closes a record.
  let end: UInt8
  let isArray: Bool

  /// Creates the bytes of objects.
  ///
  /// - Parameter names: JSON strings.
  init(names: [[UInt8]]) {
    let pieces = names.enumerated().map { index, name in
      Array((index == 0 ? "{" : "\",").utf8) + name + Array(":\"".utf8)
    }
    self.init(pieces: pieces, end: UInt8(ascii: "}"), isArray: false)
  }

  /// The bytes of arrays: before the first field, and before each other field.
  static let none = CSVNames(
    pieces: [Array("[\"".utf8), Array("\",\"".utf8)], end: UInt8(ascii: "]"), isArray: true)

  private init(pieces: [[UInt8]], end: UInt8, isArray: Bool) {
    starts = pieces.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    bytes = pieces.flatMap { $0 } + [UInt8](repeating: 0, count: UncheckedWriter.slack)
    longest = pieces.map(\.count).max() ?? 0
    self.end = end
    self.isArray = isArray
  }

  /// The bytes before the first field.
  var first: ArraySlice<UInt8> { bytes[..<starts[1]] }

  /// Appends the bytes before a field.
  @inline(__always)
  func put(before field: Int, _ writer: inout UncheckedWriter) {
    let index = isArray ? min(field, 1) : field
    let range = starts[index]..<starts[index &+ 1]
    bytes.withUnsafeBufferPointer { writer.put(range, of: $0) }
  }
}
