// CSV in (RFC 4180), validated; records out as compact NDJSON, as the bytes arrive.

/// Reads CSV: fields are texts, lines end with CR LF or LF, the last one with or without it.
///
/// A record is an object by the names of the header, or an array. Quoted fields may have delimiters, line ends and doubled
/// quotes. Each line has as many fields as the first. Empty lines may stand at the end, unless lines have one field, which
/// is then empty. One byte order mark at the start is skipped.
package struct CSVScanner: Sendable {
  private var intake: ChunkedScanner<CSVReader>

  package init(_ dialect: CSVDialect = CSVDialect()) {
    intake = ChunkedScanner(CSVReader(dialect))
  }

  /// Takes the next bytes; `takeRecords()` then returns the complete records, also those before an error.
  package mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONError) in try intake.append(bytes) }
  }

  /// Ends the text; a last line without a line end is complete now.
  ///
  /// - Parameter isInsideLetter: true if half of a letter in another encoding was left.
  package mutating func finish(isInsideLetter: Bool = false) throws(JSONError) {
    try intake.finish(isInsideLetter: isInsideLetter)
  }

  /// Returns the records that are complete and were not taken yet, each compact and followed by LF.
  package mutating func takeRecords() -> [UInt8] {
    intake.reader.output.take()
  }

  /// The header as a JSON array of texts; nil before it was read, and without one.
  package var header: [UInt8]? { intake.reader.header }

  /// Number of records so far.
  package var recordCount: Int { intake.reader.output.recordCount }
}

// Reads CSV field by field. Sixteen bytes at once are copied and searched for one that can't stand in a JSON string, or
// that ends the field.

/// Reader for the bytes of a `CSVScanner`.
struct CSVReader: ChunkReader {
  private enum State {
    case fieldStart, plain, quoted
    /// After a quote in a quoted field: the closing one, or the first of two.
    case quote
    case carriageReturn
  }

  /// Most bytes that one byte of the text can become, besides those before its field: `\u0001`, or the end of a record.
  private static let growth = 9
  /// Room for the output of one piece of a chunk.
  private static let room = 1 << 20
  /// Most bytes of a header, which is held.
  private static let longestHeader = 4 << 20

  private let delimiter: UInt8
  private let hasQuotes: Bool
  private var names = CSVNames.none
  /// The header as a JSON array of texts; nil before it was read, and without one.
  private(set) var header: [UInt8]?
  /// Number of fields of each line, once the first one has ended.
  private var fieldCount = Int.max
  /// True if the current line is the header.
  private var isHeader: Bool
  /// Bytes of the pieces that have begun in the header.
  private var headerSize = 0
  private var state = State.fieldStart
  /// Number of fields of the current line that have begun.
  private var field = 0
  /// True if a name of the header is quoted.
  private var hasQuotedName = false
  /// The character that seems to delimit the names of a header that is one field; nil for none.
  private var likelyDelimiter: UInt8?
  /// True if the first record may show that the likely delimiter is the delimiter.
  private var isDoubtful = false
  /// True if the text so far is one line that looks like a sentence.
  private var isSentence = false
  /// True if an empty line was skipped.
  private var hasEmptyLine = false
  /// Non-ASCII scalar that is being read.
  private var sequence: UTF8Sequence?
  var output = CSVOutput()

  init(_ dialect: CSVDialect) {
    (delimiter, hasQuotes) = (dialect.delimiter, dialect.hasQuotes)
    isHeader = dialect.header == .firstLine || dialect.header == .firstPage
    guard case .names(let given) = dialect.header else { return }
    names = CSVNames(names: given.map { Array(JSONValue($0).bytes) })
    fieldCount = given.count
  }

  mutating func read(_ cursor: inout Cursor) throws(SyntaxError) {
    cursor.isPlain = false
    var piece = CSVCursor(input: cursor.input, index: 0, end: 0)
    while piece.index < cursor.end {
      let most = names.longest + Self.growth
      piece.end = min(cursor.end, piece.index + max(1, Self.room / most))
      if isHeader {
        headerSize += piece.end - piece.index
        guard headerSize <= Self.longestHeader else {
          throw flaw(.headerTooLong(limit: Self.longestHeader), at: piece.index)
        }
      }
      try write(atMost: (piece.end - piece.index) * most) { (reader, writer) throws(SyntaxError) in
        try reader.readFields(&piece, &writer)
      }
    }
  }

  mutating func finish() throws(SyntaxError) -> (isWhole: Bool, endsRecord: Bool) {
    guard sequence == nil else { throw SyntaxError(reason: .endInsideLetter, offset: 0) }
    guard state != .quoted else { throw flaw(.cut, at: 0) }
    guard state != .carriageReturn else { throw flaw(.carriageReturn, at: 0) }
    if state == .fieldStart, field == 0 {
      if isSentence { throw flaw(.sentence, at: 0) }
      return (true, false)
    }
    let wasHeader = isHeader
    if isHeader, field == 1, state == .plain { throw flaw(.noHeader, at: 0) }
    try write(atMost: names.longest + Self.growth) { (reader, writer) throws(SyntaxError) in
      if reader.state == .fieldStart { try reader.beginField(at: 0, &writer) }
      try reader.endLine(at: 0, &writer)
    }
    if wasHeader, isSentence { throw flaw(.sentence, at: 0) }
    return (true, false)
  }

  /// Makes room, and lets `body` write into it.
  private mutating func write(
    atMost count: Int, _ body: (inout CSVReader, inout CSVWriter) throws(SyntaxError) -> Void
  ) throws(SyntaxError) {
    // The output leaves `self` for the time of the call, so that it can be written while the reader changes.
    var output = CSVOutput()
    swap(&output, &self.output)
    defer { swap(&output, &self.output) }
    try output.write(atMost: count) { (writer) throws(SyntaxError) in try body(&self, &writer) }
  }

  private func flaw(_ flaw: CSVError, at index: Int) -> SyntaxError {
    SyntaxError(reason: .csv(flaw), offset: index)
  }
}

// MARK: Fields

extension CSVReader {
  /// Reads a piece up to its end, or up to the end of the header.
  private mutating func readFields(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) {
    let wasHeader = isHeader
    while piece.index < piece.end, isHeader == wasHeader {
      switch state {
      case .fieldStart: try readStart(&piece, &writer)
      case .plain: try readPlain(&piece, &writer)
      case .quoted: try readQuoted(&piece, &writer)
      case .quote:
        if piece.byte == 0x22 {
          writer.putEscape(of: 0x22)
          state = .quoted
          piece.index &+= 1
        } else if !(try endField(&piece, &writer)) {
          throw flaw(.textAfterQuote, at: piece.index)
        }
      case .carriageReturn:
        guard piece.byte == 0x0A else { throw flaw(.carriageReturn, at: piece.index) }
        state = .fieldStart
        if field > 0 { try endLine(at: piece.index, &writer) }
        piece.index &+= 1
      }
    }
  }

  @inline(__always)
  private mutating func readStart(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) {
    let byte = piece.byte
    if field == 0, byte == 0x0A || byte == 0x0D, fieldCount != 1 {
      hasEmptyLine = true
      if byte == 0x0D { state = .carriageReturn }
      piece.index &+= 1
      return
    }
    try beginField(at: piece.index, &writer)
    state = .plain
    guard byte == 0x22, hasQuotes else { return }
    if isHeader { hasQuotedName = true }
    state = .quoted
    piece.index &+= 1
  }

  @inline(__always)
  private mutating func readPlain(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) {
    if sequence == nil {
      piece.copyPlain(to: &writer.bytes, delimiter: delimiter)
      guard piece.index < piece.end else { return }
      if try endField(&piece, &writer) { return }
      guard piece.byte != 0x22 || !hasQuotes else {
        let other = isHeader ? otherFormat(writer) : nil
        throw flaw(other ?? otherDelimiter(beforeQuoteIn: writer) ?? .quoteInField, at: piece.index)
      }
    }
    try readSpecial(&piece, &writer)
  }

  @inline(__always)
  private mutating func readQuoted(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) {
    if sequence == nil {
      piece.copyPlain(to: &writer.bytes, delimiter: nil)
      guard piece.index < piece.end else { return }
      if piece.byte == 0x22 {
        state = .quote
        piece.index &+= 1
        return
      }
    }
    try readSpecial(&piece, &writer)
  }

  @inline(__always)
  private mutating func beginField(at index: Int, _ writer: inout CSVWriter) throws(SyntaxError) {
    guard field < fieldCount else {
      throw flaw(likelyDelimiter.map { .otherDelimiter($0) } ?? .tooManyFields(expected: fieldCount), at: index)
    }
    guard !hasEmptyLine else { throw flaw(.emptyLine, at: index) }
    names.put(before: field, &writer.bytes)
    field &+= 1
  }

  /// Ends the field, or the line, if this byte ends it.
  @inline(__always)
  private mutating func endField(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) -> Bool {
    let byte = piece.byte
    if byte == delimiter {
      state = .fieldStart
    } else if byte == 0x0A {
      try endLine(at: piece.index, &writer)
    } else if byte == 0x0D {
      state = .carriageReturn
    } else {
      return false
    }
    piece.index &+= 1
    return true
  }

  private mutating func endLine(at index: Int, _ writer: inout CSVWriter) throws(SyntaxError) {
    guard field == fieldCount || fieldCount == .max else {
      throw flaw(.tooFewFields(found: field, expected: fieldCount), at: index)
    }
    writer.bytes.put(0x22)
    writer.bytes.put(names.end)
    if isDoubtful { try decideDoubt(at: index, writer) }
    if isHeader { try takeNames(at: index, &writer) } else { writer.endLine() }
    (isHeader, state, fieldCount, field) = (false, .fieldStart, field, 0)
  }

  /// Reads a byte that must be escaped, or those of scalars beyond ASCII.
  private mutating func readSpecial(_ piece: inout CSVCursor, _ writer: inout CSVWriter) throws(SyntaxError) {
    if sequence == nil, piece.byte < 0x80 {
      writer.putEscape(of: piece.byte)
      piece.index &+= 1
      return
    }
    var lead = piece.index - (sequence?.read ?? 0)
    while piece.index < piece.end {
      let byte = piece.byte
      if sequence == nil {
        guard byte >= 0x80 else { return }
        lead = piece.index
        sequence = UTF8Sequence(lead: byte)
        guard sequence != nil else { throw flaw(.notUTF8, at: lead) }
      } else if sequence?.accepts(byte) != true {
        throw flaw(.notUTF8, at: lead)
      }
      if sequence?.isWhole == true { sequence = nil }
      writer.bytes.put(byte)
      piece.index &+= 1
    }
  }
}

// MARK: Header

extension CSVReader {
  /// Takes the names of the header, which was written as an array of strings.
  private mutating func takeNames(at index: Int, _ writer: inout CSVWriter) throws(SyntaxError) {
    if let other = otherFormat(writer) { throw flaw(other, at: index) }
    let given = JSONValue(validated: Array(writer.line)[...]).elements.map { Array($0.bytes) }
    if given.count == 1, !hasQuotedName {
      likelyDelimiter = Self.delimiters.first { $0 != delimiter && Self.count(of: $0, in: given[0]) > 0 }
      isDoubtful = likelyDelimiter != nil
    }
    var seen: [[UInt8]: Int] = [:]
    for (number, name) in given.enumerated() {
      guard let first = seen.updateValue(number, forKey: name) else { continue }
      throw flaw(.duplicateName(first: first + 1, second: number + 1), at: index)
    }
    names = CSVNames(names: given)
    header = Array("[".utf8) + Array(given.joined(separator: ",".utf8)) + Array("]".utf8)
    isSentence = !hasQuotedName && Self.isSentence(given)
    writer.removeLine()
  }

  /// Reports that a header may be a message: one name of several words, or one that begins like `Error: …`.
  private static func isSentence(_ names: [[UInt8]]) -> Bool {
    let first = String(decoding: names[0], as: UTF8.self)
    return names.count == 1 && first.contains(" ") || first.contains(": ")
  }

  private static let delimiters = [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

  /// Returns how often a delimiter is in JSON text, where a tab is an escape.
  private static func count(of delimiter: UInt8, in text: some Sequence<UInt8>) -> Int {
    let spelling = delimiter == UInt8(ascii: "\t") ? "\\t" : String(UnicodeScalar(delimiter))
    return String(decoding: Array(text), as: UTF8.self).ranges(of: spelling).count
  }

  /// Throws if the first record, too, is one field that contains the likely delimiter.
  private mutating func decideDoubt(at index: Int, _ writer: CSVWriter) throws(SyntaxError) {
    isDoubtful = false
    guard let likely = likelyDelimiter,
      Self.count(of: likely, in: writer.line) > Self.count(of: likely, in: names.first)
    else { return }
    throw flaw(.otherDelimiter(likely), at: index)
  }

  /// Returns an error if a quote follows another delimiter: `id;"name"`.
  private func otherDelimiter(beforeQuoteIn writer: CSVWriter) -> CSVError? {
    guard field <= 1, isHeader || isDoubtful else { return nil }
    let line = String(decoding: Array(writer.line), as: UTF8.self)
    let found = Self.delimiters.first { $0 != delimiter && line.hasSuffix($0 == 9 ? "\\t" : String(UnicodeScalar($0))) }
    return found.map { .otherDelimiter($0) }
  }

  /// Returns an error if the header begins like another format.
  private func otherFormat(_ writer: CSVWriter) -> CSVError? {
    let word = String(decoding: writer.line.dropFirst(2).prefix(16), as: UTF8.self).lowercased()
    if word.hasPrefix("{") || word.hasPrefix("[{") { return .json }
    let isMarkup = ["<!", "<html", "<?xml"].contains { word.hasPrefix($0) }
    return isMarkup ? .markup : nil
  }
}

/// Piece of a chunk that is being read.
struct CSVCursor {
  let input: UnsafePointer<UInt8>
  var index: Int
  var end: Int

  var byte: UInt8 { @inline(__always) get { input[index] } }

  /// Copies bytes up to one that is special in a JSON string, or is the delimiter, or up to the end.
  ///
  /// - Parameter delimiter: nil in quotes.
  @inline(__always)
  mutating func copyPlain(to writer: inout UncheckedWriter, delimiter: UInt8?) {
    while index &+ SIMDScan.stride <= end {
      let block = SIMDScan.block(input + index)
      SIMDScan.store(block, writer.position)
      var stops = SIMDScan.special(block)
      if let delimiter { stops = stops .| (block .== Block(repeating: delimiter)) }
      let lane = stops.firstLane
      index &+= lane
      writer.position += lane
      if lane < SIMDScan.stride { return }
    }
    while index < end {
      let byte = input[index]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C || byte == delimiter { return }
      writer.put(byte)
      index &+= 1
    }
  }
}

// MARK: The format of a body: the text that contains its records

/// The format of a body.
package enum BodyFormat: Hashable, Sendable {
  /// One JSON text.
  case json
  /// NDJSON: each line is a record.
  case lines
  /// JSON texts one after the other, each a record.
  case sequence
  case csv(CSVDialect)

  /// True if a body has only records, each a JSON text.
  package var isOfTexts: Bool { self == .lines || self == .sequence }

  /// Name of a format whose body has only records, for messages.
  package var name: String {
    switch self {
    case .json: "JSON"
    case .lines: "NDJSON"
    case .sequence: "a sequence"
    case .csv: "CSV"
    }
  }
}

/// The choices that RFC 4180 leaves open: the delimiter, and the source of the fields' names.
package struct CSVDialect: Hashable, Sendable {
  package enum Header: Hashable, Sendable {
    /// The first line of each body has the names.
    case firstLine
    /// The first line of the first page's body has the names; later pages have none.
    case firstPage
    /// The names of a body that has none.
    case names([String])
    /// There are no names: records are arrays.
    case none
  }

  /// One ASCII character, other than a quote and a line end.
  package var delimiter: UInt8
  package var header: Header
  /// False if a quote is a character like any other.
  package var hasQuotes: Bool

  package init(delimiter: UInt8 = UInt8(ascii: ","), header: Header = .firstLine, hasQuotes: Bool = true) {
    self.delimiter = delimiter
    self.header = header
    self.hasQuotes = hasQuotes
  }
}
