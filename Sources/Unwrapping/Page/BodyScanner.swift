// The pass over a body, whatever its format: its records, and for one JSON text also what stands around them.

import JSONText

/// Scanner of one body.
struct BodyScanner: Sendable {
  // Not an enum: a payload would be copied for each chunk.
  private var envelope: EnvelopeScanner?
  private var lineScanner: LineScanner?
  private var csv: CSVScanner?

  /// Creates the scanner of one JSON text.
  init(_ envelope: EnvelopeScanner) {
    self.envelope = envelope
  }

  /// Creates the scanner of a body whose lines are its records; nil for JSON.
  init?(_ format: BodyFormat, tokenIndexDepth: Int) {
    switch format {
    case .json: return nil
    case .lines: lineScanner = LineScanner(tokenIndexDepth: tokenIndexDepth)
    case .csv(let dialect): csv = CSVScanner(dialect)
    }
  }

  mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    try envelope?.append(chunk)
    try lineScanner?.append(chunk)
    try csv?.append(chunk)
  }

  mutating func finish() throws(JSONError) {
    try envelope?.finish()
    try lineScanner?.finish()
    try csv?.finish()
  }

  mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    if envelope != nil { return envelope?.takeLines() ?? ([], TokenIndex()) }
    return lineScanner?.takeLines() ?? (csv?.takeRecords() ?? [], TokenIndex())
  }

  mutating func takeNames() -> [UInt8] { envelope?.takeNames() ?? [] }

  var recordCount: Int { envelope?.recordCount ?? lineScanner?.recordCount ?? csv?.recordCount ?? 0 }

  // MARK: What is around the records

  var finding: ContentFinding { envelope?.finding ?? .found }
  var contentKind: JSONKind? { envelope == nil ? .array : envelope?.contentKind }
  var captured: [JSONValue?] { envelope?.captured ?? [] }
  var bars: [Int: (depth: Int, value: JSONValue)] { envelope?.bars ?? [:] }
  var lacks: [Int: (depth: Int, names: [String])] { envelope?.lacks ?? [:] }
  var outline: [EnvelopeOutline.Member] { envelope?.outline ?? [] }
  var connectionCount: Int { envelope?.connectionCount ?? 0 }
  var isList: Bool { envelope?.isList ?? true }
  var nullCount: Int { envelope?.nullCount ?? 0 }
  var lastElement: JSONValue? { envelope?.lastElement }
}
