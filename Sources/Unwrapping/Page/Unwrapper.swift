// NetworkingResult<Content> as a stream: the bytes of one response in, one held page of records out.

package import Files
package import JSONText
import Primitives
package import Wire

/// Unwraps one response as it arrives.
///
/// After an error, the unwrapper must not be used again, and no record of its page leaves it.
package struct Unwrapper: ~Copyable, Sendable {
  /// Size up to which small pieces are joined before they go to the spool.
  private static let leastHeld = 64 << 10
  /// Most bytes of a record that is kept as a sample of those that were left out.
  private static let mostSample = 32 << 10

  private let options: UnwrapOptions
  private let scanner: BodyScanner
  /// What is known of the body besides its records; known after `end()`.
  private var around = EnvelopeMetadata()
  private var naming: Naming?
  /// True if the first record is an object; nil without records.
  private var isOfObjects: Bool?
  /// Number of records that the filter left out.
  private var leftOutCount = 0
  /// Number of records in the lines that the filter has passed, and of those that it kept.
  private var filtered = (all: 0, kept: 0)
  /// The first record, if the filter left out all records that came with it, and if it is small: each page keeps it.
  private var leftOut: [UInt8] = []
  /// Records that are arrays, and get names.
  private var rows: ColumnRows?
  private var reshaper: Reshaper?
  private var hasher: RecordHasher?
  private var marks: MarkPass
  /// The first bytes of the first two records.
  private var heads: [[UInt8]] = []
  /// The last line of NDJSON so far; empty for a long one.
  private var lastLine: [UInt8] = []
  /// Clauses of the filter whose members no record has, while all records were left out.
  private var missed: [Condition.Clause]
  /// Number of records in which a list was cut, and the first such list.
  private var cuts: (count: Int, first: CutList?) = (0, nil)
  /// The first line that reports an error, as `errorLines` says; cut if it is long.
  package private(set) var errorLine: [UInt8]?
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

  /// Format of the response's body.
  package var format: BodyFormat { options.format }

  /// Creates an unwrapper for one response.
  ///
  /// - Parameter spool: creates the spools that hold the page.
  package init(_ options: UnwrapOptions, spool: () -> Spool) {
    self.options = options
    naming = options.keys.isEmpty ? nil : Naming(keys: options.keys)
    if let names = options.columnNames {
      rows = ColumnRows(path: JSONPath(), fallback: names, spool: spool())
    } else if let columns = options.columns {
      rows = ColumnRows(
        path: columns, fallback: options.firstPageColumns, areNamesInRows: options.areNamesInRows, spool: spool())
    }
    let depth = options.indexDepth
    scanner = BodyScanner(
      options.pageFormat, charset: options.charset,
      EnvelopeScanner(
        options.paths, watchedCount: options.watchedCount,
        wantsElement: !options.lastPaths.isEmpty && options.paths.content.hasElements, nameCount: options.keys.count,
        wantsOutline: options.wantsOutline, tokenIndexDepth: depth),
      tokenIndexDepth: depth)
    tokenIndex = TokenIndex(depth: options.reshaper == nil && options.keys.isEmpty ? options.outputIndexDepth : 0)
    reshaper = options.reshaper
    hasher = options.wantsHash ? RecordHasher() : nil
    marks = MarkPass(options.mark)
    missed = options.filter?.clausesForMembers ?? []
    self.spool = spool()
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
    around = scanner.metadata
    try hold(scanner.takeLines())
    if let fault { throw .json(fault) }
    try checkHeader()
    try nameColumns()
  }

  /// Throws if this page has none of the first page's names: its first line is rather a record.
  private func checkHeader() throws(ContentError) {
    guard let first = options.firstPageColumns, let header = scanner.header else { return }
    let names = Set(header.elements.compactMap(\.string))
    guard first.elements.allSatisfy({ !names.contains($0.string ?? "") }) else { return }
    throw .otherHeader(Array(header.bytes), first: Array(first.bytes))
  }

  /// Names the records that were held because their names may stand after them.
  private mutating func nameColumns() throws(ContentError) {
    guard rows != nil, scanner.recordCount > 0 else { return }
    let columns = columns
    do {
      while let lines = try rows?.next(columns) { try look(at: lines, TokenIndex()) }
    } catch {
      guard options.endsLate else { throw error }
      fault = error
    }
  }

  /// The value with the column names; known after `end()`.
  private var columns: JSONValue? {
    guard rows != nil, options.columnsIndex < around.captured.count,
      let columns = around.captured[options.columnsIndex]
    else {
      return nil
    }
    return columns.kind == .null ? nil : columns
  }

  /// The last byte of the text so far; nil for an empty one.
  package var lastByte: UInt8? { scanner.lastByte }

  /// True if a body that has ended has no content, or content that is `null`.
  package var hasNoContent: Bool {
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
    let headerCount = rows?.headerCount ?? 0
    let recordCount = scanner.recordCount - headerCount
    let body = PageBody(
      recordCount: recordCount,
      itemCount: itemCount(recordCount), headerCount: headerCount,
      wrappedCount: around.elementCount == 1 ? recordCount : 0,
      hasNullContent: around.finding == .null, contentKind: contentKind,
      missingContent: missingContent,
      contentHash: hasher?.contentHash ?? 0, records: hasher.map { PageRecords($0.hashes) }, captured: captured,
      blockedPaths: blockedPaths, lacking: lacking, last: last,
      outline: around.outline.map {
        EnvelopeMember(path: $0.path, text: $0.text, isWhole: $0.isWhole, isInner: $0.isInner)
      }, isSingle: recordCount == 1 && !around.isList, isOfObjects: isOfObjects == true,
      leftOutCount: leftOutCount,
      leftOut: leftOut, cutCount: cuts.count, cutList: cuts.first,
      heads: heads, lastLine: lastLine,
      filterMisses: recordCount > 0 && leftOutCount == recordCount
        ? options.filter?.culprits(among: missed).map(\.name) ?? [] : [], hasKnown: marks.hasKnown,
      hasNewAfterKnown: marks.hasNewAfterKnown, columns: (columns ?? scanner.header).map { Array($0.bytes) })
    return Page(body: body, highest: marks.highest, lines: spool)
  }

  /// Returns the number of items that a server counts in a page with this number of records.
  ///
  /// With a `*` these are the elements, however many records each has. A single element may be a wrapper of the records.
  private func itemCount(_ recordCount: Int) -> Int {
    guard options.paths.content.hasElements else { return recordCount }
    return around.elementCount > 1 ? around.elementCount : recordCount + around.nullCount
  }

  /// The facts about a body whose records may be invalid; valid after `end()`.
  package var bodyWithoutRecords: PageBody {
    PageBody(recordCount: 0, captured: captured, blockedPaths: blockedPaths, lacking: lacking, last: last)
  }

  private var captures: ArraySlice<JSONPath> { options.paths.captures.prefix(options.pathTexts.count) }

  /// Captured values by the texts of their paths, as in `PageBody.captured`; valid after `end()`.
  private var captured: [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for (path, value) in zip(options.pathTexts, around.captured) {
      if let value { found[path] = Array(value.bytes) }
    }
    return found
  }

  /// Blocked paths by the texts of their paths, as in `PageBody.blockedPaths`; valid after `end()`.
  private var blockedPaths: [String: String] {
    var blockedPaths: [String: String] = [:]
    let blocked = around.blocked
    guard !blocked.isEmpty else { return blockedPaths }
    let captured = around.captured
    for (index, bar) in blocked
    where index < captures.count && bar.depth > 0 && captured[index] == nil && !bar.value.isNothing {
      var path = captures[index]
      path.steps.removeSubrange(bar.depth...)
      blockedPaths[captures[index].description] = "'\(path)' is a \(bar.value.kind.rawValue)"
    }
    return blockedPaths
  }

  /// Same as `PageBody.lacking`, by the texts of their paths; valid after `end()`.
  private var lacking: [String: (depth: Int, names: [String])] {
    around.missingMembers.reduce(into: [:]) { lacking, lack in lacking[captures[lack.key].description] = lack.value }
  }

  /// Wanted values of the last record, compact, by the texts of their paths; valid after `end()`, empty without records.
  ///
  /// With a `*`, the values are of the whole element that the record is part of.
  private var last: [String: [UInt8]] { options.paths.content.hasElements ? found(in: around.lastElement) : lastFound }

  private func found(in record: JSONValue?) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for path in options.lastPaths {
      if let value = record?[path] { found[path.description] = Array(value.bytes) }
    }
    return found
  }

  private var contentKind: ContentKind? {
    around.contentKind.flatMap { $0 == .object && isIndexed ? .indexed : ContentKind(rawValue: $0.rawValue) }
  }

  private var missingContent: (name: String, names: [String])? {
    guard case .missing(let path, let available, _, let choice) = around.finding,
      path.steps.count < options.paths.content.steps.count
    else { return nil }
    return (options.paths.content.along(path, choice: choice).steps[path.steps.count].name, available)
  }

  private func checkFinding() throws(ContentError) {
    switch around.finding {
    case .missing(let path, let available, let kind, let choice) where !options.isOptional:
      let content = options.paths.content.along(path, choice: choice)
      throw .missing(content: content, at: path, available: available, kind: kind)
    case .nameless(let path, let record): throw .nameless(record: record, at: path)
    case .found, .null, .missing: break
    }
  }

  private mutating func hold(_ taken: (lines: [UInt8], tokenIndex: TokenIndex)) throws(ContentError) {
    guard !taken.lines.isEmpty, fault == nil else { return }
    if rows != nil {
      try rows?.hold(taken.lines, total: scanner.recordCount)
      return
    }
    isIndexed = isIndexed || Self.isIndexed(taken.lines)
    do {
      try look(at: taken.lines, taken.tokenIndex)
    } catch {
      guard options.endsLate else { throw error }
      fault = error
    }
  }

  /// Reports that compact text begins with an object whose first name is a number.
  private static func isIndexed(_ text: [UInt8]) -> Bool {
    guard text.starts(with: #"{""#.utf8) else { return false }
    let name = text.dropFirst(2).prefix { $0.isDigit }
    return !name.isEmpty && text.dropFirst(2 + name.count).starts(with: #"":"#.utf8)
  }

  /// Throws if the first record of a later page is the header once more.
  private func checkFirstRow(_ lines: [UInt8]) throws(ContentError) {
    guard isOfObjects == nil, case .csv = options.format, options.pageFormat != options.format,
      let first = TokenIndexedRecords(lines).first(where: { _ in true }),
      first.members.allSatisfy({ $0.value.string == $0.name })
    else { return }
    throw .repeatedHeader
  }

  private mutating func look(at lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) {
    try checkFirstRow(lines)
    let named = naming?.named(lines, scanner.takeNames())
    let (lines, tokenIndex) = named.map { ($0, TokenIndex()) } ?? (lines, tokenIndex)
    // A mark may be the name that `key` puts into the record.
    try keep(lines, tokenIndex, leavingOut: options.filter == nil ? marks.read(lines, tokenIndex) : [])
  }

  /// - Parameter known: numbers of the records to leave out, from 0, in order.
  private mutating func keep(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    hasher?.add(lines)
    isOfObjects = isOfObjects ?? (lines.first == UInt8(ascii: "{"))
    sample(lines)
    if errorLine == nil, let found = options.errorLines?.kept(of: lines, tokenIndex), found.count > 0 {
      errorLine = Array(found.lines.prefix { $0 != JSONByte.lineFeed }.prefix(Self.mostSample))
    }
    if !options.lastPaths.isEmpty, !options.paths.content.hasElements {
      lastFound = found(in: lines.isEmpty ? nil : JSONValue(validated: Self.lastLine(of: lines)))
    }
    guard let filter = options.filter else { return try use(lines, tokenIndex, leavingOut: known) }
    let kept = filter.kept(
      of: lines, tokenIndex, wantsIndex: options.mark != nil || reshaper != nil || self.tokenIndex.depth > 0)
    if kept.count == 0, leftOutCount == 0 {
      let sample = lines.prefix { $0 != JSONByte.lineFeed }
      if sample.count <= Self.mostSample { leftOut = Array(sample) }
    }
    leftOutCount += kept.leftOutCount
    filtered.all += kept.count + kept.leftOutCount
    missed = kept.count > 0 ? [] : filter.clauses(missed, missingIn: lines)
    guard kept.count > 0 else { return }
    do {
      // Only records that come out count for the mark, so that a record which is kept later is not below the mark.
      try use(kept.lines, kept.tokenIndex, leavingOut: marks.read(kept.lines, kept.tokenIndex))
    } catch .record(let number, let error) {
      throw .record(recordNumber(ofKept: number, in: lines, by: filter), error)
    }
    filtered.kept += kept.count
  }

  /// Returns the number in the page of a record that is known by its number among those that the filter kept.
  ///
  /// - Parameter lines: the lines that have it.
  private func recordNumber(ofKept kept: Int, in lines: [UInt8], by filter: RecordFilter) -> Int {
    var (number, keptSoFar) = filtered
    number -= lines.lazy.filter { $0 == JSONByte.lineFeed }.count
    for line in lines.split(separator: JSONByte.lineFeed) where keptSoFar < kept {
      number += 1
      keptSoFar += filter.kept(of: line + [JSONByte.lineFeed], TokenIndex()).count
    }
    return number
  }

  /// Keeps the beginnings of the first records, and the last line of NDJSON.
  private mutating func sample(_ lines: [UInt8]) {
    for line in heads.count < 2 ? lines.split(separator: JSONByte.lineFeed, maxSplits: 2).prefix(2 - heads.count) : [] {
      heads.append(Array(line.prefix(8)))
    }
    guard options.format.isOfTexts else { return }
    let last = Self.lastLine(of: lines)
    lastLine = last.count <= Self.mostSample ? Array(last) : []
  }

  /// Returns the last one of whole lines, without its line feed.
  private static func lastLine(of lines: [UInt8]) -> ArraySlice<UInt8> {
    let text = lines.dropLast()
    return text[(text.lastIndex(of: JSONByte.lineFeed).map { $0 + 1 } ?? 0)...]
  }

  /// Takes the lines of the records that are kept.
  private mutating func use(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    if options.wantsObjects { try checkObjects(lines) }
    leftOutCount += known.count
    if reshaper != nil {
      try reshape(lines, tokenIndex, leavingOut: known)
    } else {
      let given = known.isEmpty ? lines : lines.leavingOut(known)
      for cut in options.cutLists?.all(in: given) ?? [] { add(cut.list) }
      wait(given, known.isEmpty ? tokenIndex : TokenIndex())
    }
    if waiting.count >= Self.leastHeld { try flush() }
  }

  private mutating func add(_ list: CutList) { cuts = (cuts.count + 1, cuts.first ?? list) }

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

  private mutating func checkObjects(_ lines: [UInt8]) throws(ContentError) {
    for record in TokenIndexedRecords(lines) {
      guard record.kind == .object else {
        throw .record(
          objectCount + 1,
          ModelError(keyPath: "", expected: "an object to set members in", found: record.kind.rawValue))
      }
      objectCount += 1
    }
  }

  private mutating func reshape(
    _ lines: [UInt8], _ tokenIndex: TokenIndex, leavingOut known: [Int]
  ) throws(ContentError) {
    var (offset, number, leftOut) = (0, 0, known[...])
    var cuts = (options.cutLists?.all(in: lines) ?? [])[...]
    reshaper?.begin()
    while offset < lines.count {
      recordCount += 1
      number += 1
      if leftOut.first == number - 1 {
        leftOut.removeFirst()
        offset = (lines[offset...].firstIndex(of: JSONByte.lineFeed) ?? lines.count - 1) + 1
        cuts = cuts.drop { $0.start < offset }
        continue
      }
      let start = offset
      if options.carriesSource { waiting.append(JSONByte.openArray) }
      let end = waiting.count
      do {
        // `+ 1` skips the line feed after the record.
        offset = try (reshaper?.append(recordAt: offset, of: lines, known: tokenIndex, to: &waiting) ?? lines.count) + 1
      } catch {
        throw .record(recordCount, error)
      }
      if let cut = cuts.first, cut.start == start {
        cuts.removeFirst()
        if CutLists.has(cut.list, JSONValue(validated: waiting[end...])) { add(cut.list) }
      }
      if options.carriesSource {
        waiting.append(JSONByte.comma)
        waiting += lines[start..<offset - 1]
        waiting.append(JSONByte.closeArray)
      }
      waiting.append(JSONByte.lineFeed)
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
