// Flow collections (YAML 1.2 §7.4), `{ }` and `[ ]`, over any number of lines. They include JSON's objects and arrays.

import Diagnostics

extension YAMLReader {
  /// Reads a flow collection; `position` is at its bracket.
  mutating func readFlow(parentIndent: Int) throws(Diagnostic) -> Node {
    var frames: [FlowFrame] = []
    try open(&frames)
    while true {
      try skipFlowWhite(frames, parentIndent: parentIndent)
      if let node = try flowStep(&frames, parentIndent: parentIndent) { return node }
    }
  }

  /// Reads one token of a flow collection; returns the whole collection if the token was its last.
  private mutating func flowStep(_ frames: inout [FlowFrame], parentIndent: Int) throws(Diagnostic) -> Node? {
    let top = frames.count - 1
    switch byte(position) {
    case .comma:
      try comma(&frames[top])
    case .closeBrace, .closeBracket:
      return try close(&frames)
    case .colon where frames[top].awaits == .colon:
      try colon(&frames[top])
    case .openBrace, .openBracket:
      if frames[top].awaits == .colon || frames[top].awaits == .comma { throw noComma(frames[top]) }
      if frames[top].isMap, frames[top].awaits == .entry { throw collectionAsKey() }
      try open(&frames)
    default:
      try scalar(&frames[top], parentIndent: parentIndent)
    }
    return nil
  }

  private mutating func open(_ frames: inout [FlowFrame]) throws(Diagnostic) {
    let depth = (frames.last?.innerDepth ?? stack.count) + 1
    try checkDepth(depth)
    frames.append(FlowFrame(isMap: byte(position) == .openBrace, start: position, depth: depth))
    position += 1
  }

  private mutating func comma(_ frame: inout FlowFrame) throws(Diagnostic) {
    try endEntry(&frame)
    guard frame.awaits == .comma else {
      throw Diagnostic("nothing stands before this comma", at: position..<position + 1, advice: "leave it out")
    }
    frame.awaits = .entry
    position += 1
  }

  /// Ends an entry; a key without a value, or a colon without a value, has null.
  private mutating func endEntry(_ frame: inout FlowFrame) throws(Diagnostic) {
    switch frame.awaits {
    case .colon:
      if let key = frame.key, frame.isPlainKey, let colon = key.text.utf8.firstIndex(of: .colon) {
        let split = "\(key.text[..<colon]): \(key.text[key.text.index(after: colon)...])"
        report(
          "this key has a colon in it, and no value", at: key.range,
          advice: "put a space after the colon: { \(shortened(split)) }")
      }
      frame.take(
        Node(content: .null, range: frame.key.map { $0.range.upperBound..<$0.range.upperBound } ?? position..<position))
    case .value: frame.take(Node(content: .null, range: position..<position))
    case .entry, .comma: break
    }
  }

  private mutating func close(_ frames: inout [FlowFrame]) throws(Diagnostic) -> Node? {
    let top = frames.count - 1
    guard byte(position) == frames[top].close else { throw wrongBracket(frames[top]) }
    try endEntry(&frames[top])
    position += 1
    let node = frames.removeLast().node(end: position)
    guard top > 0 else { return node }
    // A copy of the parent would make it copy all of its items.
    if !frames[top - 1].isMap, frames[top - 1].key == nil, byte(whiteEnd(from: position)) == .colon {
      throw Diagnostic("a key must be text, not a map or a list", at: node.range, advice: "put text in quotes")
    }
    frames[top - 1].take(node)
    return nil
  }

  private mutating func colon(_ frame: inout FlowFrame) throws(Diagnostic) {
    let next = byte(position + 1)
    if frame.isPlainKey, !next.isBlankOrEnd, next != .comma, next != frame.close {
      throw noSpaceAfterColon(at: position)
    }
    position += 1
    frame.awaits = .value
  }

  // MARK: - Scalars

  private mutating func scalar(_ frame: inout FlowFrame, parentIndent: Int) throws(Diagnostic) {
    if frame.awaits == .colon || frame.awaits == .comma { throw noComma(frame) }
    let node = try flowScalar(parentIndent: parentIndent)
    if frame.awaits == .value {
      frame.take(node)
    } else if frame.isMap {
      begin(&frame, try key(from: node, colon: nil), node)
      frame.awaits = .colon
    } else if let colon = pairColon(after: node) {
      begin(&frame, try key(from: node, colon: colon), node)
      position = colon
      try checkDepth(frame.innerDepth)
      try self.colon(&frame)
    } else {
      frame.take(node)
    }
  }

  private mutating func flowScalar(parentIndent: Int) throws(Diagnostic) -> Node {
    switch byte(position) {
    case .quote: return try readDoubleQuoted(parentIndent: parentIndent)
    case .apostrophe: return try readSingleQuoted(parentIndent: parentIndent)
    default:
      try checkPlainStart(inFlow: true)
      return try readPlain(parentIndent: parentIndent, inFlow: true)
    }
  }

  /// Returns the colon of `[key: value]`, which must be on the line of its key (§7.4.2, `ns-flow-pair`).
  private func pairColon(after node: Node) -> Int? {
    let colon = whiteEnd(from: position)
    guard byte(colon) == .colon, node.isQuoted || endsKey(at: colon, inFlow: true) else { return nil }
    return colon
  }

  private mutating func begin(_ frame: inout FlowFrame, _ key: NodeKey, _ node: Node) {
    if frame.isMap, let first = frame.keys.insert(key) { report(key, isThereSince: first) }
    frame.key = key
    frame.isPlainKey = !node.isQuoted
  }

  // MARK: - White space

  /// Skips white space, line breaks and comments, and checks that each line is indented deeper than the parent.
  private mutating func skipFlowWhite(_ frames: [FlowFrame], parentIndent: Int) throws(Diagnostic) {
    while true {
      let start = position
      skipWhite()
      if byte(position) == .hash {
        guard position > start || position == lineStart else { throw commentWithoutSpace(at: position) }
        if frames.last?.awaits == .value { valueComment = position..<lineEnd(from: position) }
        position = lineEnd(from: position)
      }
      if isAtEnd { throw unclosed(frames) }
      guard byte(position).isBreakOrEnd else { return }
      skipBreak()
      try checkFlowLine(frames, parentIndent: parentIndent)
    }
  }

  private mutating func checkFlowLine(_ frames: [FlowFrame], parentIndent: Int) throws(Diagnostic) {
    var content = lineStart
    while byte(content) == .space { content += 1 }
    let indent = content - lineStart
    content = whiteEnd(from: content)
    if byte(content).isBreakOrEnd || byte(content) == .hash { return }
    if isMarker(at: content) { throw unclosed(frames) }
    guard indent <= parentIndent else { return }
    if content - lineStart != indent { throw tabInIndentation(at: content) }
    if byte(content) == .closeBrace || byte(content) == .closeBracket {
      throw Diagnostic(
        "this must be indented deeper than the key or item that it belongs to", at: content..<content + 1,
        advice: "YAML wants every line of '{ }' and '[ ]' indented, also the last")
    }
    throw unclosed(frames)
  }

  // MARK: - Diagnostics

  private func unclosed(_ frames: [FlowFrame]) -> Diagnostic {
    let start = frames.last?.start ?? position
    if let comment = valueComment, comment.lowerBound > start, let frame = frames.last,
      bytes[comment].contains(frame.close)
    {
      let value = comment.lowerBound..<valueEnd(from: comment.lowerBound, inFlow: true)
      return Diagnostic(
        "'#' begins a comment here, so that the '\(shown(frame))' behind it counts for nothing", at: comment,
        advice: "put text that begins with '#' in quotes: \(Self.quoted(text(value)))")
    }
    let close = frames.last.map(shown).map { "close it with '\($0)'" } ?? "close it"
    let advice =
      isAtEnd ? close : "\(close): line \(lineNumber(at: position)) is not indented deeper, so it can't belong to it"
    return Diagnostic("this '\(shown(start))' is not closed", at: start..<start + 1, advice: advice)
  }

  private func wrongBracket(_ frame: FlowFrame) -> Diagnostic {
    Diagnostic(
      "'\(shown(position))' can't close the '\(shown(frame.start))' in line \(lineNumber(at: frame.start))",
      at: position..<position + 1, advice: "close it with '\(shown(frame))'")
  }

  private func collectionAsKey() -> Diagnostic {
    // `{{ name }}` is a template of other tools.
    let inside = text(position + 1..<lineEnd(from: position)).prefix { $0 != "}" }
    let name = String(inside.drop { $0 == "{" || $0 == " " }.prefix { $0 != " " })
    let template = name.isEmpty || name.contains(":") ? "" : "write a template as \(Self.quoted("${\(name)}")), or "
    return Diagnostic(
      "a key must be text, not a map or a list", at: position..<position + 1,
      advice: byte(position) == .openBrace
        ? "'{{' begins a map in a map: \(template)put text in quotes" : "put text in quotes")
  }

  private func noComma(_ frame: FlowFrame) -> Diagnostic {
    if byte(position) == .colon {
      return Diagnostic(
        "this colon can't stand here", at: position..<position + 1,
        advice: "put text with ': ' in it in quotes, or a comma between two entries")
    }
    return Diagnostic(
      frame.awaits == .colon ? "':' or ',' is missing here" : "',' or '\(shown(frame))' is missing here",
      at: position..<position + 1,
      advice: byte(position).isFlowIndicator
        ? "text with brackets, braces or commas in it needs quotes"
        : "write '\(frame.awaits == .colon ? ":" : ",")' before it")
  }

  private func shown(_ frame: FlowFrame) -> String { frame.isMap ? "}" : "]" }

  private func shown(_ offset: Int) -> String { String(Character(Unicode.Scalar(byte(offset)))) }
}

/// Flow map or list that is being read.
struct FlowFrame {
  enum Await {
    /// An item or a key, or the end.
    case entry
    /// The colon of a map's key.
    case colon
    /// The value after a colon.
    case value
    /// A comma, or the end.
    case comma
  }

  let isMap: Bool
  let start: Int
  var awaits = Await.entry
  var items: [Node] = []
  var entries: [Node.Entry] = []
  var keys = KeySet()
  /// Key of the current entry; in a list, the key of `[key: value]`.
  var key: NodeKey?
  /// True if that key is plain, so that `{a:1}` may be a slip.
  var isPlainKey = false

  /// Nesting depth of the collection, blocks included.
  let depth: Int

  /// Nesting depth of the entries; `[key: value]` is a map in a list.
  var innerDepth: Int { isMap || key == nil ? depth : depth + 1 }

  var close: UInt8 { isMap ? .closeBrace : .closeBracket }

  mutating func take(_ node: Node) {
    awaits = .comma
    guard let key else {
      items.append(node)
      return
    }
    let entry = Node.Entry(key: key.text, keyRange: key.range, value: node)
    if isMap {
      entries.append(entry)
    } else {
      let end = max(node.range.upperBound, key.range.upperBound)
      items.append(Node(content: .map([entry]), range: key.range.lowerBound..<end))
    }
    self.key = nil
  }

  func node(end: Int) -> Node {
    Node(content: isMap ? .map(entries) : .list(items), range: start..<end)
  }
}
