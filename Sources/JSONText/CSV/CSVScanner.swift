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
  package mutating func finish() throws(JSONError) {
    try intake.finish()
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
