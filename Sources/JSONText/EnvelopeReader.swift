// One envelope, token by token where a path leads, and value by value everywhere else.

/// What `EnvelopeScanner` does with the bytes of one text.
///
/// It goes token by token in containers that a path leads through ("on the way") and in the content's array itself.
/// Every other value is run through at once: it comes out as a record or part of one, is captured, or is dropped.
struct EnvelopeReader: ChunkReader {
  private var grammar: Grammar
  private var route: Route
  private var captures: Captures
  /// Whether a value is being run through.
  private var isRunning = false
  /// The spelling of the member's name that is being read.
  private var name: [UInt8] = []
  /// How many containers are open around the content's array while it is open.
  private var arrayDepth: Int?
  /// How many containers are open around the record that is being read.
  private var recordDepth: Int?
  private var contentFinding: ContentFinding?
  private(set) var recordCount = 0

  init(content: JSONPath, captures: [JSONPath], depthLimit: Int) {
    grammar = Grammar(depthLimit: depthLimit)
    route = Route(content: content, captures: captures)
    self.captures = Captures(count: captures.count)
  }

  mutating func reset() {
    grammar.reset()
    route.reset()
    captures.reset()
    isRunning = false
    arrayDepth = nil
    recordDepth = nil
    contentFinding = nil
    recordCount = 0
  }

  /// A text that is whole reached the content or missed it; before its end nothing is known yet.
  var finding: ContentFinding {
    contentFinding ?? route.missing ?? .missing(depth: 0, available: [], kind: .null)
  }

  var captured: [JSONValue?] { captures.values }

  mutating func read(_ cursor: inout Cursor) throws(Flaw) {
    while cursor.index < cursor.end {
      if isRunning { try run(&cursor) } else { try advance(&cursor) }
    }
  }

  /// Ends the text: whether it is whole, and whether its end is that of a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool) {
    guard grammar.finish() else { return (false, false) }
    let endsRecord = isRunning && recordDepth != nil
    if endsRecord { recordCount += 1 }
    captures.close(at: 0)
    isRunning = false
    return (true, endsRecord)
  }

  /// Runs through a value that no path leads into.
  private mutating func run(_ cursor: inout Cursor) throws(Flaw) {
    let start = cursor.filled
    try grammar.run(&cursor, floor: route.depth)
    settle(from: start, &cursor)
    if grammar.state == .afterValue, grammar.depth == route.depth {
      isRunning = false
      endValue(&cursor)
    }
  }

  /// Reads one token of a container on the way.
  private mutating func advance(_ cursor: inout Cursor) throws(Flaw) {
    guard grammar.state.isInString || grammar.skipSpace(&cursor) else { return }
    let byte = cursor.input[cursor.index]
    switch grammar.state {
    case .value: try beginValue(byte, &cursor)
    case .firstElement where byte != UInt8(ascii: "]"): try beginValue(byte, &cursor)
    case .name, .firstName, .string, .escape, .hexDigits, .continuation: try readName(byte, &cursor)
    default: try readPunctuation(&cursor)
    }
  }

  private mutating func readPunctuation(_ cursor: inout Cursor) throws(Flaw) {
    let start = cursor.filled
    try grammar.step(&cursor)
    settle(from: start, &cursor)
    if grammar.depth < route.depth { endContainer(&cursor) }
  }

  private mutating func readName(_ byte: UInt8, _ cursor: inout Cursor) throws(Flaw) {
    guard byte != UInt8(ascii: "}") || grammar.state != .firstName else { return try readPunctuation(&cursor) }
    if !grammar.state.isInString { name.removeAll(keepingCapacity: true) }
    let start = cursor.filled
    try grammar.step(&cursor)
    name.append(contentsOf: UnsafeBufferPointer(start: cursor.output + start, count: cursor.filled - start))
    settle(from: start, &cursor)
    if grammar.state == .colon { route.reachMember(name[...]) }
  }

  private mutating func beginValue(_ byte: UInt8, _ cursor: inout Cursor) throws(Flaw) {
    guard let kind = JSONKind(firstByte: byte) else { return try grammar.step(&cursor) }
    let depth = route.depth
    let paths = route.arrive()
    if arrayDepth == depth - 1 { recordDepth = depth }
    for path in paths.ending {
      if path == Route.content { try beginContent(kind, at: cursor.index) } else { captures.open(path - 1, at: depth) }
    }
    let isContainer = kind == .object || kind == .array
    if !isContainer, paths.leading.contains(Route.content) { route.stop(at: kind) }
    guard isContainer, !paths.leading.isEmpty || arrayDepth == depth else {
      isRunning = true
      return
    }
    let start = cursor.filled
    try grammar.step(&cursor)
    settle(from: start, &cursor)
    route.enter(paths.leading, isObject: kind == .object)
  }

  private mutating func beginContent(_ kind: JSONKind, at offset: Int) throws(Flaw) {
    guard contentFinding == nil else { throw Flaw(reason: .duplicateContent, offset: offset) }
    contentFinding = kind == .null ? .null : .found
    switch kind {
    case .null: break
    case .array: arrayDepth = route.depth
    default: recordDepth = route.depth
    }
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
    recordCount += 1
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
