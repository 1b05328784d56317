// The common part of both scanners: the first bytes, chunks, positions, and the error that ends the input.

/// Scanner that takes the bytes of an input and gives whole records.
struct ChunkedScanner<Reader: ChunkReader>: Sendable {
  var reader: Reader
  private var detector = EncodingDetector()
  private var position = TextPosition()
  private var buffer = RecordBuffer()
  /// Error after which nothing more is read.
  private var fault: JSONError?

  init(_ reader: Reader) {
    self.reader = reader
  }

  /// Prepares for another input; the caller resets `reader`.
  mutating func reset() {
    detector = EncodingDetector()
    position = TextPosition()
    buffer.reset()
    fault = nil
  }

  mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let fault { throw fault }
    guard !detector.isOver else { return try read(chunk) }
    let held = detector.held
    detector.take(chunk)
    guard detector.isOver else { return }
    guard !held.isEmpty else { return try begin(chunk) }
    // The input has come in tiny pieces so far.
    try detector.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in try begin(bytes) }
    try read(UnsafeBufferPointer(rebasing: chunk[(detector.held.count - held.count)...]))
  }

  mutating func finish() throws(JSONError) {
    if let fault { throw fault }
    if !detector.isOver {
      detector.finish()
      try detector.held.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        if detector.isCutMark { throw fail(SyntaxError(reason: .unexpectedEnd, offset: bytes.count), in: bytes) }
        try begin(bytes)
      }
    }
    let end: (isWhole: Bool, endsRecord: Bool)
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    do throws(SyntaxError) { end = try reader.finish() } catch { throw fail(error, in: nothing) }
    if end.endsRecord { buffer.endLine() }
    if !end.isWhole {
      throw fail(SyntaxError(reason: .unexpectedEnd, offset: 0), in: nothing)
    }
  }

  var recordCount: Int { buffer.recordCount }

  mutating func takeRecords() -> [UInt8] {
    buffer.take()
  }

  /// Reads the first bytes of the input after their encoding is clear.
  private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    if let name = detector.wrongEncoding { throw fail(SyntaxError(reason: .wrongEncoding(name), offset: 0), in: bytes) }
    position.skipMark(detector.markLength)
    try read(UnsafeBufferPointer(rebasing: bytes[detector.markLength...]))
  }

  private mutating func read(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    // The buffer leaves `self` for the time of the call, so that it can be written while the reader changes.
    var buffer = RecordBuffer()
    swap(&buffer, &self.buffer)
    let (flaw, isPlain) = buffer.write(chunk) { (cursor) throws(SyntaxError) in try reader.read(&cursor) }
    swap(&buffer, &self.buffer)
    if let flaw { throw fail(flaw, in: chunk) }
    position.advance(over: chunk, isPlain: isPlain)
  }

  private mutating func fail(_ flaw: SyntaxError, in chunk: UnsafeBufferPointer<UInt8>) -> JSONError {
    let fault = position.fault(flaw, in: chunk)
    self.fault = fault
    return fault
  }
}

/// Reader of one kind of input, chunk after chunk.
protocol ChunkReader: Sendable {
  /// Reads to the cursor's end.
  mutating func read(_ cursor: inout Cursor) throws(SyntaxError)
  /// Ends the input; returns whether the input is complete, and whether its end completes a record.
  mutating func finish() throws(SyntaxError) -> (isWhole: Bool, endsRecord: Bool)
}

// MARK: Reads one JSON text as one value of any kind

/// Reader for a text that is wanted whole.
struct ValueReader: ChunkReader {
  private var grammar: Grammar

  init(depthLimit: Int, kernel: Kernel) {
    grammar = Grammar(depthLimit: depthLimit, kernel: kernel)
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    if grammar.state != .afterValue || grammar.depth > 0 { try grammar.run(&cursor, floor: 0) }
    // Only white space may follow; `step` reports anything else.
    while cursor.index < cursor.end { try grammar.step(&cursor) }
  }

  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    let isWhole = grammar.finish()
    return (isWhole, isWhole)
  }
}

extension JSONValue {
  /// Validates and compacts a text of unknown origin.
  package init(parsing text: [UInt8], depthLimit: Int = 1_024, kernel: Kernel = .best) throws(JSONError) {
    var scanner = ChunkedScanner(ValueReader(depthLimit: depthLimit, kernel: kernel))
    try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
    try scanner.finish()
    self.init(validated: scanner.takeRecords().dropLast())
  }
}

// MARK: The first four bytes of an input: a byte order mark to skip, or an encoding that is not UTF-8

/// Holds back the first bytes until the encoding is clear.
struct EncodingDetector: Sendable {
  private(set) var held: [UInt8] = []
  private(set) var isOver = false

  private static let length = 4

  /// Takes the bytes that are still needed.
  ///
  /// Detection ends at four bytes, or earlier if fewer are clear. A peer that waits for a reply to `7` and a line feed
  /// sends no more.
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) {
    held += chunk.prefix(Self.length - held.count)
    isOver = held.count == Self.length || isClear
  }

  /// True if more bytes would change nothing: UTF-16 and UTF-32 have a mark or a NUL in their first two bytes.
  private var isClear: Bool {
    held.count > 1 && !held.contains(0) && ![[0xEF, 0xBB], [0xFF, 0xFE]].contains(held)
  }

  /// Ends an input of fewer than four bytes.
  mutating func finish() {
    isOver = true
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Length of the UTF-8 byte order mark, or 0; RFC 8259 §8.1 allows parsers to ignore the mark.
  var markLength: Int { held.first == Self.mark[0] && held.starts(with: Self.mark) ? Self.mark.count : 0 }

  /// True if the whole input is a beginning of the byte order mark.
  var isCutMark: Bool { !held.isEmpty && held.count < Self.mark.count && Self.mark.starts(with: held) }

  /// Name of an encoding that is not UTF-8, found by its mark or by the NUL bytes among the first four.
  ///
  /// A JSON text begins with two ASCII characters (RFC 4627 §3); in UTF-16, even a lone digit or an empty string is
  /// longer.
  var wrongEncoding: String? {
    guard held.contains(where: { $0 == 0 || $0 >= 0xFE }) else { return nil }
    let isNUL = held.map { $0 == 0 }
    if held == [0, 0, 0xFE, 0xFF] || isNUL == [true, true, true, false] { return "UTF-32BE" }
    if held == [0xFF, 0xFE, 0, 0] || isNUL == [false, true, true, true] { return "UTF-32LE" }
    if held.starts(with: [0xFE, 0xFF]) || isNUL.starts(with: [true, false]) { return "UTF-16BE" }
    if held.starts(with: [0xFF, 0xFE]) || isNUL.starts(with: [false, true]) { return "UTF-16LE" }
    return nil
  }
}

// MARK: The bytes of a body become UTF-8, before a scanner reads them

/// Turns the bytes of a body into UTF-8, chunk after chunk; UTF-8 passes as it is.
///
/// The bytes decide before the name that a server gives: a byte order mark, or NUL bytes among the first four, show
/// UTF-16. A body whose type names a charset with one byte a letter is in that charset only if it is not UTF-8.
package struct TextDecoder: Sendable {
  private enum State {
    /// The first bytes are held until they show the encoding.
    case start
    case plain
    /// Only ASCII so far, in a body whose type names latin1.
    case ascii
    /// Bytes beyond ASCII are held until they show whether they are UTF-8 in spite of the type.
    case unclear
    case latin1
    case utf16(isBigEndian: Bool)
    /// The charset that the type names spells all letters with ASCII bytes, so that nothing else shows it.
    case refused(String)
  }

  /// Number of bytes, from the first one beyond ASCII on, that show whether a body is UTF-8.
  private static let evidence = 64 << 10
  /// What some servers write before JSON, so that no page can read it as a script.
  private static let guardLine = Array(")]}'".utf8)

  private static let latin1: Set = [
    "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "cp-1252", "x-cp1252",
  ]
  private static let utf16 = ["utf-16": true, "utf-16be": true, "utf-16le": false, "utf16": true, "unicode": false]
  private static let ofASCIIBytes: Set = [
    "utf-7", "hz-gb-2312", "iso-2022-jp", "iso-2022-jp-2", "iso-2022-jp-3", "iso-2022-kr", "iso-2022-cn",
  ]

  private var state = State.start
  private var held: [UInt8] = []
  private let charset: String?
  private let isJSON: Bool

  /// - Parameters:
  ///   - charset: the charset that the type of the body names, in lower case.
  ///   - isJSON: true for one JSON text, which may have a line `)]}'` before it.
  package init(charset: String? = nil, isJSON: Bool) {
    (self.charset, self.isJSON) = (charset, isJSON)
  }

  /// Returns a whole body as UTF-8; the body itself if it is in an unknown charset.
  package static func text(of body: [UInt8], charset: String?, isJSON: Bool) -> [UInt8] {
    var decoder = TextDecoder(charset: charset, isJSON: isJSON)
    guard let start = try? decoder.decode(body) else { return body }
    let end = decoder.finish()
    return start.isEmpty ? end : start + end
  }

  /// Returns the text of the next bytes, as far as it is known.
  package mutating func decode(_ chunk: [UInt8]) throws(JSONError) -> [UInt8] {
    switch state {
    case .plain: return chunk
    case .start:
      held = held.isEmpty ? chunk : held + chunk
      guard isStartWhole else { return [] }
      return try begin()
    case .ascii:
      guard let first = chunk.firstIndex(where: { $0 >= 0x80 }) else { return chunk }
      state = .unclear
      return try chunk[..<first] + decode(Array(chunk[first...]))
    case .unclear:
      held += chunk
      return held.count < Self.evidence ? [] : decided(isEnd: false)
    case .latin1: return Self.fromLatin1(chunk)
    case .utf16(let isBigEndian):
      held += chunk
      return fromUTF16(isBigEndian: isBigEndian)
    case .refused(let name):
      throw JSONError(reason: .wrongEncoding(name), offset: 0, line: 1, column: 1, after: Array(chunk.prefix(32)))
    }
  }

  /// Returns the rest of the text.
  package mutating func finish() -> [UInt8] {
    if case .start = state { return (try? begin()).map { $0 + finish() } ?? [] }
    switch state {
    case .unclear: return decided(isEnd: true)
    case .utf16:
      // Half a letter ends as UTF-8 that was cut does. JSON shows by itself that it ends too early.
      defer { held = [] }
      return held.isEmpty || isJSON ? [] : [0xC2]
    default: return []
    }
  }

  // MARK: The start

  /// True if the held bytes show the encoding.
  private var isStartWhole: Bool {
    if isJSON, held.first == Self.guardLine[0] { return held.count >= Self.guardLine.count + 2 }
    var detector = EncodingDetector()
    held.withUnsafeBufferPointer { detector.take($0) }
    return detector.isOver
  }

  private mutating func begin() throws(JSONError) -> [UInt8] {
    var start: [UInt8] = []
    swap(&start, &held)
    if isJSON, start.starts(with: Self.guardLine), Self.isLineEnd(start.dropFirst(Self.guardLine.count)) {
      // Blanks in its place keep the offsets, lines and columns of messages right.
      start.replaceSubrange(..<Self.guardLine.count, with: repeatElement(0x20, count: Self.guardLine.count))
    }
    state = encoding(of: start)
    if case .utf16(let isBigEndian) = state, start.starts(with: isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]) {
      start.removeFirst(2)
    }
    return start.isEmpty ? [] : try decode(start)
  }

  private func encoding(of start: [UInt8]) -> State {
    var detector = EncodingDetector()
    start.withUnsafeBufferPointer { detector.take($0) }
    switch detector.wrongEncoding {
    case "UTF-16LE": return .utf16(isBigEndian: false)
    case "UTF-16BE": return .utf16(isBigEndian: true)
    case .some: return .plain
    case nil: break
    }
    guard let charset, detector.markLength == 0 else { return .plain }
    if Self.latin1.contains(charset) { return .ascii }
    if Self.ofASCIIBytes.contains(charset) { return .refused(charset) }
    // Each text in UTF-16 without a NUL at its start begins beyond Latin letters; many servers only call UTF-8 so.
    guard let isBigEndian = Self.utf16[charset], !isJSON, start.prefix(4).contains(where: { $0 >= 0x80 || $0 < 0x09 })
    else { return .plain }
    return .utf16(isBigEndian: isBigEndian)
  }

  private static func isLineEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == 0x0A || bytes.starts(with: [0x0D, 0x0A])
  }

  // MARK: Charsets

  /// Decides, by the held bytes, whether the body is UTF-8.
  private mutating func decided(isEnd: Bool) -> [UInt8] {
    defer { held = [] }
    var rest = held[...]
    while let byte = rest.first {
      let length = byte < 0x80 ? 1 : UTF8Sequence.length(rest)
      // The last letter may go on in the next chunk.
      if length == 0, !isEnd, rest.count < 4, UTF8Sequence(lead: byte) != nil { break }
      guard length > 0 else {
        state = .latin1
        return Self.fromLatin1(held)
      }
      rest = rest.dropFirst(length)
    }
    state = .plain
    return held
  }

  /// The letters 0x80 to 0x9F of windows-1252, which browsers read as latin1, too (https://encoding.spec.whatwg.org).
  private static let windows1252: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
  ]

  private static func fromLatin1(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8 + 3)
    for byte in bytes {
      switch byte {
      case ..<0x80: text.append(byte)
      case ..<0xA0: append(UInt32(windows1252[Int(byte - 0x80)]), to: &text)
      default: append(UInt32(byte), to: &text)
      }
    }
    return text
  }

  /// Returns the text of the whole letters that are held.
  private mutating func fromUTF16(isBigEndian: Bool) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(held.count)
    var index = 0
    func unit(_ index: Int) -> UInt32 {
      let (first, second) = (UInt32(held[index]), UInt32(held[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    while index + 1 < held.count {
      let first = unit(index)
      guard first & 0xFC00 == 0xD800 else {
        Self.append(first, to: &text)
        index += 2
        continue
      }
      guard index + 3 < held.count else { break }
      let second = unit(index + 2)
      if second & 0xFC00 == 0xDC00 {
        Self.append(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF), to: &text)
        index += 4
      } else {
        Self.append(first, to: &text)
        index += 2
      }
    }
    held.removeFirst(index)
    return text
  }

  /// Appends a letter as UTF-8; half of a surrogate pair becomes bytes that no scanner accepts.
  private static func append(_ letter: UInt32, to text: inout [UInt8]) {
    switch letter {
    case ..<0x80: return text.append(UInt8(letter))
    case ..<0x800: text.append(0xC0 | UInt8(letter >> 6))
    case ..<0x10000:
      text.append(0xE0 | UInt8(letter >> 12))
      text.append(0x80 | UInt8(letter >> 6 & 0x3F))
    default:
      text.append(0xF0 | UInt8(letter >> 18))
      text.append(0x80 | UInt8(letter >> 12 & 0x3F))
      text.append(0x80 | UInt8(letter >> 6 & 0x3F))
    }
    text.append(0x80 | UInt8(letter & 0x3F))
  }
}
