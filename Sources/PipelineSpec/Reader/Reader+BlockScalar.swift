// Block scalars (YAML 1.2 §8.1): `|` keeps the lines, `>` folds them.

import Diagnostics

/// What stands behind `|` or `>`.
private struct BlockHeader {
  var isFolded = false
  /// Columns that the content is indented deeper than its parent; nil for as deep as its first line.
  var indent: Int?
  var chomping = UInt8.space
}

extension YAMLReader {
  /// Reads a block scalar; `position` is at its `|` or `>`.
  mutating func readBlockScalar(parentIndent: Int) throws(Mistake) -> Node {
    let start = position
    let header = try readBlockHeader()
    if header.indent != nil, parentIndent < 0 {
      throw Mistake("the whole document can't be a block with an indentation of its own", at: start..<position)
    }
    try finishLine()
    var end = lineStart
    let indent =
      if let indent = header.indent { parentIndent + indent } else { try blockIndent(parentIndent: parentIndent) }
    let text = readBlockLines(header, indent: indent, end: &end)
    let string = String(decoding: text, as: UTF8.self)
    return Node(content: .string(string), range: start..<end, spelling: string, isQuoted: true)
  }

  private mutating func readBlockHeader() throws(Mistake) -> BlockHeader {
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
      throw Mistake(
        "the text of a block begins on the line after its '|' or '>'", at: rest..<lineEnd(from: rest),
        advice: "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line")
    }
    return header
  }

  /// How deep the content's first line is indented (§8.1.1.1).
  private mutating func blockIndent(parentIndent: Int) throws(Mistake) -> Int {
    var line = position
    var deepest = 0
    while true {
      var content = line
      while byte(content) == .space { content += 1 }
      let indent = content - line
      if !byte(content).isBreakOrEnd {
        if indent > parentIndent, deepest > indent {
          throw Mistake(
            "an empty line before the text is indented deeper than the text", at: content..<lineEnd(from: content))
        }
        return indent > parentIndent ? indent : max(deepest, parentIndent + 1)
      }
      deepest = max(deepest, indent)
      guard content < bytes.count else { return max(deepest, parentIndent + 1) }
      line = content + (byte(content) == .carriageReturn && byte(content + 1) == .lineFeed ? 2 : 1)
    }
  }

  /// Reads the lines up to the first that is indented less; `end` becomes the end of the last one with text.
  private mutating func readBlockLines(_ header: BlockHeader, indent: Int, end: inout Int) -> [UInt8] {
    var text: [UInt8] = []
    // Line breaks since the last text, and whether that was a line to be folded.
    var breaks = 0
    var wasFoldable = false
    var hasText = false
    while !isAtEnd, !isMarker(at: position) {
      while position - lineStart < indent, byte(position) == .space { position += 1 }
      if !byte(position).isBreakOrEnd {
        guard position - lineStart == indent else { break }
        let isFoldable = header.isFolded && !byte(position).isWhite
        let joins = hasText && wasFoldable && isFoldable
        text += joins && breaks == 1 ? [.space] : [UInt8](repeating: .lineFeed, count: joins ? breaks - 1 : breaks)
        end = lineEnd(from: position)
        text += bytes[position..<end]
        (breaks, wasFoldable, hasText) = (0, isFoldable, true)
        position = end
      }
      if !isAtEnd { breaks += 1 }
      skipBreak()
    }
    position = lineStart
    return text + [UInt8](repeating: .lineFeed, count: chomped(breaks, header, hasText: hasText))
  }

  private func chomped(_ breaks: Int, _ header: BlockHeader, hasText: Bool) -> Int {
    switch header.chomping {
    case .dash: 0
    case .space: hasText ? min(breaks, 1) : 0
    default: breaks
    }
  }
}
