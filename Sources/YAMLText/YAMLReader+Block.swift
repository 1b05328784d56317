// Block maps and lists (YAML 1.2 §8.2), nested by indentation.

import Diagnostics

extension YAMLReader {
  /// Next step of the reader.
  enum Step {
    /// A value, after its indicator.
    case value
    /// The next line: another entry of an open map or list.
    case line
    case end
  }

  mutating func readBlocks() {
    var step = Step.value
    while step != .end {
      do throws(Diagnostic) {
        step = step == .value ? try readValue() : try readLine()
      } catch {
        mistakes.append(error)
        step = recover()
      }
    }
    while !stack.isEmpty { close() }
  }

  // MARK: - Values

  /// Start of a value, and the reason if a block map or list can't begin there.
  private struct Opening {
    let column: Int
    /// Reason why no map or list may begin here.
    let obstacle: Obstacle?
  }

  private enum Obstacle { case tab, sameLine }

  /// Reads the value after `- `, `key:` or `---`, or the value of the whole document.
  private mutating func readValue() throws(Diagnostic) -> Step {
    guard let opening = try findValue() else {
      return .line
    }
    switch byte(position) {
    case .dash where byte(position + 1).isBlankOrEnd:
      try open(.list, at: opening)
      position += 1
      return .value
    case UInt8(ascii: "|"), UInt8(ascii: ">"):
      deliver(try readBlockScalar(parentIndent: parentIndent))
      return .line
    default:
      return try readScalarOrKey(at: opening)
    }
  }

  /// Kind and column of the innermost map or list.
  ///
  /// While a copy of the frame itself is held, the next entry copies all entries before it.
  var innermost: (kind: BlockFrame.Kind, indent: Int)? { outline(at: stack.count - 1) }

  private func outline(at index: Int) -> (kind: BlockFrame.Kind, indent: Int)? {
    stack.indices.contains(index) ? (stack[index].kind, stack[index].indent) : nil
  }

  private var parentIndent: Int { innermost?.indent ?? -1 }

  /// Moves to the start of the value; without a value, delivers null and returns nil.
  private mutating func findValue() throws(Diagnostic) -> Opening? {
    let start = position
    let isLineStart = position == lineStart
    let content = whiteEnd(from: position)
    let isEmpty = byte(content).isBreakOrEnd || byte(content) == .hash
    if !isLineStart, !isEmpty {
      let hasTab = bytes[position..<content].contains(.tab)
      position = content
      guard innermost?.kind == .list else { return Opening(column: 0, obstacle: .sameLine) }
      return Opening(column: position - lineStart, obstacle: hasTab ? .tab : nil)
    }
    if !isLineStart {
      position = lineEnd(from: content)
      skipBreak()
    }
    guard let line = nextContentLine(), belongs(line) else {
      deliver(Node(content: .null, range: start..<start))
      return nil
    }
    takenLine = line.start
    position = line.content
    return Opening(column: line.indent, obstacle: line.hasTab ? .tab : nil)
  }

  /// Reports that the line has the value of the current entry.
  private func belongs(_ line: ContentLine) -> Bool {
    // A list may be indented only as far as its key (§8.2.1, seq-space).
    line.indent > parentIndent
      || (innermost?.kind == .map && line.indent == parentIndent && !line.hasTab && isDash(at: line.content))
  }

  func isDash(at offset: Int) -> Bool { byte(offset) == .dash && byte(offset + 1).isBlankOrEnd }

  /// Reads a scalar or a flow collection; if a colon follows, reads the first key of a map.
  private mutating func readScalarOrKey(at opening: Opening) throws(Diagnostic) -> Step {
    let leaf = try readLeaf(parentIndent: parentIndent)
    guard let colon = try keyColon(after: leaf) else {
      deliver(leaf)
      return .line
    }
    position = leaf.range.lowerBound
    try open(.map, at: opening)
    begin(try key(from: leaf, colon: colon))
    position = colon + 1
    return .value
  }

  // MARK: - Lines

  /// Reads the start of the next line as another entry of the innermost map or list with its indentation.
  private mutating func readLine() throws(Diagnostic) -> Step {
    if position != lineStart { try finishLine() }
    guard let line = nextContentLine() else { return .end }
    takenLine = line.start
    let columnBefore = parentIndent
    close(before: line)
    position = line.content
    guard let innermost, innermost.indent == line.indent, !line.hasTab else {
      throw wrongIndentation(of: line, columnBefore: columnBefore)
    }
    switch innermost.kind {
    case .list:
      guard isDash(at: position) else { throw noDash(at: position) }
      position += 1
    case .map:
      guard !isDash(at: position) else {
        throw Diagnostic(
          "a list item stands among the keys of a map", at: position..<position + 1,
          advice: "a list stands below a key without a value: 'key:'")
      }
      try readKey()
    }
    return .value
  }

  /// Reads `key:` of an open map.
  private mutating func readKey() throws(Diagnostic) {
    let leaf = try readLeaf(parentIndent: parentIndent)
    guard let colon = try keyColon(after: leaf) else { throw noColon(after: leaf) }
    begin(try key(from: leaf, colon: colon))
    position = colon + 1
  }

  // MARK: - Frames

  private mutating func open(_ kind: BlockFrame.Kind, at opening: Opening) throws(Diagnostic) {
    if let obstacle = opening.obstacle { throw misplaced(kind, obstacle) }
    try checkDepth(stack.count + 1)
    stack.append(BlockFrame(kind: kind, indent: opening.column, start: position))
  }

  func checkDepth(_ depth: Int) throws(Diagnostic) {
    if depth > Self.depthLimit {
      throw Diagnostic("nested deeper than 1,024 levels", at: position..<position + 1)
    }
  }

  private mutating func begin(_ key: NodeKey) {
    let top = stack.count - 1
    if let first = stack[top].keys.insert(key) { report(key, isThereSince: first) }
    stack[top].key = key
  }

  mutating func report(_ key: NodeKey, isThereSince first: Int) {
    report(
      "the key '\(shortened(key.text))' is there already, in line \(lineNumber(at: first))", at: key.range,
      advice: "leave one of them out")
  }

  private mutating func deliver(_ node: Node) {
    if stack.isEmpty { root = node } else { stack[stack.count - 1].take(node) }
  }

  private mutating func close() {
    let frame = stack.removeLast()
    deliver(frame.node)
  }

  /// Closes frames that end before the line.
  ///
  /// These are frames that are indented deeper, and a list in its key's column if the line is no item of the list.
  private mutating func close(before line: ContentLine) {
    while parentIndent > line.indent { close() }
    if let innermost, innermost.kind == .list, innermost.indent == line.indent, !isDash(at: line.content),
      outline(at: stack.count - 2)?.indent == line.indent
    {
      close()
    }
  }

  // MARK: - Recovery

  /// Skips to the next line that is an entry of an open map or list, past everything that may belong to the error.
  private mutating func recover() -> Step {
    guard mistakes.count < Self.mistakeLimit else { return .end }
    if stack.last?.key != nil { deliver(Node(content: .null, range: position..<position)) }
    while true {
      if position != lineStart || lineStart == takenLine {
        position = lineEnd(from: position)
        skipBreak()
      }
      guard let line = nextContentLine() else { return .end }
      close(before: line)
      if let innermost, innermost.indent == line.indent, !line.hasTab, isEntry(at: line.content, of: innermost.kind) {
        position = line.start
        return .line
      }
      takenLine = line.start
    }
  }

  /// Reports that an entry seems to begin here.
  ///
  /// The rest of a broken value is no entry, and would only give another error.
  private func isEntry(at offset: Int, of kind: BlockFrame.Kind) -> Bool {
    guard kind == .map else { return isDash(at: offset) }
    let colon = (offset..<lineEnd(from: offset)).first { byte($0) == .colon && byte($0 + 1).isBlankOrEnd }
    return colon != nil && !isDash(at: offset)
  }

  // MARK: - Diagnostics

  private func misplaced(_ kind: BlockFrame.Kind, _ obstacle: Obstacle) -> Diagnostic {
    switch (kind, obstacle) {
    case (_, .tab):
      return tabInIndentation(at: position)
    case (.list, .sameLine):
      return Diagnostic(
        "a list can't begin on the line of its key", at: position..<position + 1,
        advice: "begin it on the next line, or write [a, b]")
    case (.map, .sameLine) where stack.isEmpty:
      return Diagnostic(
        "a map can't begin on the line of '---'", at: position..<lineEnd(from: position),
        advice: "begin it on the next line")
    case (.map, .sameLine):
      return colonInText(at: position)
    }
  }

  /// Points at the tab, which is in the white space before the content.
  func tabInIndentation(at content: Int) -> Diagnostic {
    var tab = content
    while tab > lineStart, byte(tab - 1) != .tab { tab -= 1 }
    tab = max(lineStart, tab - 1)
    return Diagnostic("a tab stands in the indentation", at: tab..<tab + 1, advice: "indent with spaces")
  }

  private func wrongIndentation(of line: ContentLine, columnBefore: Int) -> Diagnostic {
    if line.hasTab { return tabInIndentation(at: line.content) }
    let range = line.content..<lineEnd(from: line.content)
    guard let innermost else {
      let isAfterRoot = columnBefore < 0
      return Diagnostic(
        isAfterRoot ? "text after the end of the document's value" : "indented less than the first line", at: range,
        advice: isAfterRoot ? "a spec is one map of keys" : "indent it like the first line")
    }
    if line.indent > columnBefore {
      return Diagnostic(
        "indented deeper than the line it could belong to, which has its value already", at: range,
        advice: "entries of one \(innermost.kind == .list ? "list" : "map") begin in the same column")
    }
    let kind = innermost.kind == .list ? "list" : "map"
    return Diagnostic(
      "indented like nothing above it", at: range,
      advice:
        "begin it in column \(columnBefore + 1) like the line above, or in column \(innermost.indent + 1) like the "
        + "\(kind) around it")
  }

  private func noDash(at offset: Int) -> Diagnostic {
    let needsSpace = byte(offset) == .dash
    return Diagnostic(
      "this stands in a list, whose items begin with '- '", at: offset..<lineEnd(from: offset),
      advice: needsSpace ? "put a space after the '-'" : nil)
  }
}

// A block map or list that is being read.

struct BlockFrame {
  enum Kind { case list, map }

  let kind: Kind
  /// Column of the entries, from 0.
  let indent: Int
  let start: Int
  var items: [Node] = []
  var entries: [Node.Entry] = []
  var keys = KeySet()
  /// Key of the current entry.
  var key: NodeKey?

  /// Adds the value of the current entry.
  mutating func take(_ node: Node) {
    switch kind {
    case .list: items.append(node)
    case .map:
      guard let key else { return }
      entries.append(Node.Entry(key: key.text, keyRange: key.range, value: node))
      self.key = nil
    }
  }

  var node: Node {
    let end = kind == .list ? items.last?.range.upperBound : entries.last?.value.range.upperBound
    return Node(content: kind == .list ? .list(items) : .map(entries), range: start..<max(start, end ?? start))
  }
}

// MARK: Block scalars (YAML 1.2 §8.1): `|` keeps the lines, `>` folds them

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
