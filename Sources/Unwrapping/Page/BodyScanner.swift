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

  /// The members around the records; valid after `finish()`.
  ///
  /// It is read once a body, since each look into an optional scanner copies the scanner.
  var surroundings: BodySurroundings { envelope.map { BodySurroundings($0) } ?? BodySurroundings() }
}
