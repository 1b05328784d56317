// Records one at a time, with what is known of their tokens: for templates, joins, and whoever else looks for a few members.

/// A record, and the lines that it is one of, with what is known of where their tokens stand.
package struct PunctuatedRecord: Sendable {
  package let value: JSONValue
  private let punctuation: Punctuation
  /// The number of the first bracket; nil where it is not known.
  private let opening: Int?
  private let lines: [UInt8]

  fileprivate init(_ value: JSONValue, of lines: [UInt8], _ punctuation: Punctuation, opening: Int?) {
    self.value = value
    self.lines = lines
    self.punctuation = punctuation
    self.opening = opening
  }

  /// A record of which nothing more is known.
  package init(_ value: JSONValue) {
    self.init(value, of: [], Punctuation(), opening: nil)
  }

  /// The value at the end of the path, or nil where a step is missing.
  package subscript(path: JSONPath) -> JSONValue? {
    guard let opening, !path.steps.isEmpty, path.steps.count <= punctuation.depth else { return value[path] }
    return punctuation.value(at: path, inRecord: opening, of: lines).map { JSONValue(validated: lines[$0]) }
  }
}

/// The records of lines.
package struct PunctuatedRecords: Sequence, IteratorProtocol, Sendable {
  private let lines: [UInt8]
  private let punctuation: Punctuation
  /// The number from which on the next record's tokens are looked for.
  private var number = 0
  /// Where the next record begins.
  package var place = 0

  package init(_ lines: [UInt8], _ punctuation: Punctuation) {
    self.lines = lines
    self.punctuation = punctuation
  }

  package mutating func next() -> PunctuatedRecord? {
    guard let end = lines[place...].firstLineFeed else { return nil }
    defer { place = end + 1 }
    return PunctuatedRecord(
      JSONValue(validated: lines[place..<end]), of: lines, punctuation,
      opening: punctuation.opening(ofRecordAt: place, in: lines, from: &number))
  }
}
