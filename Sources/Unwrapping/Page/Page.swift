package import Files
package import JSONText
package import Wire

/// Page that is whole and valid, held until its records are written.
package struct Page: Sendable {
  package let body: PageBody
  /// High-water mark of the page's records, if one was wanted.
  package let highest: HighWaterMark
  /// The records as NDJSON; `next()` returns whole lines.
  package let lines: Spool

  /// Returns the next whole lines with their token index, as far as it was wanted and is known.
  package func nextLines() throws(FileError) -> HeldLines? {
    try lines.nextLines()
  }

  /// The answer in place of a page that says that the mark of the request is too old.
  package static func expired(_ finding: String) -> Page {
    Page(body: PageBody(recordCount: 0, expiry: finding), highest: HighWaterMark(), lines: Spool())
  }

  /// Page without content: status 204, or a response that only ends the stream.
  package static var empty: Page { Page(body: PageBody(recordCount: 0), highest: HighWaterMark(), lines: Spool()) }
}

// The pass over a body of any format: its records, and the members around them in one JSON text.

/// Scanner of one body.
///
/// An unwrapper, which can't be copied, is the only owner; so the class is safe to send, and its data are never copied. As
/// a part of the unwrapper's value, the scanners made the compiler check each of their fields at each use: 60 s of a debug
/// build.
final class BodyScanner: @unchecked Sendable {
  /// Scanner of one JSON text; unused for other formats.
  private var envelope: EnvelopeScanner
  private var lineScanner: LineScanner?
  private var sequence: SequenceScanner?
  private var csv: CSVScanner?
  private let isJSON: Bool
  private var decoder: TextDecoder
  /// The last byte of the text; nil for an empty one.
  private(set) var lastByte: UInt8?

  /// - Parameters:
  ///   - charset: the charset that the type of the body names.
  ///   - envelope: scanner of a body that is JSON.
  init(_ format: BodyFormat, charset: String?, _ envelope: EnvelopeScanner, tokenIndexDepth: Int) {
    self.envelope = envelope
    isJSON = format == .json
    decoder = TextDecoder(charset: charset, isJSON: format == .json)
    lineScanner = format == .lines ? LineScanner(tokenIndexDepth: tokenIndexDepth) : nil
    sequence = format == .sequence ? SequenceScanner(tokenIndexDepth: tokenIndexDepth) : nil
    csv = if case .csv(let dialect) = format { CSVScanner(dialect) } else { nil }
  }

  func append(_ chunk: [UInt8]) throws(JSONError) { try scan(try decoder.decode(chunk)) }

  private func scan(_ text: [UInt8]) throws(JSONError) {
    guard let last = text.last else { return }
    lastByte = last
    if isJSON { return try envelope.append(text) }
    try lineScanner?.append(text)
    try sequence?.append(text)
    try csv?.append(text)
  }

  func finish() throws(JSONError) {
    try scan(decoder.finish())
    if isJSON { return try envelope.finish() }
    // JSON shows by itself that it ends too early.
    let isInsideLetter = decoder.endsInsideLetter
    try lineScanner?.finish(isInsideLetter: isInsideLetter)
    try sequence?.finish(isInsideLetter: isInsideLetter)
    try csv?.finish(isInsideLetter: isInsideLetter)
  }

  func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    if isJSON { return envelope.takeLines() }
    return lineScanner?.takeLines() ?? sequence?.takeLines() ?? (csv?.takeRecords() ?? [], TokenIndex())
  }

  func takeNames() -> [UInt8] { envelope.takeNames() }

  var recordCount: Int {
    if isJSON { return envelope.recordCount }
    return lineScanner?.recordCount ?? sequence?.recordCount ?? csv?.recordCount ?? 0
  }

  /// The header of CSV as a JSON array of texts; nil without one.
  var header: JSONValue? { csv?.header.map { JSONValue(validated: $0[...]) } }

  /// What is known besides the records, which are all of a body of another format; valid after `finish()`.
  var metadata: EnvelopeMetadata { isJSON ? envelope.metadata : EnvelopeMetadata() }
}

// MARK: The handling of a job's bodies

/// The handling of the bodies of one stream, prepared once for all of its pages.
package struct UnwrapOptions: Sendable {
  /// Format of the body; only JSON has captures, names and an outline.
  package let format: BodyFormat
  /// The charset that the type of the body names, in lower case; nil for none.
  package var charset: String?
  /// The content, the captures for the page's facts, and the column names.
  let paths: WantedPaths
  /// Texts of the captures' paths for the page's metadata.
  let pathTexts: [String]
  /// Path of the column names, with a `*` over the columns, for records that are arrays.
  let columns: JSONPath?
  /// The column names themselves, if no body has them.
  let columnNames: JSONValue?
  /// Index of the capture that has the column names.
  let columnsIndex: Int
  /// Number of captures, from the first on, that are searched for `lacking`.
  package var watchedCount = 0
  /// The members that take the names of each entry, if a `*` of the content goes over a map: one for the last `*`, or one
  /// for each.
  package var keys: [String] = []
  /// The value with the column names on the stream's first page, or the header of its CSV, for a body that lacks it.
  package var firstPageColumns: JSONValue?
  /// True if a body without the content has no records; otherwise it is an error.
  package var isOptional = false
  /// Selects the records to keep; nil keeps all.
  package var filter: RecordFilter?
  /// Selects the lines that report an error (`failure` with `read: lines`); nil if none does.
  package var errorLines: RecordFilter?
  /// Rewrites each record; nil leaves records unchanged.
  package var reshaper: Reshaper?
  /// True if the page's `contentHash` will be used; otherwise it is 0.
  package var wantsHash = false
  /// Paths of wanted values in the last record; the empty path is the whole record.
  package var lastPaths: [JSONPath] = []
  /// True if each rewritten record comes with the record as it came: `[REWRITTEN,AS IT CAME]`.
  package var carriesSource = false
  /// True if every record must be an object, since members will be set in it.
  package var wantsObjects = false
  /// The handling of the records' marks, as the server sent them.
  package var mark: MarkReading?
  /// Depth to which the consumer reads the records (`Page.nextLines`).
  package var tokenIndexDepth = 0
  /// True if the members beside the records are wanted, to search them for signs of more.
  package var wantsOutline = false
  /// Finds records in which a list was cut; nil if they are not counted.
  package var cutLists: CutLists?
  /// True if only `page()` throws the error of a record, so that the rest of the body may give the reason.
  package var endsLate = false

  package init(
    format: BodyFormat = .json, content: JSONPath, captures: [JSONPath] = [], columns: JSONPath? = nil,
    columnNames: [String]? = nil
  ) {
    self.format = format
    self.columns = columns
    self.columnNames = columnNames.map { names in JSONValue(elements: names.map { JSONValue($0) }) }
    var all = captures
    let table = columns.map { ColumnRows.table(of: $0) }
    if let table, !captures.contains(table) { all.append(table) }
    columnsIndex = table.flatMap(all.firstIndex) ?? all.count
    pathTexts = captures.map(\.description)
    paths = WantedPaths(content: content, captures: all)
  }

  /// True if later pages can't be read before the first names have come.
  package var waitsForNames: Bool {
    if case .csv(let dialect) = format { return dialect.header == .firstPage && firstPageColumns == nil }
    return areNamesInRows && firstPageColumns == nil
  }

  /// True if the first row of the first page has the column names: `/values/0` in `/values`.
  var areNamesInRows: Bool {
    guard let columns else { return false }
    let table = ColumnRows.table(of: columns).steps
    return table.last?.index == 0 && Array(table.dropLast()) == paths.content.steps
  }

  /// Format of a page's body: if only the first page has a header, later pages have its names.
  var pageFormat: BodyFormat {
    guard case .csv(var dialect) = format, dialect.header == .firstPage, let firstPageColumns else { return format }
    dialect.header = .names(firstPageColumns.elements.compactMap(\.string))
    return .csv(dialect)
  }

  /// Depth of the wanted token index of the records; the consumer can't use the index if some records are left out.
  var outputIndexDepth: Int { mark?.leavesOut == true ? 0 : tokenIndexDepth }

  /// Depth to which any reader of the records needs their token index.
  ///
  /// The last record of some lines is scanned: an index of all of them costs more.
  var indexDepth: Int {
    let depth = keys.isEmpty ? max(reshaper?.depth ?? outputIndexDepth, filter?.depth ?? 0) : 0
    return max(depth, mark?.path.steps.count ?? 0)
  }
}

// MARK: Records in which a list was cut: the search in a page's lines

/// Finds records in which a list says that it was cut.
package struct CutLists: Sendable {
  private let search: NameSearch
  private let list: @Sendable (JSONValue) -> CutList?

  /// - Parameters:
  ///   - search: finds the records to look at.
  ///   - list: returns the first list of a record that was cut.
  package init(_ search: NameSearch, list: @escaping @Sendable (JSONValue) -> CutList?) {
    (self.search, self.list) = (search, list)
  }

  /// Returns the first such list of each record, with the offset of the record, in order.
  ///
  /// - Parameter lines: whole compact lines.
  func all(in lines: [UInt8]) -> [(start: Int, list: CutList)] {
    search.lines(of: lines).compactMap { line in
      list(JSONValue(validated: lines[line])).map { (line.lowerBound, $0) }
    }
  }

  /// Reports that a record still has the member with the list, after other members were left out.
  ///
  /// `keys` may have spelled its name otherwise.
  static func has(_ list: CutList, _ record: JSONValue) -> Bool {
    guard let name = list.path.first, record.kind == .object else { return true }
    return record.members.contains { plain($0.name) == plain(name) }
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
