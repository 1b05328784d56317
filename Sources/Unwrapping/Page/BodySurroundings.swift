import JSONText

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
