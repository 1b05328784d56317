// The reader of the YAML subset: its position in the text, and the helpers that all its parts need.

import Diagnostics

/// Reads one YAML 1.2 document, or one JSON text; see `Node.init(reading:)` for its guarantees.
///
/// Block maps and lists are frames of a stack that indentation pushes and pops. Flow collections are frames of a stack
/// of their own, as no block can be inside them. Nothing recurses, so no input can overflow the stack.
struct YAMLReader {
  /// Deepest nesting, as for bodies.
  static let depthLimit = 1_024
  /// Limit for the number of diagnostics.
  static let mistakeLimit = 100

  let source: SourceText
  let bytes: [UInt8]
  var position: Int
  /// Offset at which the line of `position` begins.
  var lineStart: Int
  /// Offset of the last line that was read as an entry or a value.
  var takenLine = -1
  var mistakes: [Diagnostic] = []
  var stack: [BlockFrame] = []
  var root: Node?
  /// Ranges of quoted scalars, in order; only they may have characters that are not printable.
  var quotedRanges: [Range<Int>] = []

  init(_ source: SourceText) {
    self.source = source
    bytes = source.bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    lineStart = position
  }

  /// Returns the byte at the offset; past the end, NUL, which no accepted text has.
  func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  var isAtEnd: Bool { position >= bytes.count }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func lineNumber(at offset: Int) -> Int { source.place(at: offset).line }

  mutating func report(_ message: String, at range: Range<Int>, advice: String? = nil) {
    guard mistakes.count < Self.mistakeLimit else { return }
    mistakes.append(Diagnostic(message, at: range, advice: advice))
  }

  /// Returns the end of the offset's line, before its line break.
  func lineEnd(from offset: Int) -> Int {
    var end = offset
    while !byte(end).isBreakOrEnd { end += 1 }
    return end
  }

  /// Returns the end of a run of spaces and tabs.
  func whiteEnd(from offset: Int) -> Int {
    var end = offset
    while byte(end).isWhite { end += 1 }
    return end
  }

  /// Skips spaces and tabs.
  mutating func skipWhite() { position = whiteEnd(from: position) }

  /// Skips a line break, if there is one: LF, CR LF or CR.
  mutating func skipBreak() {
    if byte(position) == .carriageReturn {
      position += byte(position + 1) == .lineFeed ? 2 : 1
    } else if byte(position) == .lineFeed {
      position += 1
    }
    lineStart = position
  }

  /// True if the line at the offset is `---` or `...` alone, the border of a document.
  func isMarker(at offset: Int) -> Bool {
    isMarker(.dash, at: offset) || isMarker(.dot, at: offset)
  }

  func isMarker(_ letter: UInt8, at offset: Int) -> Bool {
    offset == lineStart && byte(offset) == letter && byte(offset + 1) == letter && byte(offset + 2) == letter
      && byte(offset + 3).isBlankOrEnd
  }
}

extension YAMLReader {
  /// Skips empty lines and comments, and returns the next line with content, or nil at the end of the document.
  ///
  /// `position` must be at the start of a line.
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

  /// Skips the rest of the line after a value, which may only have white space and a comment.
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
      advice: isApostrophe ? "in single quotes an apostrophe is written twice: ''" : "put the whole text in quotes")
  }

  func commentWithoutSpace(at offset: Int) -> Diagnostic {
    Diagnostic("a comment needs a space before '#'", at: offset..<offset + 1)
  }
}
