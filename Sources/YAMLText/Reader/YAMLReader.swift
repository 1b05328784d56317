// The reader of the YAML subset: where it stands in the text, and what all its parts need.

import Diagnostics

/// Reads one YAML 1.2 document, or one JSON text: `Node.init(reading:)` says what it promises.
///
/// Block maps and lists are frames of a stack that indentation pushes and pops; flow collections are frames of a stack
/// of their own, as no block stands in them. Nothing recurses, so no input can overflow the stack.
struct YAMLReader {
  /// The deepest nesting, as for bodies.
  static let depthLimit = 1_024
  /// Nobody reads more mistakes than this.
  static let mistakeLimit = 100

  let source: SourceText
  let bytes: [UInt8]
  var position: Int
  /// Where the line begins in which `position` is.
  var lineStart: Int
  /// Where the line begins that was last taken up as an entry or a value.
  var takenLine = -1
  var mistakes: [Diagnostic] = []
  var stack: [BlockFrame] = []
  var root: Node?
  /// Where quoted scalars stand, in order: only they may hold characters that are not printable.
  var quotedRanges: [Range<Int>] = []

  init(_ source: SourceText) {
    self.source = source
    bytes = source.bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    lineStart = position
  }

  /// The byte there; NUL past the end, which no accepted text holds.
  func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  var isAtEnd: Bool { position >= bytes.count }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func lineNumber(at offset: Int) -> Int { source.place(at: offset).line }

  mutating func report(_ message: String, at range: Range<Int>, advice: String? = nil) {
    guard mistakes.count < Self.mistakeLimit else { return }
    mistakes.append(Diagnostic(message, at: range, advice: advice))
  }

  /// The end of the line (before its break) that holds the offset.
  func lineEnd(from offset: Int) -> Int {
    var end = offset
    while !byte(end).isBreakOrEnd { end += 1 }
    return end
  }

  /// The end of a run of spaces and tabs.
  func whiteEnd(from offset: Int) -> Int {
    var end = offset
    while byte(end).isWhite { end += 1 }
    return end
  }

  /// Goes past spaces and tabs.
  mutating func skipWhite() { position = whiteEnd(from: position) }

  /// Goes past a line break, if one is here: LF, CR LF or CR.
  mutating func skipBreak() {
    if byte(position) == .carriageReturn {
      position += byte(position + 1) == .lineFeed ? 2 : 1
    } else if byte(position) == .lineFeed {
      position += 1
    }
    lineStart = position
  }

  /// Whether `---` or `...` stands alone at the start of the line there: the border of a document.
  func isMarker(at offset: Int) -> Bool {
    isMarker(.dash, at: offset) || isMarker(.dot, at: offset)
  }

  func isMarker(_ letter: UInt8, at offset: Int) -> Bool {
    offset == lineStart && byte(offset) == letter && byte(offset + 1) == letter && byte(offset + 2) == letter
      && byte(offset + 3).isBlankOrEnd
  }
}

extension YAMLReader {
  /// From the start of a line, goes past empty lines and comments to the start of a line with content; nil where the
  /// document ends.
  mutating func nextContentLine() -> ContentLine? {
    while !isAtEnd {
      if isMarker(at: position) { return nil }
      var content = lineStart
      while byte(content) == .space { content += 1 }
      let indent = content - lineStart
      content = whiteEnd(from: content)
      if !byte(content).isBreakOrEnd, byte(content) != .hash {
        return ContentLine(start: lineStart, indent: indent, content: content)
      }
      position = lineEnd(from: content)
      skipBreak()
    }
    return nil
  }

  /// After a value: only white space and a comment may stand on the rest of the line.
  mutating func finishLine() throws(Diagnostic) {
    let rest = whiteEnd(from: position)
    if byte(rest) == .hash {
      guard rest > position else { throw commentWithoutSpace(at: rest) }
    } else if !byte(rest).isBreakOrEnd {
      throw textAfterValue(at: rest)
    }
    position = lineEnd(from: rest)
    skipBreak()
  }

  private func textAfterValue(at offset: Int) -> Diagnostic {
    let isAfterQuote = quotedRanges.last?.upperBound == position
    let isApostrophe = isAfterQuote && byte(position - 1) == .apostrophe
    return Diagnostic(
      isAfterQuote ? "text after a closing quote" : "text after the end of a value",
      at: offset..<lineEnd(from: offset),
      advice: isApostrophe ? "in single quotes an apostrophe is written twice: ''" : nil)
  }

  func commentWithoutSpace(at offset: Int) -> Diagnostic {
    Diagnostic("a comment needs a space before '#'", at: offset..<offset + 1)
  }
}
