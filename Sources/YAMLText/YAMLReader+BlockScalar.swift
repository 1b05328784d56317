// Block scalars (YAML 1.2 §8.1): `|` keeps the lines, `>` folds them.

import Diagnostics

/// Indicators that follow `|` or `>`.
private struct BlockHeader {
  var isFolded = false
  /// Columns that the content is indented deeper than its parent; nil takes the first line's indentation.
  var indent: Int?
  var chomping = UInt8.space
}

extension YAMLReader {
  /// Reads a block scalar; `position` is at its `|` or `>`.
  mutating func readBlockScalar(parentIndent: Int) throws(Diagnostic) -> Node {
    let start = position
    let header = try readBlockHeader()
    if header.indent != nil, parentIndent < 0 {
      throw Diagnostic(
        "the whole document can't be a block with an indentation of its own", at: start..<position,
        advice: "leave the number out")
    }
    try finishLine()
    var end = lineStart
    let indent =
      if let indent = header.indent { parentIndent + indent } else { try blockIndent(parentIndent: parentIndent) }
    let text = try readBlockLines(header, indent: indent, end: &end)
    let string = String(decoding: text, as: UTF8.self)
    return Node(content: .string(string), range: start..<end, spelling: string, isQuoted: true)
  }

  private mutating func readBlockHeader() throws(Diagnostic) -> BlockHeader {
    var header = BlockHeader(isFolded: byte(position) == UInt8(ascii: ">"))
    position += 1
    while true {
      let byte = byte(position)
      if (byte == UInt8(ascii: "+") || byte == .dash), header.chomping == .space {
        header.chomping = byte
      } else if byte.isDigit, byte != UInt8(ascii: "0"), header.indent == nil {
        header.indent = Int(byte - UInt8(ascii: "0"))
      } else {
        break
      }
      position += 1
    }
    let rest = whiteEnd(from: position)
    if !byte(rest).isBreakOrEnd, byte(rest) != .hash || rest == position {
      throw Diagnostic(
        "the text of a block begins on the line after its '|' or '>'", at: rest..<lineEnd(from: rest),
        advice: "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line")
    }
    return header
  }

  /// Returns the indentation of the content's first line (§8.1.1.1).
  private mutating func blockIndent(parentIndent: Int) throws(Diagnostic) -> Int {
    var line = position
    var deepest = 0
    while true {
      var content = line
      while byte(content) == .space { content += 1 }
      let indent = content - line
      if !byte(content).isBreakOrEnd {
        if content == line, byte(content) == .tab { throw tabBeforeBlock(at: content) }
        if indent > parentIndent, deepest > indent {
          throw Diagnostic(
            "an empty line before the text is indented deeper than the text", at: content..<lineEnd(from: content),
            advice: "take the blanks out of the empty line")
        }
        return indent > parentIndent ? indent : max(deepest, parentIndent + 1)
      }
      deepest = max(deepest, indent)
      guard content < bytes.count else { return max(deepest, parentIndent + 1) }
      line = content + (byte(content) == .carriageReturn && byte(content + 1) == .lineFeed ? 2 : 1)
    }
  }

  /// Reads lines up to the first that is indented less; `end` becomes the end of the last line with text.
  private mutating func readBlockLines(
    _ header: BlockHeader, indent: Int, end: inout Int
  ) throws(Diagnostic) -> [UInt8] {
    var text = BlockText(header)
    while !isAtEnd, !isMarker(at: position) {
      var isLine = false
      while position - lineStart < indent, byte(position) == .space { position += 1 }
      if !byte(position).isBreakOrEnd {
        guard position - lineStart == indent else { break }
        end = lineEnd(from: position)
        text.add(bytes[position..<end])
        // Blanks at the end of the file are a line with or without a line feed (yaml-test-suite L24T/01).
        isLine = bytes[position..<end].allSatisfy(\.isWhite)
        position = end
      } else if isAtEnd, header.chomping == UInt8(ascii: "+") {
        throw Diagnostic(
          "the text ends with spaces and no line end: it isn't clear whether that is a line", at: lineStart..<position,
          advice: "end the file with a line feed")
      }
      if !isAtEnd || isLine { text.breaks += 1 }
      skipBreak()
    }
    position = lineStart
    return text.chomped
  }

  private func tabBeforeBlock(at tab: Int) -> Diagnostic {
    Diagnostic("a tab stands in the indentation", at: tab..<tab + 1, advice: "indent with spaces")
  }
}

/// Text of a block scalar, built line by line.
private struct BlockText {
  private let header: BlockHeader
  private var bytes: [UInt8] = []
  private var hasText = false
  /// True if the last line with text may be joined with the next, so it must not begin with white space.
  private var wasFoldable = false
  /// Number of line breaks since the last text.
  var breaks = 0

  init(_ header: BlockHeader) { self.header = header }

  mutating func add(_ line: ArraySlice<UInt8>) {
    let isFoldable = header.isFolded && line.first?.isWhite == false
    let joins = wasFoldable && isFoldable
    bytes += joins && breaks == 1 ? [.space] : [UInt8](repeating: .lineFeed, count: joins ? breaks - 1 : breaks)
    bytes += line
    (breaks, wasFoldable, hasText) = (0, isFoldable, true)
  }

  /// The text with as many line feeds at its end as the header says (§8.1.1.2).
  var chomped: [UInt8] {
    let kept =
      switch header.chomping {
      case .dash: 0
      case .space: hasText ? min(breaks, 1) : 0
      default: breaks
      }
    return bytes + [UInt8](repeating: .lineFeed, count: kept)
  }
}
