// One envelope, token by token where a path leads, and value by value everywhere else.

/// What `EnvelopeScanner` does with the bytes of one text.
///
/// It goes token by token in containers that a path leads through ("on the way") and in the content's array itself.
/// Every other value is run through at once: it comes out as a record or part of one, is captured, or is dropped.
struct EnvelopeReader: ChunkReader {
  private var grammar: Grammar
  private var route: PathMatcher
  /// Those that were asked for; what stands in their ways where they lead into a string, number or boolean; the element.
  private var captures: Captures
  private let captureCount: Int
  private let watchedCount: Int
  /// For those whose ways are barred: how many containers are around what bars them.
  private var barDepths: [Int: Int] = [:]
  /// Whether a value is being run through.
  private var isRunning = false
  /// The spelling of the member's name that is being read.
  private var name: [UInt8] = []
  /// How many containers are open around the content's array while it is open.
  private var arrayDepth: Int?
  /// How many containers are open around the record that is being read.
  private var recordDepth: Int? {
    get { grammar.recordDepth }
    set { grammar.recordDepth = newValue }
  }
  /// Whether content was null: the only one, since it is asked only where there is no `*`.
  private var isNull = false
  /// Places of content where null stands.
  private(set) var nullCount = 0
  /// What the content is, where there is one place for it and it is not null.
  private(set) var contentKind: JSONKind?
  /// Whether what stands at the content's last `*` is captured, behind the captures that were asked for.
  private let wantsElement: Bool
  /// Whether the names of the members are wanted that records stand in.
  private let wantsNames: Bool
  /// A name a record that has begun, each followed by LF.
  private var names: [UInt8] = []
  private var namedCount = 0
  private var nameless: ContentFinding?

  init(
    content: JSONPath, captures: [JSONPath], watchedCount: Int = 0, wantsElement: Bool, wantsNames: Bool,
    grammar: Grammar
  ) {
    self.grammar = grammar
    self.watchedCount = min(watchedCount, captures.count)
    route = PathMatcher(content: content, captures: captures, watchedCount: self.watchedCount)
    captureCount = captures.count
    self.captures = Captures(count: 2 * captures.count + 1)
    self.wantsElement = wantsElement
    self.wantsNames = wantsNames
  }

  mutating func reset() {
    grammar.reset()
    grammar.tokenIndex?.remove(from: 0)
    route.reset()
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
  }

  /// A text that is whole reached the content or missed it; before its end nothing is known yet.
  var finding: ContentFinding {
    nameless ?? route.missing ?? (isNull ? .null : .found)
  }

  var captured: [JSONValue?] { Array(captures.values.prefix(captureCount)) }
  var bars: [Int: (depth: Int, value: JSONValue)] {
    guard !barDepths.isEmpty else { return [:] }
    return barDepths.reduce(into: [:]) { bars, bar in
      if let value = captures.values[captureCount + bar.key] { bars[bar.key] = (bar.value, value) }
    }
  }
  var lacks: [Int: (depth: Int, names: [String])] {
    (0..<watchedCount).reduce(into: [:]) { lacks, capture in lacks[capture] = route.lack(ofCapture: capture) }
  }
  var lastElement: JSONValue? { captures.values.last.flatMap { $0 } }

  mutating func takeNames() -> [UInt8] {
    defer { names = [] }
    return names
  }

  /// Where the tokens stand of the records that became whole since the last time.
  mutating func takePunctuation(of lines: [UInt8]) -> TokenIndex {
    grammar.tokenIndex?.take(of: lines) ?? TokenIndex()
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    while cursor.index < cursor.end {
      if isRunning { try run(&cursor) } else { try advance(&cursor) }
    }
  }

  /// Ends the text: whether it is whole, and whether its end is that of a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    guard grammar.finish() else { return (false, false) }
    let endsRecord = isRunning && recordDepth != nil
    captures.close(at: 0)
    isRunning = false
    return (true, endsRecord)
  }

  /// Runs through a value that no path leads into.
  private mutating func run(_ cursor: inout Cursor) throws(SyntaxError) {
    let start = cursor.filled
    // Nothing looks at the elements of an array that no path leads into, so that they are cut right there.
    let cuts = arrayDepth == route.depth - 1 && route.leadsNowhere && !captures.areOpen && !wantsNames
    try grammar.run(&cursor, floor: route.depth, cutAt: cuts ? UInt8(ascii: ",") : nil)
    settle(from: start, &cursor)
    guard grammar.depth == route.depth else { return }
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

  /// Reads one token of a container on the way.
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
    settle(from: start, &cursor)
    if grammar.depth < route.depth { endContainer(&cursor) }
  }

  private mutating func readName(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    guard byte != UInt8(ascii: "}") || grammar.state != .firstName else { return try readTokens(&cursor) }
    if !grammar.state.isInString { name.removeAll(keepingCapacity: true) }
    let start = cursor.filled
    try grammar.step(&cursor)
    name.append(contentsOf: UnsafeBufferPointer(start: cursor.output + start, count: cursor.filled - start))
    settle(from: start, &cursor)
    if grammar.state == .colon { route.reachMember(name) }
  }

  private mutating func beginValue(_ byte: UInt8, _ cursor: inout Cursor) throws(SyntaxError) {
    guard let kind = JSONKind(firstByte: byte) else { return try grammar.step(&cursor) }
    let depth = route.depth
    route.arrive()
    if wantsElement, route.isAtElement { captures.open(captures.values.count - 1, at: depth) }
    if arrayDepth == depth - 1 { beginRecord() }
    for path in route.ending {
      if path == PathMatcher.content {
        try beginContent(kind, at: cursor.index)
      } else {
        captures.open(path - 1, at: depth)
      }
    }
    let isContainer = kind == .object || kind == .array
    if !isContainer, kind != .null, !route.leading.isEmpty { bar(at: depth) }
    if route.leading.first == PathMatcher.content { try lead(into: kind, isContainer, at: cursor.index) }
    guard isContainer, !route.leading.isEmpty || arrayDepth == depth else {
      isRunning = true
      return
    }
    let start = cursor.filled
    try grammar.step(&cursor)
    settle(from: start, &cursor)
    route.enter(isObject: kind == .object)
  }

  /// The ways to wanted values lead into what has no inside.
  private mutating func bar(at depth: Int) {
    for path in route.leading where path != PathMatcher.content {
      barDepths[path - 1] = depth
      captures.open(captureCount + path - 1, at: depth)
    }
  }

  /// The content lies further inside this value, or in every part of it.
  private mutating func lead(into kind: JSONKind, _ isContainer: Bool, at offset: Int) throws(SyntaxError) {
    guard isContainer else { return route.stop(at: kind) }
    guard !route.isEveryNext || route.find() else { throw SyntaxError(reason: .duplicateContent, offset: offset) }
  }

  private mutating func beginContent(_ kind: JSONKind, at offset: Int) throws(SyntaxError) {
    guard route.find() else { throw SyntaxError(reason: .duplicateContent, offset: offset) }
    if !route.hasEvery, kind != .null { contentKind = kind }
    switch kind {
    case .null where !wantsNames:
      isNull = !route.hasEvery
      nullCount += 1
    case .array: arrayDepth = route.depth
    default: beginRecord()
    }
  }

  private mutating func beginRecord() {
    recordDepth = route.depth
    guard wantsNames else { return }
    guard let name = route.memberName else {
      nameless = nameless ?? .nameless(at: route.everyPlace, record: namedCount + 1)
      return
    }
    namedCount += 1
    names += name
    names.append(0x0A)
  }

  private mutating func endContainer(_ cursor: inout Cursor) {
    route.leave()
    if arrayDepth == route.depth { arrayDepth = nil }
    endValue(&cursor)
  }

  /// A value has ended whose container is on the way.
  private mutating func endValue(_ cursor: inout Cursor) {
    captures.close(at: route.depth)
    guard recordDepth == route.depth else { return }
    recordDepth = nil
    cursor.endLine()
  }

  /// Decides about bytes that were written to the output: whether they are captured, and whether they stay.
  @inline(__always)
  private mutating func settle(from start: Int, _ cursor: inout Cursor) {
    captures.take(UnsafeBufferPointer(start: cursor.output + start, count: cursor.filled - start))
    if recordDepth == nil { cursor.filled = start }
  }
}

extension JSONKind {
  /// Nil when no value begins like this.
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
