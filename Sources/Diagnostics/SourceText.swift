// A text that a person wrote, and the positions of its bytes.

/// Text and its display name: a path as it was given, or `<stdin>`.
///
/// Lines end with LF, CR LF or CR. A byte order mark at the start belongs to no line and no column. Finding
/// a position takes logarithmic time: every template of a spec may ask for its own, even on one line of a megabyte.
package struct SourceText: Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// The bytes as excerpts show them.
  private(set) var shown: [UInt8]
  /// Parts that no message may show, in order.
  private var hidden: [Range<Int>] = []

  /// Offset of each line's first byte, in order; never empty.
  private let lineStarts: [Int]
  /// Number of scalars that begin before each block of `blockSize` bytes.
  private let scalarsBeforeBlock: [Int]
  private static let blockSize = 512

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    shown = bytes
    var lineStarts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
    var scalarsBeforeBlock: [Int] = []
    var scalars = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.blockSize == 0 { scalarsBeforeBlock.append(scalars) }
      if Self.beginsScalar(byte) { scalars += 1 }
      let isLineEnd = byte == 0x0A || (byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A))
      if isLineEnd { lineStarts.append(offset + 1) }
    }
    self.lineStarts = lineStarts
    self.scalarsBeforeBlock = scalarsBeforeBlock
  }

  /// Returns the text with parts that are shown as asterisks in excerpts, and in messages about them.
  ///
  /// - Parameter ranges: in order.
  package func hiding(_ ranges: [Range<Int>]) -> SourceText {
    var text = self
    text.hidden = ranges
    for offset in ranges.joined() where !Self.isSpace(bytes[offset]) { text.shown[offset] = UInt8(ascii: "*") }
    return text
  }

  /// Reports that a range overlaps a hidden part.
  package func hides(_ part: Range<Int>) -> Bool {
    let first = hidden.partitioningIndex { $0.upperBound > part.lowerBound }
    return first < hidden.count && hidden[first].lowerBound < part.upperBound
  }

  /// Returns a message about a part of this text, with asterisks for the hidden texts in that part.
  ///
  /// A short text is hidden only if the message has it in quotes.
  func masking(_ message: String, about part: Range<Int>) -> String {
    var message = message
    let start = hidden.partitioningIndex { $0.upperBound > part.lowerBound }
    for range in hidden[start...] {
      guard range.lowerBound < part.upperBound else { break }
      let text = String(decoding: bytes[range], as: UTF8.self).withoutQuotes
      guard !text.isEmpty, message.contains(text) else { continue }
      // An ordinary word may be the message's own.
      let isWord = text.utf8.count < 12 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
      message =
        text.utf8.count > 5 && !isWord
        ? message.replacing(text, with: "***")
        : message.replacing("'\(text)'", with: "'***'").replacing("\"\(text)\"", with: "\"***\"")
    }
    return message
  }

  /// Returns the position of a byte offset; the offset at the end gives the position after the last scalar.
  package func position(at offset: Int) -> SourcePosition {
    let offset = min(max(offset, lineStarts[0]), bytes.count)
    let line = lineNumber(at: offset)
    return SourcePosition(line: line, column: scalars(before: offset) - scalars(before: lineStarts[line - 1]) + 1)
  }

  /// Returns the byte range of a line (from 1) without its line end, or nil past the end.
  package func lineRange(_ number: Int) -> Range<Int>? {
    guard lineStarts.indices.contains(number - 1) else { return nil }
    let start = lineStarts[number - 1]
    var end = number < lineStarts.count ? lineStarts[number] : bytes.count
    if end > start, bytes[end - 1] == 0x0A { end -= 1 }
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// Returns the number of the last line that begins at or before the offset.
  private func lineNumber(at offset: Int) -> Int {
    max(1, lineStarts.partitioningIndex { $0 > offset })
  }

  private func scalars(before offset: Int) -> Int {
    guard !scalarsBeforeBlock.isEmpty else { return 0 }
    let block = min(offset / Self.blockSize, scalarsBeforeBlock.count - 1)
    let rest = bytes[block * Self.blockSize..<offset]
    return scalarsBeforeBlock[block] + rest.count(where: Self.beginsScalar)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

extension String {
  fileprivate var withoutQuotes: String {
    var text = self[...]
    let quotes: [Character] = ["\"", "'"]
    if let first = text.first, quotes.contains(first) { text = text.dropFirst() }
    if let last = text.last, quotes.contains(last) { text = text.dropLast() }
    return String(text)
  }
}

extension Array {
  /// Returns the first index whose element has a property that all elements after it have, too.
  package func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Position in a text: line and column, both from 1.
///
/// The column counts Unicode scalars.
package struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: SourcePosition, b: SourcePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  package var description: String { "\(line):\(column)" }
}

// MARK: Makes text from outside safe for a terminal

extension String {
  /// The text with control characters (C0, C1, DEL), bidirectional controls and byte order marks escaped, such as
  /// `\u{1b}`.
  ///
  /// A `String` has no invalid UTF-8, so nothing else needs escaping.
  package var printable: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.mustBeEscaped {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Like `printable`, but keeps line feeds and tabs, for messages of several lines.
  package var printableLines: String {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        .map { String(Substring($0)).printable }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}

extension Int {
  /// The number with its noun: `1 record`, `2 records`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension StringProtocol {
  /// The name for a message: its first 60 characters, followed by `…` if there are more.
  package var shortName: String { dropFirst(60).isEmpty ? String(self) : "\(prefix(60))…" }
}

extension Unicode.Scalar {
  /// True if a terminal could read the scalar as a command, a line end, or a change of text direction (UAX #9).
  fileprivate var mustBeEscaped: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029: true
    // A byte order mark, and scalars that are no characters: a spec refuses them outside quotes.
    case 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
