// Plain scalars (YAML 1.2 §7.3.3): text without quotes, over one line or several.

import Diagnostics

extension YAMLReader {
  /// Reads plain text from its first byte on.
  ///
  /// In a block, the text ends before `: ` and ` #`. It also ends before a line that is not indented deeper than the
  /// parent. In a flow collection, the text also ends before `,`, brackets and braces.
  mutating func readPlain(parentIndent: Int, inFlow: Bool) throws(Diagnostic) -> Node {
    let start = position
    var end = plainLineEnd(from: start, inFlow: inFlow)
    position = end
    guard isPlainOver(at: end, inFlow: inFlow) else {
      return try readFurtherLines(from: start, parentIndent: parentIndent, inFlow: inFlow)
    }
    try checkText(from: start, to: &end, inFlow: inFlow)
    position = end
    let text = text(start..<end)
    return Node(content: try resolved(text, at: start..<end), range: start..<end, spelling: text)
  }

  /// Reads the rest of plain text that may have more than one line.
  private mutating func readFurtherLines(
    from start: Int, parentIndent: Int, inFlow: Bool
  ) throws(Diagnostic) -> Node {
    var folded = Array(bytes[start..<position])
    var isOneLine = true
    while let breaks = continuePlain(parentIndent: parentIndent, inFlow: inFlow) {
      isOneLine = false
      let line = position
      let end = plainLineEnd(from: line, inFlow: inFlow)
      let colon = whiteEnd(from: end)
      if !inFlow, byte(colon) == .colon { throw keyInText(at: line..<colon + 1, of: start) }
      folded += breaks == 1 ? [.space] : [UInt8](repeating: .lineFeed, count: breaks - 1)
      folded += bytes[line..<end]
      position = end
      if isPlainOver(at: end, inFlow: inFlow) { break }
    }
    var end = position
    try checkText(from: start, to: &end, inFlow: inFlow)
    let text = end == position ? String(decoding: folded, as: UTF8.self) : text(start..<end)
    position = end
    let content = isOneLine ? try resolved(text, at: start..<end) : .string(text)
    return Node(content: content, range: start..<end, spelling: text)
  }

  /// Returns the end of plain text on this line, without the white space after the text.
  private func plainLineEnd(from start: Int, inFlow: Bool) -> Int {
    var end = start
    var offset = start
    while !byte(offset).isBreakOrEnd {
      let byte = byte(offset)
      if byte.isWhite {
        offset += 1
        continue
      }
      if inFlow, byte.isFlowIndicator { break }
      if byte == .colon, endsKey(at: offset, inFlow: inFlow) { break }
      if byte == .hash, offset > start, self.byte(offset - 1).isWhite { break }
      offset += 1
      end = offset
    }
    return end
  }

  /// Reports that the colon ends a key, and is not part of text.
  func endsKey(at colon: Int, inFlow: Bool) -> Bool {
    let next = byte(colon + 1)
    return next.isBlankOrEnd || (inFlow && next.isFlowIndicator)
  }

  /// Reports that something other than the line end ended the text.
  private func isPlainOver(at end: Int, inFlow: Bool) -> Bool {
    !byte(whiteEnd(from: end)).isBreakOrEnd
  }

  /// Moves to the next line of the plain text, and returns the number of line breaks before that line.
  ///
  /// If the text has no further line, the reader does not move, and the result is nil.
  private mutating func continuePlain(parentIndent: Int, inFlow: Bool) -> Int? {
    let (end, endLine) = (position, lineStart)
    var breaks = 0
    position = whiteEnd(from: position)
    while byte(position).isBreakOrEnd, !isAtEnd {
      skipBreak()
      breaks += 1
      while byte(position) == .space { position += 1 }
      let indent = position - lineStart
      skipWhite()
      if byte(position).isBreakOrEnd { continue }
      if indent > parentIndent, !isMarker(at: position), isPlainInside(at: position, inFlow: inFlow) { return breaks }
      break
    }
    (position, lineStart) = (end, endLine)
    return nil
  }

  /// Reports that the byte at the start of a further line is text.
  private func isPlainInside(at offset: Int, inFlow: Bool) -> Bool {
    let byte = byte(offset)
    if byte == .hash || (inFlow && byte.isFlowIndicator) { return false }
    return byte != .colon || !endsKey(at: offset, inFlow: inFlow) || !inFlow
  }

  // MARK: - Slips in plain text

  /// Checks plain text for usual slips.
  ///
  /// To YAML, a template is text like any other, so two slips cut a template in two. A third slip makes one text of two
  /// JSON members.
  private mutating func checkText(from start: Int, to end: inout Int, inFlow: Bool) throws(Diagnostic) {
    if inFlow, byte(end) == .openBrace, byte(end - 1) == .dollar {
      let meant = valueEnd(from: end - 1, inFlow: true)
      report(
        "a template inside '{ }' or '[ ]' needs quotes", at: end - 1..<meant,
        advice: "write \(Self.quoted(text(start..<meant)))")
      end = meant
    }
    if inFlow, let quote = (start..<end).first(where: { byte($0) == .quote && byte($0 + 1) == .colon }) {
      throw Diagnostic(
        "a '\":' stands in plain text", at: quote..<quote + 2, advice: "a comma is missing before it, or quotes are")
    }
    let comment = whiteEnd(from: end)
    if byte(comment) == .hash, comment > end, Self.hasOpenTemplate(text(start..<end)) {
      let meant = lineEnd(from: comment)
      throw Diagnostic(
        "' #' begins a comment, which cuts the template before it", at: comment..<meant,
        advice: "put the value in quotes: \(Self.quoted(text(start..<meant)))")
    }
  }

  private func keyInText(at range: Range<Int>, of start: Int) -> Diagnostic {
    Diagnostic(
      "': ' can't stand in plain text, which began in line \(lineNumber(at: start))", at: range,
      advice: "if a key is meant, look at the indentation and at the line before; text with ': ' needs quotes")
  }
}
