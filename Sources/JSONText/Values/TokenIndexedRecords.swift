// Records one at a time, with their tokens if known: templates, joins, and other users of a few members need no second
// scan.

/// Token index of lines, shared by the records of these lines.
final class SharedTokenIndex: Sendable {
  let tokenIndex: TokenIndex

  init(_ tokenIndex: TokenIndex) {
    self.tokenIndex = tokenIndex
  }
}

/// Records of lines, which share their storage.
package struct TokenIndexedRecords: Sequence, IteratorProtocol, Sendable {
  /// Lines that were not returned yet.
  package var rest: ArraySlice<UInt8>
  private let shared: SharedTokenIndex?
  /// Token number from which the next record is searched.
  private var number = 0

  package init(_ lines: [UInt8], _ tokenIndex: TokenIndex = TokenIndex()) {
    rest = lines[...]
    shared = tokenIndex.isEmpty ? nil : SharedTokenIndex(tokenIndex)
  }

  package mutating func next() -> JSONValue? {
    guard let end = rest.firstLineFeed else { return nil }
    defer { rest = rest[(end + 1)...] }
    return JSONValue(validated: rest[..<end], tokens: tokens(ofRecordAt: rest.startIndex))
  }

  private mutating func tokens(ofRecordAt start: Int) -> RecordTokens? {
    guard let shared else { return nil }
    return shared.tokenIndex.opening(ofRecordAt: start, from: &number).map { RecordTokens(shared, opening: $0) }
  }
}

func + (start: Int, range: Range<Int>) -> Range<Int> {
  start + range.lowerBound..<start + range.upperBound
}

/// Tokens of one record in the token index of its lines.
struct RecordTokens: Sendable {
  private let shared: SharedTokenIndex
  /// Token number of the first bracket.
  private let opening: Int

  init(_ shared: SharedTokenIndex, opening: Int) {
    self.shared = shared
    self.opening = opening
  }

  /// True if the index is as deep as the path.
  func know(_ path: JSONPath) -> Bool { !path.steps.isEmpty && path.steps.count <= shared.tokenIndex.depth }

  /// Returns the range of the value at the path.
  ///
  /// - Parameter record: the record, a slice of its lines; the result is a range of the slice.
  func value(at path: JSONPath, in record: ArraySlice<UInt8>) -> Range<Int>? {
    shared.tokenIndex.withText(record) { $0.value(at: path.steps[...], in: opening) }.map { record.startIndex + $0 }
  }

  /// Returns the values of the first and the last member of that name.
  func find(_ name: String, in record: ArraySlice<UInt8>) -> (first: Range<Int>, last: Range<Int>)? {
    shared.tokenIndex.withText(record) { $0.find(name, in: opening) }
      .map { (record.startIndex + $0.first.value, record.startIndex + $0.last.value) }
  }
}
