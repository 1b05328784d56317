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

  /// Returns the last record, without reading the records before it.
  package static func last(of lines: [UInt8], _ tokenIndex: TokenIndex) -> JSONValue? {
    guard let end = lines.indices.last else { return nil }
    let start = lines[..<end].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    var records = TokenIndexedRecords(lines, tokenIndex)
    records.rest = lines[start...]
    records.number = tokenIndex.number(after: start)
    return records.next()
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
