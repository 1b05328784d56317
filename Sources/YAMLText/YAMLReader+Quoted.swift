// Quoted scalars (YAML 1.2 §7.3.1, §7.3.2), and the folding of their lines.

import Diagnostics

extension YAMLReader {
  /// Reads `'…'`; `position` is at the opening quote.
  mutating func readSingleQuoted(parentIndent: Int) throws(Diagnostic) -> Node {
    let start = position
    var text: [UInt8] = []
    position += 1
    while true {
      let run = position
      while byte(position) != .apostrophe, !byte(position).isBreakOrEnd { position += 1 }
      text += bytes[run..<position]
      if byte(position) != .apostrophe {
        Self.trimWhite(&text, from: 0)
        text += try foldedBreaks(parentIndent: parentIndent, opening: start)
      } else if byte(position + 1) == .apostrophe {
        text.append(.apostrophe)
        position += 2
      } else {
        break
      }
    }
    position += 1
    return quotedNode(text, start)
  }

  /// Reads `"…"`; `position` is at the opening quote.
  mutating func readDoubleQuoted(parentIndent: Int) throws(Diagnostic) -> Node {
    let start = position
    var text: [UInt8] = []
    // White space before this offset was written as an escape, and is kept at the end of a line.
    var kept = 0
    position += 1
    while byte(position) != .quote {
      let run = position
      while ![.quote, .backslash].contains(byte(position)), !byte(position).isBreakOrEnd { position += 1 }
      text += bytes[run..<position]
      if byte(position) == .backslash {
        if byte(position + 1).isBreakOrEnd {
          position += 1
          text += try foldedBreaks(parentIndent: parentIndent, opening: start).drop { $0 == .space }
        } else {
          text += readEscape()
        }
        kept = text.count
      } else if byte(position) != .quote {
        Self.trimWhite(&text, from: kept)
        text += try foldedBreaks(parentIndent: parentIndent, opening: start)
        kept = text.count
      }
    }
    position += 1
    return quotedNode(text, start)
  }

  private mutating func quotedNode(_ text: [UInt8], _ start: Int) -> Node {
    quotedRanges.append(start..<position)
    let string = String(decoding: text, as: UTF8.self)
    return Node(content: .string(string), range: start..<position, spelling: string, isQuoted: true)
  }

  private static func trimWhite(_ text: inout [UInt8], from kept: Int) {
    while text.count > kept, let last = text.last, last.isWhite { text.removeLast() }
  }

  /// Skips line breaks and the white space around them, and returns the folded text.
  ///
  /// One break becomes a space; more breaks become one line feed less.
  private mutating func foldedBreaks(parentIndent: Int, opening: Int) throws(Diagnostic) -> [UInt8] {
    var breaks = 0
    while byte(position).isBreakOrEnd {
      if isAtEnd { throw unclosedQuote(opening) }
      skipBreak()
      breaks += 1
      while byte(position) == .space { position += 1 }
      let indent = position - lineStart
      skipWhite()
      if byte(position).isBreakOrEnd, indent > parentIndent || indent == position - lineStart { continue }
      if isMarker(at: position) || indent <= parentIndent {
        let hasTab = indent != position - lineStart
        let mistake = hasTab ? tabInIndentation(at: position) : unclosedQuote(opening)
        position = lineStart
        throw mistake
      }
    }
    return breaks == 1 ? [.space] : [UInt8](repeating: .lineFeed, count: breaks - 1)
  }

  private func unclosedQuote(_ opening: Int) -> Diagnostic {
    Diagnostic(
      "this quote is not closed", at: opening..<opening + 1,
      advice: isAtEnd
        ? "close it with \(byte(opening) == .apostrophe ? "'" : "\"")"
        : "a text of several lines must be indented deeper than its key")
  }

  // MARK: - Escapes

  /// Reads an escape (§5.7), and reports an invalid one.
  private mutating func readEscape() -> [UInt8] {
    let start = position
    let letter = byte(position + 1)
    position += 2
    if let bytes = Self.simpleEscapes[letter] { return bytes }
    let scalar: Unicode.Scalar? =
      switch letter {
      case UInt8(ascii: "x"): readHex(2).flatMap(Unicode.Scalar.init)
      case UInt8(ascii: "u"): readCodeUnit(from: start)
      case UInt8(ascii: "U"): readHex(8).flatMap(Unicode.Scalar.init)
      default: nil
      }
    guard let scalar else {
      reportEscape(from: start)
      return []
    }
    return Array(String(scalar).utf8)
  }

  /// Reads four digits, and the second half of a surrogate pair as JSON writes it (RFC 8259 §7).
  private mutating func readCodeUnit(from start: Int) -> Unicode.Scalar? {
    guard let unit = readHex(4) else { return nil }
    guard 0xD800...0xDBFF ~= unit, byte(position) == .backslash, byte(position + 1) == UInt8(ascii: "u") else {
      return Unicode.Scalar(unit)
    }
    let end = position
    position += 2
    if let low = readHex(4), 0xDC00...0xDFFF ~= low {
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }
    position = end
    return nil
  }

  /// Reads the value of hexadecimal digits; nil if there are fewer than `digits`.
  ///
  /// Then `position` is after the digits that are there.
  private mutating func readHex(_ digits: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = byte(position).hexValue else { return nil }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private mutating func reportEscape(from start: Int) {
    // Never ends in the middle of a character.
    while byte(position) & 0xC0 == 0x80 { position += 1 }
    let escape = text(start..<position)
    if "xuU".utf8.contains(byte(start + 1)) {
      let isSurrogate = escape.utf8.count == 6 && escape.hasPrefix("\\u")
      report(
        isSurrogate ? "half of a surrogate pair: '\(escape)'" : "no character has the escape '\(escape)'",
        at: start..<position,
        advice: isSurrogate ? "the other half must stand beside it: \\ud83d\\ude00" : "the highest is \\U0010ffff")
    } else {
      report(
        "'\(escape)' is not an escape", at: start..<position,
        advice: "a backslash in double quotes is written \\\\; in single quotes it is itself")
    }
  }

  private static let simpleEscapes: [UInt8: [UInt8]] = [
    UInt8(ascii: "0"): [0], UInt8(ascii: "a"): [7], UInt8(ascii: "b"): [8], UInt8(ascii: "t"): [9], .tab: [9],
    UInt8(ascii: "n"): [10], UInt8(ascii: "v"): [11], UInt8(ascii: "f"): [12], UInt8(ascii: "r"): [13],
    UInt8(ascii: "e"): [27], .space: [.space], .quote: [.quote], UInt8(ascii: "/"): [UInt8(ascii: "/")],
    .backslash: [.backslash], UInt8(ascii: "N"): Array("\u{85}".utf8), UInt8(ascii: "_"): Array("\u{A0}".utf8),
    UInt8(ascii: "L"): Array("\u{2028}".utf8), UInt8(ascii: "P"): Array("\u{2029}".utf8),
  ]
}

// Plain scalars (YAML 1.2 §7.3.3): text without quotes, over one line or several.

extension YAMLReader {
  /// Reads plain text from its first byte on.
  ///
  /// In a block, the text ends before `: ` and ` #`. It also ends before a line that is not indented deeper than the
  /// parent. In a flow collection, the text also ends before `,`, brackets and braces.
  mutating func readPlain(parentIndent: Int, inFlow: Bool) throws(Diagnostic) -> Node {
    let start = position
    var end = plainLineEnd(from: start, inFlow: inFlow)
    position = end
    guard isPlainOver(at: end) else {
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
      if isPlainOver(at: end) { break }
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
  private func isPlainOver(at end: Int) -> Bool {
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
        advice: "write \(Self.quoted(text(start..<meant)))\(Self.pathAlone(text(start..<meant)))")
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

  /// Returns the end of the advice about a template that is only a path, which a key may take without `${`.
  private static func pathAlone(_ text: String) -> String {
    guard text.hasPrefix("${"), text.hasSuffix("}") else { return "" }
    let path = text.dropFirst(2).dropLast()
    let isPath = path.contains(".") && path.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
    return isPath ? ", or \(path) where a key takes a path" : ""
  }

  private func keyInText(at range: Range<Int>, of start: Int) -> Diagnostic {
    let line = lineNumber(at: start)
    let map = innermost.flatMap { $0.kind == .map ? $0.indent : nil }
    let key = map.map { "begin a key in column \($0 + 1), as in line \(line)" }
    return Diagnostic(
      "': ' can't stand in plain text, which began in line \(line)", at: range,
      advice: "\(key ?? "put ': ' after the key in line \(line)"); text with ': ' needs quotes")
  }
}
