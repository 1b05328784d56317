// Reads one envelope, token by token on a path, and value by value everywhere else.

/// Reader for the bytes of an `EnvelopeScanner`.
///
/// It reads token by token in containers on a path, and in the content's array. It reads every other value at once:
/// such a value is a record or part of a record, is captured, or is dropped.
struct EnvelopeReader: ChunkReader {
  private var grammar: Grammar
  private var matcher: PathMatcher
  /// Wanted values, then the scalars that block their paths, then the element.
  private var captures: Captures
  private let captureCount: Int
  private let watchedCount: Int
  /// For blocked paths: the number of containers around the value that blocks them.
  private var barDepths: [Int: Int] = [:]
  /// True while a value is read at once.
  private var isRunning = false
  /// Most bytes of a member's name.
  private static let longestName = 1 << 20
  /// Spelling of the current member's name.
  private var name: [UInt8] = []
  /// Number of containers around the content's array while the array is open.
  private var arrayDepth: Int?
  /// Number of containers around the current record.
  private var recordDepth: Int? {
    get { grammar.recordDepth }
    set { grammar.recordDepth = newValue }
  }
  /// True if the content was null; it is read only for a path without `*`, which has one content.
  private var isNull = false
  /// Number of contents that are null.
  private var nullCount = 0
  /// Kind of the content, if the path leads to one value that is not null.
  private var contentKind: JSONKind?
  /// True if the element at the content's last `*` is captured, after the wanted captures.
  private let wantsElement: Bool
  /// Number of names that are wanted of each record: 1 for the member at the last `*`, else one for each `*`.
  private let nameCount: Int
  private var wantsNames: Bool { nameCount > 0 }
  /// Names of each record that has started, each followed by LF.
  private var names: [UInt8] = []
  private var namedCount = 0
  private var nameless: ContentFinding?
  /// True if the members beside the content are wanted.
  private let wantsOutline: Bool
  /// True if content is an array, or stands at a `*`.
  private var isList: Bool

  init(
    _ paths: WantedPaths, watchedCount: Int = 0, wantsElement: Bool, nameCount: Int, wantsOutline: Bool,
    grammar: Grammar
  ) {
    self.wantsOutline = wantsOutline
    isList = paths.lastEvery != nil
    self.grammar = grammar
    self.watchedCount = min(watchedCount, paths.captures.count)
    matcher = PathMatcher(paths, watchedCount: self.watchedCount)
    captureCount = paths.captures.count
    captures = Captures(count: 2 * captureCount + 1)
    self.wantsElement = wantsElement
    self.nameCount = nameCount
  }

  mutating func reset() {
    grammar.reset()
    grammar.tokenIndex?.remove(from: 0)
    matcher.reset()
    captures.reset()
    barDepths = [:]
    isRunning = false
    arrayDepth = nil
    recordDepth = nil
    isNull = false
    nullCount = 0
    contentKind = nil
    names.removeAll(keepingCapacity: true)
    namedCount = 0
    nameless = nil
    isList = matcher.hasEvery
  }

  /// Outcome of the search for the content; it is known only after the end of the text.
  var finding: ContentFinding {
    nameless ?? matcher.missing ?? (isNull ? .null : .found)
  }

  var metadata: EnvelopeMetadata {
    var metadata = EnvelopeMetadata()
    (metadata.finding, metadata.contentKind, metadata.isList) = (finding, contentKind, isList)
    metadata.captured = Array(captures.values.prefix(captureCount))
    for (capture, depth) in barDepths {
      if let value = captures.values[captureCount + capture] { metadata.blocked[capture] = (depth, value) }
    }
    for capture in 0..<watchedCount { metadata.missingMembers[capture] = matcher.lack(ofCapture: capture) }
    metadata.outline = captures.outline.members
    (metadata.nullCount, metadata.elementCount) = (nullCount, matcher.elementCount)
    metadata.lastElement = captures.values.last.flatMap { $0 }
    return metadata
  }

  mutating func takeNames() -> [UInt8] {
    defer { names = [] }
    return names
  }

  /// Returns the token index of the records completed since the last call.
  mutating func takeTokenIndex(of lines: [UInt8]) -> TokenIndex {
    grammar.tokenIndex?.take(of: lines) ?? TokenIndex()
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    while cursor.index < cursor.end {
      if isRunning { try run(&cursor) } else { try advance(&cursor) }
    }
  }

  /// Ends the text; returns whether the text is complete, and whether its end completes a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    guard grammar.finish() else { return (false, false) }
    let endsRecord = isRunning && recordDepth != nil
    captures.close(at: 0)
    isRunning = false
    return (true, endsRecord)
  }

  /// Reads a value that no path leads into.
  private mutating func run(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.filled
    // No path leads into the elements of this array, so the walk ends each record itself.
    let cuts = arrayDepth == matcher.depth - 1 && matcher.leadsNowhere && !captures.areOpen && !wantsNames
    try grammar.run(&cursor, floor: matcher.depth, cutAt: cuts ? UInt8(ascii: ",") : nil)
    finishValue(from: start, &cursor)
    guard grammar.depth == matcher.depth else { return }
    switch grammar.state {
    case .afterValue:
      isRunning = false
      endValue(&cursor)
    case .value:
      isRunning = false
      recordDepth = nil
    default: break
    }
  }

  /// Reads one token of a container on a path.
  private mutating func advance(_ cursor: inout Cursor) throws(SyntaxError) {
    guard grammar.state.isInString || grammar.skipSpace(&cursor) else { return }
    let byte = cursor.input[cursor.index]
    switch grammar.state {
    case .value: try beginValue(byte, &cursor)
    case .firstElement where byte != UInt8(ascii: "]"): try beginValue(byte, &cursor)
    case .name, .firstName, .string, .escape, .hexDigits, .continuation: try readName(byte, &cursor)
    default: try readTokens(&cursor)
    }
  }

  private mutating func readTokens(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.filled
    try grammar.step(&cursor)
    finishValue(from: start, &cursor)
    if grammar.depth < matcher.depth { endContainer(&cursor) }
  }

  private mutating func readName(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    guard byte != UInt8(ascii: "}") || grammar.state != .firstName else { return try readTokens(&cursor) }
    if !grammar.state.isInString { name.removeAll(keepingCapacity: true) }
    let start = cursor.filled
    try grammar.step(&cursor)
    name.append(contentsOf: UnsafeBufferPointer(start: cursor.output + start, count: cursor.filled - start))
    finishValue(from: start, &cursor)
    guard name.count <= Self.longestName else {
      throw SyntaxError(reason: .nameTooLong(limit: Self.longestName), offset: cursor.index)
    }
    if grammar.state == .colon { matcher.reachMember(name) }
  }

  private mutating func beginValue(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    guard let kind = JSONKind(firstByte: byte) else { return try grammar.step(&cursor) }
    let depth = matcher.depth
    matcher.arrive()
    if wantsOutline { outlineMember(kind, at: depth) }
    if wantsElement, matcher.isAtElement { captures.open(captures.values.count - 1, at: depth) }
    if arrayDepth == depth - 1 { beginRecord() }
    for path in matcher.ending {
      if path == WantedPaths.content {
        try beginContent(kind, at: cursor.index)
      } else {
        captures.open(path - 1, at: depth)
      }
    }
    let isContainer = kind == .object || kind == .array
    if !isContainer, kind != .null, !matcher.leading.isEmpty { bar(at: depth) }
    if matcher.leading.first == WantedPaths.content { try lead(into: kind, isContainer, at: cursor.index) }
    let isOutlined = wantsOutline && depth == 0 && kind == .object
    guard isContainer, !matcher.leading.isEmpty || arrayDepth == depth || isOutlined else {
      isRunning = true
      return
    }
    let start = cursor.filled
    try grammar.step(&cursor)
    finishValue(from: start, &cursor)
    matcher.enter(isObject: kind == .object)
  }

  private mutating func outlineMember(_ kind: JSONKind, at depth: Int) {
    guard captures.outline.hasRoom else { return }
    if kind == .object, let index = matcher.elementBesideContent {
      return captures.openMember([String(index)], isInner: false, at: depth)
    }
    guard let path = matcher.pathBesideContent else { return }
    let isInner = matcher.isBelowEvery
    guard captures.outline.takes(isInner: isInner), let name = JSONValue(validated: name[...]).string else { return }
    captures.openMember(path + [name], isInner: isInner, at: depth)
  }

  /// Captures the scalar that blocks the paths of wanted values.
  private mutating func bar(at depth: Int) {
    for path in matcher.leading where path != WantedPaths.content {
      barDepths[path - 1] = depth
      captures.open(captureCount + path - 1, at: depth)
    }
  }

  /// Follows the content's path into a value, or ends it at a scalar; throws for a duplicate member at a `*`.
  private mutating func lead(into kind: JSONKind, _ isContainer: Bool, at offset: Int) throws(SyntaxError) {
    guard isContainer else { return matcher.stop(at: kind) }
    guard !matcher.isEveryNext || matcher.find() else { throw SyntaxError(reason: .duplicateContent, offset: offset) }
  }

  private mutating func beginContent(_ kind: JSONKind, at offset: Int) throws(SyntaxError) {
    guard matcher.find() else { throw SyntaxError(reason: .duplicateContent, offset: offset) }
    if !matcher.hasEvery, kind != .null { contentKind = kind }
    switch kind {
    case .null where !wantsNames || matcher.isAtChoice:
      isNull = !matcher.hasEvery
      nullCount += 1
    case .array:
      arrayDepth = matcher.depth
      isList = true
    default: beginRecord()
    }
  }

  private mutating func beginRecord() {
    recordDepth = matcher.depth
    guard wantsNames else { return }
    if let path = matcher.listPath(ofLast: nameCount) {
      nameless = nameless ?? .nameless(at: path, record: namedCount + 1)
      return
    }
    namedCount += 1
    matcher.appendMemberNames(ofLast: nameCount, to: &names)
  }

  private mutating func endContainer(_ cursor: inout Cursor) {
    matcher.leave()
    if arrayDepth == matcher.depth { arrayDepth = nil }
    endValue(&cursor)
  }

  /// Ends a value that has a container on a path.
  private mutating func endValue(_ cursor: inout Cursor) {
    captures.close(at: matcher.depth)
    guard recordDepth == matcher.depth else { return }
    recordDepth = nil
    cursor.endLine()
  }

  /// Gives bytes just written to the captures, and removes them from the output unless they belong to a record.
  @inline(__always)
  private mutating func finishValue(from start: Int, _ cursor: inout Cursor) {
    captures.take(UnsafeBufferPointer(start: cursor.output + start, count: cursor.filled - start))
    if recordDepth == nil { cursor.filled = start }
  }
}

extension JSONKind {
  /// Kind of the value that begins with this byte, or nil if no value does.
  init?(firstByte: UInt8) {
    switch firstByte {
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
    default: return nil
    }
  }
}
