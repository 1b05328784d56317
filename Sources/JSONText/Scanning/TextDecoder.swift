// The bytes of a body become UTF-8, before a scanner reads them.

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

  /// The first bytes of a zip archive, with files and without, which no text begins with.
  private static let archives: [[UInt8]] = [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]]

  private var state = State.start
  private var held: [UInt8] = []
  private let charset: String?
  private let isJSON: Bool
  /// True if a text in UTF-16 has ended inside a letter.
  package private(set) var endsInsideLetter = false

  /// - Parameters:
  ///   - charset: the charset that the type of the body names, in lower case.
  ///   - isJSON: true for one JSON text, which may have a line `)]}'` before it.
  package init(charset: String? = nil, isJSON: Bool) {
    (self.charset, self.isJSON) = (charset, isJSON)
  }

  /// Returns a whole body as UTF-8; the body itself if it is in an unknown charset.
  package static func text(of body: [UInt8], charset: String?, isJSON: Bool) -> [UInt8] {
    var decoder = TextDecoder(charset: charset, isJSON: isJSON)
    guard let start = try? decoder.decode(body), let end = try? decoder.finish() else { return body }
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
  package mutating func finish() throws(JSONError) -> [UInt8] {
    if case .start = state { return try begin() + finish() }
    switch state {
    case .unclear: return decided(isEnd: true)
    case .utf16:
      endsInsideLetter = !held.isEmpty
      held = []
      return []
    default: return []
    }
  }

  // MARK: The start

  /// True if the held bytes show the encoding.
  private var isStartWhole: Bool {
    if isJSON, held.first == Self.guardLine[0] { return held.count >= Self.guardLine.count + 2 }
    if held.count < 4, Self.archives.contains(where: { $0.starts(with: held) }) { return false }
    var detector = EncodingDetector()
    held.withUnsafeBufferPointer { detector.take($0) }
    return detector.isOver
  }

  private mutating func begin() throws(JSONError) -> [UInt8] {
    var start: [UInt8] = []
    swap(&start, &held)
    if Self.archives.contains(where: start.starts(with:)) {
      // A line of CSV may have any character.
      throw JSONError(
        reason: .unexpectedByte, offset: 0, line: 1, column: 1, after: Array(start.prefix(JSONError.context)))
    }
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
