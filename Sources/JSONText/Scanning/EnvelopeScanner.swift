// One incremental, validating pass: bytes of an envelope in, the records under one path out.

/// Cuts records out of one JSON text as its bytes arrive, and validates all of the text (RFC 8259, UTF-8, depth).
///
/// A record is the server's own bytes without insignificant white space, followed by one LF. Content that is an array
/// gives one record for each element, an object or scalar gives one record, and `null` gives none. With a `*` in the
/// path, this holds for every value that the path leads to. One byte order mark at the start is skipped. Besides captures
/// and records not taken yet, the scanner holds at most the current record.
package struct EnvelopeScanner: Sendable {
  private var scanner: ChunkedScanner<EnvelopeReader>

  /// Creates a scanner.
  ///
  /// - Parameters:
  ///   - watchedCount: number of captures, from the first on, that are searched for `missingMembers`.
  ///   - wantsElement: true if `lastElement` will be used.
  ///   - nameCount: number of names that are wanted of each record: 1 for that of the member at the content's last `*`,
  ///     else one for each `*`. With names, `null` at the end of the path is a record as well.
  ///   - wantsOutline: true if `outline` will be used.
  ///   - depthLimit: the deepest nesting that is accepted.
  ///   - kernel: a kernel other than the best, for tests and measurements only.
  ///   - tokenIndexDepth: depth to which a token index of the records is wanted (`takeLines`); 0 for none.
  package init(
    _ paths: WantedPaths, watchedCount: Int = 0, wantsElement: Bool = false, nameCount: Int = 0,
    wantsOutline: Bool = false, depthLimit: Int = 1_024, kernel: Kernel = .best,
    tokenIndexDepth: Int = 0
  ) {
    scanner = ChunkedScanner(
      EnvelopeReader(
        paths, watchedCount: watchedCount, wantsElement: wantsElement, nameCount: nameCount,
        wantsOutline: wantsOutline,
        grammar: Grammar(
          depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth))
    )
  }

  /// Takes the next bytes; `takeRecords()` then returns the records that are complete.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try scanner.append(bytes) }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    try scanner.append(chunk)
  }

  /// Ends the text, and throws if it is incomplete; records that were complete before an error can still be taken.
  package mutating func finish() throws(JSONError) {
    try scanner.finish()
  }

  /// Returns the records that are complete and were not taken yet: whole NDJSON lines, possibly none.
  package mutating func takeRecords() -> [UInt8] {
    takeLines().lines
  }

  /// Returns the lines of `takeRecords()` with their token index, as far as it is wanted.
  package mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    let lines = scanner.takeRecords()
    return (lines, scanner.reader.takeTokenIndex(of: lines))
  }

  /// Number of records so far.
  package var recordCount: Int { scanner.recordCount }
  /// Outcome of the search for the content; valid after `finish()`.
  package var finding: ContentFinding { scanner.reader.finding }
  /// All that is known besides the records; valid after `finish()`.
  package var metadata: EnvelopeMetadata { scanner.reader.metadata }

  /// Returns the names of the records' members that were not taken yet, as they are spelled, each followed by LF.
  ///
  /// They are in the order in which the records begin, and may be one ahead of `takeRecords()`.
  package mutating func takeNames() -> [UInt8] {
    scanner.reader.takeNames()
  }

  /// Prepares for another text with equal content path and captures, and keeps the buffers.
  package mutating func reset() {
    scanner.reset()
    scanner.reader.reset()
  }
}

/// What is known of one JSON text besides its records.
package struct EnvelopeMetadata: Sendable {
  package var finding = ContentFinding.found
  /// Kind of the content; nil for null, for missing content, and with a `*` in the path.
  package var contentKind: JSONKind? = .array
  /// The value of each of the captures, compact, or nil for a missing value.
  package var captured: [JSONValue?] = []
  /// Scalars that block the paths of captures, by the capture's index.
  ///
  /// `depth` is the number of the path's steps that lead to the string, number or boolean.
  package var blocked: [Int: (depth: Int, value: JSONValue)] = [:]
  /// Objects that lack the next member of a watched capture, by the capture's index.
  ///
  /// `depth` is the number of steps to the object; it has these `names` (at most 200).
  package var missingMembers: [Int: (depth: Int, names: [String])] = [:]
  /// Members beside the content, if they are wanted.
  package var outline: [EnvelopeOutline.Member] = []
  /// True if the content is an array, or stands at a `*`.
  package var isList = true
  /// Number of contents that are null, and so give no record.
  package var nullCount = 0
  /// Number of elements or members at the content's first `*`.
  package var elementCount = 0
  /// Last value at the content's last `*`, compact, or nil if there is none.
  package var lastElement: JSONValue?

  /// The facts about a body that has only records, or has not ended.
  package init() {}
}

/// Outcome of the search for the content.
package enum ContentFinding: Equatable, Sendable {
  /// The content is an array, object or scalar, and gave records.
  case found
  /// The content is `null`, and gave no records.
  case null
  /// A step of the content's path is missing; this is the first such place in the text.
  ///
  /// `at` is the path up to that step, with indices and names in place of each `*`. `available` lists the members that
  /// the object has (at most 21, in order). If it is empty, `kind` is the kind of the value that is no object or array.
  /// Of several names at that step, `choice` is the index of the missing one.
  case missing(at: JSONPath, available: [String], kind: JSONKind, choice: Int? = nil)
  /// Names are wanted, but the value at this path for the last `*` is an array, whose elements have no names.
  ///
  /// `record` is the number of the array's first record, from 1.
  case nameless(at: JSONPath, record: Int)
}

// MARK: The paths that a scanner follows, taken apart once for all texts

/// The paths of the wanted values of a text: the content, and further captures.
package struct WantedPaths: Sendable {
  struct Step: Sendable {
    let name: [UInt8]
    let index: Int?
    let isEvery: Bool
    let choices: [Choice]
  }

  struct Choice: Sendable {
    let name: [UInt8]
    let index: Int?
    /// The whole path as JSON text.
    let path: [UInt8]
    let isOptional: Bool
  }

  /// Index of the content's path in `all`; the captures follow it.
  static let content = 0

  package let content: JSONPath
  package let captures: [JSONPath]
  /// The steps of each path.
  let all: [[Step]]
  /// Index of the content's last `*`, also of one that stands for several names.
  let lastEvery: Int?
  /// Indices of the content's first and last `*` that stand for every element or member.
  let (firstElement, lastElement): (Int?, Int?)

  /// - Parameters:
  ///   - content: path of the content; the empty path is the whole text.
  ///   - captures: further wanted values, anywhere in the text (also inside the content). Of duplicate members the last
  ///     counts.
  package init(content: JSONPath, captures: [JSONPath] = []) {
    self.content = content
    self.captures = captures
    all = ([content] + captures).map { path in
      path.steps.map { step in
        let choices = step.choices.map {
          Choice(
            name: Array($0.step.name.utf8), index: $0.step.index, path: Array(JSONValue($0.path).bytes),
            isOptional: $0.isOptional)
        }
        return Step(name: Array(step.name.utf8), index: step.index, isEvery: step.isEvery, choices: choices)
      }
    }
    lastEvery = content.steps.lastIndex(where: \.isEvery)
    let elements = content.steps.indices.filter { content.steps[$0].isEvery && content.steps[$0].choices.isEmpty }
    (firstElement, lastElement) = (elements.first, elements.last)
  }
}

// MARK: The members of an envelope beside its content: the statements of an answer about its records

/// Members of the objects on the path of the content, without the path itself.
///
/// If the content is one object at the root, these are its own members. If it is an element of an array at the root,
/// these are the objects beside it.
///
/// The size of the outline is bounded, whatever the text contains.
package struct EnvelopeOutline: Sendable {
  package struct Member: Sendable {
    /// The names of the objects around it, then its own; `*` for an element of the content's path.
    package let path: [String]
    /// The member's value, compact; only the first bytes of a value that is too large.
    package let text: [UInt8]
    package let isWhole: Bool
    /// True if it is in an element at a `*` of the content's path.
    package let isInner: Bool
  }

  private static let mostMembers = 256
  /// Limit for members in elements at a `*`, so that they leave room for those of the envelope.
  private static let mostInner = 256
  /// The largest value that is kept, and the most that all of them have together.
  private static let (largest, most) = (256 << 10, 1 << 20)
  /// Enough bytes to recognize an array of objects.
  private static let headLength = 2

  package private(set) var members: [Member] = []
  private var size = 0
  private var innerCount = 0
  private var path: [String] = []
  private var isInner = false
  private var text: [UInt8] = []
  /// Number of containers around the current value.
  private(set) var openDepth: Int?

  /// True if there is room for more members of any kind.
  var hasRoom: Bool { takes(isInner: false) || takes(isInner: true) }

  /// Reports that there is room for another member.
  ///
  /// - Parameter isInner: true for a member in an element at a `*`.
  func takes(isInner: Bool) -> Bool {
    isInner ? innerCount < Self.mostInner : members.count - innerCount < Self.mostMembers
  }

  /// A value begins.
  mutating func open(_ path: [String], isInner: Bool, at depth: Int) {
    (self.path, self.isInner) = (path, isInner)
    openDepth = depth
  }

  /// False when the value is too large: then it is not open any more.
  mutating func take(_ compact: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count + compact.count > min(Self.largest, Self.most - size) else {
      text.append(contentsOf: compact)
      return true
    }
    text.append(contentsOf: compact.prefix(Self.headLength))
    text.removeLast(max(0, text.count - Self.headLength))
    close(isWhole: false)
    return false
  }

  mutating func close(isWhole: Bool = true) {
    members.append(Member(path: path, text: text, isWhole: isWhole, isInner: isInner))
    if isInner { innerCount += 1 }
    size += text.count
    text = []
    openDepth = nil
  }
}

// MARK: Values that are captured besides the content while the text is read

/// Values of all captures: the complete ones, and the nested ones that are being read.
struct Captures: Sendable {
  /// Capture that has started.
  private struct Opened {
    var capture: Int
    var depth: Int
    var start: Int
    var end: Int?
  }

  private(set) var values: [JSONValue?]
  /// Open captures, outer ones before inner ones; they share `bytes`.
  private var opened: [Opened] = []
  private var openCount = 0
  private var bytes: [UInt8] = []
  private(set) var outline = EnvelopeOutline()

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  mutating func reset() {
    self = Captures(count: values.count)
  }

  /// Starts a capture of a value that has this many containers around it.
  mutating func open(_ capture: Int, at depth: Int) {
    opened.append(Opened(capture: capture, depth: depth, start: bytes.count))
    openCount += 1
  }

  /// A member of the envelope begins, with this many containers around it.
  ///
  /// It is none of the captures.
  mutating func openMember(_ path: [String], isInner: Bool, at depth: Int) {
    guard outline.openDepth == nil else { return }
    outline.open(path, isInner: isInner, at: depth)
    openCount += 1
  }

  var areOpen: Bool { openCount > 0 }

  @inline(__always)
  mutating func take(_ compact: UnsafeBufferPointer<UInt8>) {
    if openCount > 0 { append(compact) }
  }

  private mutating func append(_ compact: UnsafeBufferPointer<UInt8>) {
    if outline.openDepth != nil, !outline.take(compact) { openCount -= 1 }
    if !opened.isEmpty { bytes.append(contentsOf: compact) }
  }

  /// Ends the captures of the value that has this many containers around it.
  @inline(__always)
  mutating func close(at depth: Int) {
    if openCount > 0 { closeOpened(at: depth) }
  }

  private mutating func closeOpened(at depth: Int) {
    if outline.openDepth == depth {
      outline.close()
      openCount -= 1
    }
    guard !opened.isEmpty else { return }
    for index in opened.indices where opened[index].depth == depth && opened[index].end == nil {
      opened[index].end = bytes.count
      openCount -= 1
    }
    guard openCount == (outline.openDepth == nil ? 0 : 1) else { return }
    for value in opened {
      values[value.capture] = JSONValue(validated: bytes[value.start..<(value.end ?? bytes.count)])
    }
    opened.removeAll()
    bytes = []
  }
}
