// NDJSON in, validated and compacted records out, as the bytes arrive.

/// Reads NDJSON: one value a line, LF or CR LF, the last line perhaps without; empty (or blank) lines and one byte
/// order mark at the start are skipped. A line feed inside a value is an error that says so.
package struct LineScanner: Sendable {
  /// - Parameter lineLimit: the longest line that is accepted, in bytes; a longer one is `tooLong`.
  package init(lineLimit: Int = .max, depthLimit: Int = 1_024) {
    fatalError("unimplemented")
  }

  /// Takes the next bytes; complete lines are in `takeRecords()` afterwards (also those before a fault).
  package mutating func append(_ chunk: [UInt8]) throws(JSONFault) {
    fatalError("unimplemented")
  }

  /// Ends the input; a last line without LF is complete now.
  package mutating func finish() throws(JSONFault) {
    fatalError("unimplemented")
  }

  /// The records that are complete and were not taken yet, each compacted and followed by LF.
  package mutating func takeRecords() -> [UInt8] {
    fatalError("unimplemented")
  }

  /// Records that came out so far.
  package var recordCount: Int { fatalError("unimplemented") }
}
