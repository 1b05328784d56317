package import Files
import JSONText
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
/// It can't be copied: with a second reference to its data, a scanner would copy the data for each chunk.
struct BodyScanner: ~Copyable, Sendable {
  /// Scanner of one JSON text; unused for other formats.
  private var envelope: EnvelopeScanner
  private var lineScanner: LineScanner?
  private var csv: CSVScanner?
  private let isJSON: Bool

  /// - Parameter envelope: scanner of a body that is JSON.
  init(_ format: BodyFormat, _ envelope: EnvelopeScanner, tokenIndexDepth: Int) {
    self.envelope = envelope
    isJSON = format == .json
    lineScanner = format == .lines ? LineScanner(tokenIndexDepth: tokenIndexDepth) : nil
    csv = if case .csv(let dialect) = format { CSVScanner(dialect) } else { nil }
  }

  mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    if isJSON { return try envelope.append(chunk) }
    try lineScanner?.append(chunk)
    try csv?.append(chunk)
  }

  mutating func finish() throws(JSONError) {
    if isJSON { return try envelope.finish() }
    try lineScanner?.finish()
    try csv?.finish()
  }

  mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    if isJSON { return envelope.takeLines() }
    return lineScanner?.takeLines() ?? (csv?.takeRecords() ?? [], TokenIndex())
  }

  mutating func takeNames() -> [UInt8] { envelope.takeNames() }

  var recordCount: Int {
    if isJSON { return envelope.recordCount }
    return lineScanner?.recordCount ?? csv?.recordCount ?? 0
  }

  /// The header of CSV as a JSON array of texts; nil without one.
  var header: JSONValue? { csv?.header.map { JSONValue(validated: $0[...]) } }

  /// The members around the records; valid after `finish()`.
  var surroundings: BodySurroundings { isJSON ? BodySurroundings(envelope) : BodySurroundings() }
}

/// The members around the records of one JSON text that has ended, and the kind of the records.
///
/// A body of another format has only records.
struct BodySurroundings: Sendable {
  var finding = ContentFinding.found
  /// Nil for null, for missing content, and with a `*` in the path.
  var contentKind: JSONKind? = .array
  var captured: [JSONValue?] = []
  var blocked: [Int: (depth: Int, value: JSONValue)] = [:]
  var missingMembers: [Int: (depth: Int, names: [String])] = [:]
  var outline: [EnvelopeOutline.Member] = []
  var isList = true
  var nullCount = 0
  /// Number of elements or members at the content's first `*`.
  var elementCount = 0
  var lastElement: JSONValue?

  /// Creates the surroundings of a body that is no JSON text, or has not ended.
  init() {}

  init(_ envelope: borrowing EnvelopeScanner) {
    finding = envelope.finding
    contentKind = envelope.contentKind
    captured = envelope.captured
    blocked = envelope.blocked
    missingMembers = envelope.missingMembers
    outline = envelope.outline
    isList = envelope.isList
    nullCount = envelope.nullCount
    elementCount = envelope.elementCount
    lastElement = envelope.lastElement
  }
}
