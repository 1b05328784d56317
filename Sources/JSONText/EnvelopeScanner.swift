// Bytes of an envelope in, the records under one key out: one incremental, validating pass.

/// How the search for the content ended.
package enum ContentFinding: Equatable, Sendable {
  /// It is an array, object or scalar: its records came out.
  case found
  /// It is `null`: no records.
  case null
  /// A step of the way is not there. `depth` is the index of the first step that failed. `available` lists the names
  /// of the members where it failed (at most 20, in order), or is empty with `kind` telling what stood there instead
  /// of an object or array.
  case missing(depth: Int, available: [String], kind: JSONKind)
}

/// The kinds of JSON value.
package enum JSONKind: String, Sendable, Hashable {
  case object, array, string, number, boolean, null
}

/// Cuts records out of one JSON text as its bytes arrive, and validates all of it (RFC 8259, UTF-8, depth).
///
/// A record is the server's own bytes without insignificant white space, followed by one LF. Content that is an array
/// gives one record an element; an object or scalar gives one; `null` gives none. One byte order mark at the start is
/// skipped. A value of its own size is the most that is held.
package struct EnvelopeScanner: Sendable {
  private var intake: Intake<EnvelopeReader>

  /// - Parameters:
  ///   - content: where the content sits; the empty path is the whole text.
  ///   - captures: values that are wanted besides, anywhere in the text (also inside the content). Of duplicate members
  ///     the last counts.
  ///   - depthLimit: the deepest nesting that is accepted.
  package init(content: JSONPath, captures: [JSONPath] = [], depthLimit: Int = 1_024) {
    intake = Intake(EnvelopeReader(content: content, captures: captures, depthLimit: depthLimit))
  }

  /// Takes the next bytes. Whole records are in `takeRecords()` afterwards.
  package mutating func append(_ chunk: [UInt8]) throws(JSONFault) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONFault) in try intake.append(bytes) }
  }

  /// Takes the next bytes, which are only borrowed.
  package mutating func append(_ chunk: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
    try intake.append(chunk)
  }

  /// Ends the text: throws when it is not whole. Records that were complete before a fault can still be taken.
  package mutating func finish() throws(JSONFault) {
    try intake.finish()
  }

  /// The records that are complete and were not taken yet: whole NDJSON lines, possibly none.
  package mutating func takeRecords() -> [UInt8] {
    intake.takeRecords()
  }

  /// Records that came out so far.
  package var recordCount: Int { intake.reader.recordCount }
  /// Valid after `finish()`.
  package var finding: ContentFinding { intake.reader.finding }
  /// Valid after `finish()`: for each of `captures` its value, compacted, or nil where there is none.
  package var captured: [JSONValue?] { intake.reader.captured }

  /// Makes the scanner ready for another text with the same content and captures; keeps its buffers.
  package mutating func reset() {
    intake.reset()
    intake.reader.reset()
  }
}
