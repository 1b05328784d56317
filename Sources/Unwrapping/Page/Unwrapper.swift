// NetworkingResult<Content> as a stream: the bytes of one response in, one held page of records out.

package import Files
package import JSONText
import Wire

/// Unwraps one response as it arrives.
///
/// After an error, the unwrapper must not be used again, and no record of its page leaves it.
package struct Unwrapper: ~Copyable, Sendable {
  /// Size up to which small pieces are joined before they go to the spool.
  private static let leastHeld = 64 << 10

  private let content: JSONPath
  private let captures: [JSONPath]
  private var scanner: BodyScanner
  /// The members around the records; known after `end()`.
  private var around = BodySurroundings()
  private let isOptional: Bool
  private var naming: Naming?
  private let filter: RecordFilter?
  private var isOfObjects = false
  /// Number of records that the filter left out.
  private var leftOutCount = 0
  /// The first record, if the filter left out all records that came with it.
  private var leftOut: [UInt8] = []
  /// Records that are arrays, and get names.
  private var rows: ColumnRows?
  /// Index of the capture that has the column names.
  private let columnsIndex: Int
  private var reshaper: Reshaper?
  private var fingerprint: Fingerprint?
  private var edges = PageEdges()
  private let lastPaths: [JSONPath]
  private let wantsObjects: Bool
  private let mark: MarkReading?
  private var highest: HighWaterMark
  /// Number of records whose mark was read.
  private var markCount = 0
  /// True if a record is not above the saved mark.
  private var hasKnown = false
  private var hasNewBehindKnown = false
  private let endsLate: Bool
  /// True if a record is an object whose first name is a number.
  private var isIndexed = false
  /// Error in a record, if errors are thrown only at the end of the body.
  private var fault: ContentError?
  /// Number of records that were found to be objects.
  private var objectCount = 0
  /// Wanted values of the last record so far.
  private var lastFound: [String: [UInt8]] = [:]
  /// Whole lines that are not in the spool yet; `tokenIndex` covers them.
  private var waiting: [UInt8] = []
  private var tokenIndex: TokenIndex
  private var recordCount = 0
  /// Number of records in the spool.
  private var heldCount = 0
  private let spool: Spool

  /// Creates an unwrapper for one response.
  ///
  /// - Parameters:
  ///   - format: format of the body; only JSON has captures, names and an outline.
  ///   - content: path of the records.
  ///   - captures: values for the page's facts.
  ///   - watchedCount: number of `captures`, from the first on, that are searched for `lacking`.
  ///   - key: member that takes the name of each entry, if a `*` of the content goes over a map.
  ///   - rows: names records that are arrays.
  ///   - isOptional: true if a body without the content has no records; otherwise it is an error.
  ///   - filter: selects the records to keep; nil keeps all.
  ///   - reshaper: rewrites each record; nil leaves records unchanged.
  ///   - wantsHash: true if the page's `contentHash` will be used; otherwise it is 0.
  ///   - lastPaths: paths of wanted values in the last record; the empty path is the whole record.
  ///   - wantsObjects: true if every record must be an object, since members will be set in it.
  ///   - mark: the handling of the records' marks, as the server sent them.
  ///   - tokenIndexDepth: depth to which the consumer reads the records (`Page.nextLines`).
  ///   - wantsOutline: true if the page's `outline` will be used.
  ///   - countsNested: true if the page's `nestedCount` will be used; otherwise it is 0.
  ///   - endsLate: true if only `page()` throws the error of a record, so that the rest of the body may give the
  ///     reason.
  package init(
    format: BodyFormat = .json, content: JSONPath, captures: [JSONPath], watchedCount: Int = 0, key: String? = nil,
    rows: ColumnRows? = nil, isOptional: Bool = false, filter: RecordFilter? = nil,
    reshaper: Reshaper?, wantsHash: Bool = true, lastPaths: [JSONPath] = [], wantsObjects: Bool = false,
    mark: MarkReading? = nil, tokenIndexDepth: Int = 0, wantsOutline: Bool = false, countsNested: Bool = false,
    endsLate: Bool = false, spool: Spool
  ) {
    self.content = content
    self.captures = captures
    self.isOptional = isOptional
    self.endsLate = endsLate
    naming = key.map { Naming(key: $0) }
    // The consumer can't use the tokens if some records are left out.
    let tokenIndexDepth = mark?.leavesOut == true ? 0 : tokenIndexDepth
    self.rows = rows
    let columns = rows?.columns
    columnsIndex = captures.firstIndex { $0 == columns } ?? captures.count
    let allCaptures = columnsIndex < captures.count ? captures : captures + [columns].compactMap { $0 }
    let paths = lastPaths + [mark?.path].compactMap { $0 }
    let depth = key == nil ? max(reshaper?.depth ?? tokenIndexDepth, filter?.depth ?? 0) : 0
    let wantedDepth = paths.reduce(depth) { max($0, $1.steps.count) }
    scanner = BodyScanner(
      format,
      EnvelopeScanner(
        content: content, captures: allCaptures, watchedCount: watchedCount,
        wantsElement: !lastPaths.isEmpty && content.hasEvery, wantsNames: key != nil, wantsOutline: wantsOutline,
        seeksConnections: countsNested, tokenIndexDepth: wantedDepth),
      tokenIndexDepth: wantedDepth)
    tokenIndex = TokenIndex(depth: reshaper == nil && key == nil ? tokenIndexDepth : 0)
    self.filter = filter
    self.reshaper = reshaper
    fingerprint = wantsHash ? Fingerprint() : nil
    self.lastPaths = lastPaths
    self.wantsObjects = wantsObjects
    self.mark = mark
    highest = HighWaterMark(form: mark?.form)
    self.spool = spool
  }

  /// Takes the next bytes of the body.
  ///
  /// Throws the first error of the body, whatever the chunks are.
  package mutating func take(_ chunk: [UInt8]) throws(ContentError) {
    var fault: JSONError?
    do { try scanner.append(chunk) } catch { fault = error }
    try hold(scanner.takeLines())
    if let fault { throw .json(fault) }
  }

  /// Ends the body and returns its page.
  ///
  /// Only now may records leave: the page is whole and valid.
  package mutating func finish() throws(ContentError) -> Page {
    try end()
    return try page()
  }

  /// Ends the body, which must be one JSON text.
  ///
  /// `captured` and `last` are known from now on, even if the records are invalid.
  package mutating func end() throws(ContentError) {
    var fault: JSONError?
    do { try scanner.finish() } catch { fault = error }
    around = scanner.surroundings
    try hold(scanner.takeLines())
    if let fault { throw .json(fault) }
    try nameColumns()
  }

  /// Names the records that were held because their names may stand after them.
  private mutating func nameColumns() throws(ContentError) {
    guard rows != nil, scanner.recordCount > 0 else { return }
    let columns = columns
    do {
      while let lines = try rows?.next(columns) { try look(at: lines, TokenIndex()) }
    } catch {
      guard endsLate else { throw error }
      fault = error
    }
  }

  /// The value with the column names; known after `end()`.
  private var columns: JSONValue? {
    guard rows != nil, columnsIndex < around.captured.count, let columns = around.captured[columnsIndex] else {
      return nil
    }
    return columns.kind == .null ? nil : columns
  }

  /// True if a body that has ended has no content, or content that is `null`.
  package var lacksContent: Bool {
    if case .found = around.finding { false } else { true }
  }

  /// Returns the page of a body that has ended.
  package mutating func page() throws(ContentError) -> Page {
    try checkFinding()
    if let fault { throw fault }
    try flush()
    return heldPage
  }

  /// Page of the records that are in the spool.
  private var heldPage: Page {
    var page = Page(
      recordCount: scanner.recordCount, itemCount: scanner.recordCount + (content.hasEvery ? around.nullCount : 0),
      hasNullContent: around.finding == .null, contentKind: contentKind, missingContent: missingContent,
      contentHash: fingerprint?.finalize() ?? 0, captured: captured,
      blockedPaths: blockedPaths, lacking: lacking, last: last,
      highest: highest, lines: spool)
    page.outline = around.outline.map {
      EnvelopeMember(path: $0.path, text: $0.text, isWhole: $0.isWhole, isInner: $0.isInner)
    }
    page.isSingle = scanner.recordCount == 1 && !around.isList
    page.nestedCount = around.connectionCount
    (page.leftOutCount, page.leftOut, page.isOfObjects) = (leftOutCount, leftOut, isOfObjects)
    (page.hasKnown, page.hasNewBehindKnown) = (hasKnown, hasNewBehindKnown)
    (page.firstRecord, page.lastRecord) = edges.hashes(content: page.contentHash)
    page.columns = columns.map { Array($0.bytes) }
    return page
  }

  /// Captured values by JSON Pointer, as in `PageFacts.captured`; valid after `end()`.
  package var captured: [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for (path, value) in zip(captures, around.captured) {
      if let value { found[path.pointer] = Array(value.bytes) }
    }
    return found
  }

  /// Blocked paths by JSON Pointer, as in `PageFacts.blockedPaths`; valid after `end()`.
  package var blockedPaths: [String: String] {
    var blockedPaths: [String: String] = [:]
    let bars = around.bars
    guard !bars.isEmpty else { return blockedPaths }
    let captured = around.captured
    for (index, bar) in bars
    where index < captures.count && bar.depth > 0 && captured[index] == nil && !bar.value.isNothing {
      var place = captures[index]
      place.steps.removeSubrange(bar.depth...)
      blockedPaths[captures[index].pointer] = "'\(place.pointer)' is a \(bar.value.kind.rawValue)"
    }
    return blockedPaths
  }

  /// Same as `PageFacts.lacking`, by JSON Pointer; valid after `end()`.
  private var lacking: [String: (depth: Int, names: [String])] {
    around.lacks.reduce(into: [:]) { lacking, lack in lacking[captures[lack.key].pointer] = lack.value }
  }

  /// Wanted values of the last record, compact, by JSON Pointer; valid after `end()`, empty without records.
  ///
  /// With a `*`, the values are of the whole element that the record is part of.
  package var last: [String: [UInt8]] { content.hasEvery ? found(in: around.lastElement) : lastFound }

  private func found(in record: JSONValue?) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for path in lastPaths {
      if let value = record?[path] { found[path.pointer] = Array(value.bytes) }
    }
    return found
  }

  private var contentKind: ContentKind? {
    around.contentKind.map { $0 == .object && isIndexed ? .indexed : .plain($0) }
  }

  private var missingContent: (name: String, names: [String])? {
    guard case .missing(let place, let available, _) = around.finding, place.steps.count < content.steps.count
    else { return nil }
    return (content.steps[place.steps.count].name, available)
  }

  private func checkFinding() throws(ContentError) {
    switch around.finding {
    case .missing(let place, let available, let kind) where !isOptional:
      throw .missing(content: content, at: place, available: available, kind: kind)
    case .nameless(let place, let record): throw .nameless(record: record, at: place)
    case .found, .null, .missing: break
    }
  }

  private mutating func hold(_ taken: (lines: [UInt8], tokenIndex: TokenIndex)) throws(ContentError) {
    guard !taken.lines.isEmpty, fault == nil else { return }
    if rows != nil {
      try rows?.hold(taken.lines, total: scanner.recordCount)
      return
    }
    isIndexed = isIndexed || ContentKind.isIndexed(taken.lines)
    do {
      try look(at: taken.lines, taken.tokenIndex)
    } catch {
      guard endsLate else { throw error }
      fault = error
    }
  }

  private mutating func look(at lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) {
    let known = try filter == nil ? see(lines, tokenIndex) : []
    if let named = naming?.named(lines, scanner.takeNames()) {
      try keep(named, TokenIndex(), leavingOut: known)
    } else {
      try keep(lines, tokenIndex, leavingOut: known)
    }
  }

  /// - Parameter known: numbers of the records to leave out, from 0, in order.
  private mutating func keep(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    if fingerprint != nil { edges.add(lines) }
    fingerprint?.combine(lines)
    isOfObjects = lines.first == UInt8(ascii: "{")
    if !lastPaths.isEmpty, !content.hasEvery { lastFound = found(in: TokenIndexedRecords.last(of: lines, tokenIndex)) }
    guard let filter else { return try use(lines, tokenIndex, leavingOut: known) }
    let kept = filter.kept(
      of: lines, tokenIndex, wantsIndex: mark != nil || reshaper != nil || self.tokenIndex.depth > 0)
    if kept.count == 0, leftOutCount == 0 { leftOut = Array(lines.prefix { $0 != Mark.lineFeed }) }
    leftOutCount += kept.leftOutCount
    guard kept.count > 0 else { return }
    // Only records that come out count for the mark, so that a record which is kept later is not below the mark.
    try use(kept.lines, kept.tokenIndex, leavingOut: see(kept.lines, kept.tokenIndex))
  }

  /// Takes the lines of the records that are kept.
  private mutating func use(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    if wantsObjects { try checkObjects(lines) }
    leftOutCount += known.count
    if reshaper != nil {
      try reshape(lines, tokenIndex, leavingOut: known)
    } else if !known.isEmpty {
      wait(lines.leavingOut(known), TokenIndex())
    } else {
      wait(lines, tokenIndex)
    }
    if waiting.count >= Self.leastHeld { try flush() }
  }

  private mutating func wait(_ lines: [UInt8], _ tokenIndex: TokenIndex) {
    let isWanted = self.tokenIndex.depth > 0
    guard !waiting.isEmpty else {
      waiting = lines
      if isWanted { self.tokenIndex = tokenIndex }
      return
    }
    if isWanted { self.tokenIndex.add(tokenIndex, movedBy: waiting.count) }
    waiting += lines
  }

  /// Returns the numbers of the records to leave out, from 0.
  private mutating func see(_ lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) -> [Int] {
    guard let mark else { return [] }
    var known: [Int] = []
    for (index, record) in TokenIndexedRecords(lines, tokenIndex).enumerated() {
      markCount += 1
      do {
        guard let value = record[mark.path] else { continue }
        try highest.see(value)
        guard try mark.isKnown(value) else {
          hasNewBehindKnown = hasNewBehindKnown || hasKnown && !value.isNull
          continue
        }
        hasKnown = true
        if mark.leavesOut { known.append(index) }
      } catch {
        throw .decoding(
          record: markCount, keyPath: mark.path.steps.map(\.name).joined(separator: "."), expected: error.expected,
          found: error.found)
      }
    }
    return known
  }

  private mutating func checkObjects(_ lines: [UInt8]) throws(ContentError) {
    for record in TokenIndexedRecords(lines) {
      guard record.kind == .object else {
        throw .decoding(
          record: objectCount + 1, keyPath: "", expected: "an object to set members in", found: record.kind.rawValue)
      }
      objectCount += 1
    }
  }

  private mutating func reshape(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    var (place, number, leftOut) = (0, 0, known[...])
    reshaper?.begin()
    while place < lines.count {
      recordCount += 1
      number += 1
      if leftOut.first == number - 1 {
        leftOut.removeFirst()
        place = (lines[place...].firstIndex(of: Mark.lineFeed) ?? lines.count - 1) + 1
        continue
      }
      do {
        // `+ 1` skips the line feed after the record.
        place = try (reshaper?.append(recordAt: place, of: lines, known: tokenIndex, to: &waiting) ?? lines.count) + 1
      } catch {
        throw error.fault(record: recordCount)
      }
      waiting.append(Mark.lineFeed)
    }
  }

  private mutating func flush() throws(ContentError) {
    do {
      // The scanner's complete records were taken just before, so these lines have all of them.
      let count = (rows?.namedCount ?? scanner.recordCount) - leftOutCount
      try spool.append(waiting, count: count - heldCount, tokenIndex)
      heldCount = count
    } catch {
      throw .spool(error.problem)
    }
    (waiting, tokenIndex) = ([], TokenIndex(depth: tokenIndex.depth))
  }
}

extension JSONValue {
  /// True for the values besides null with which some APIs mean "nothing".
  fileprivate var isNothing: Bool { boolean == false || integer == 0 || string == "" }
}

extension TokenIndex: SpoolCompanion {}

extension Spool {
  /// Appends whole lines that have `count` records.
  package func append(_ lines: [UInt8], count: Int, _ tokenIndex: TokenIndex) throws(FileError) {
    try append(lines, number: count, with: tokenIndex.isEmpty ? nil : tokenIndex)
  }

  /// Returns the next whole lines, or nil after the last.
  package func nextLines() throws(FileError) -> HeldLines? {
    try nextPiece().map {
      HeldLines(lines: $0.bytes, count: $0.number, tokenIndex: $0.companion as? TokenIndex ?? TokenIndex())
    }
  }
}
