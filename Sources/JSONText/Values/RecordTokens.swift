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
