/// Where the tokens of a record stand in the lines that it is one of.
struct RecordTokens: Sendable {
  private let shared: SharedPunctuation
  /// The number of the first bracket.
  private let opening: Int

  init(_ shared: SharedPunctuation, opening: Int) {
    self.shared = shared
    self.opening = opening
  }

  /// Whether tokens are known as deep as a path leads.
  func know(_ path: JSONPath) -> Bool { !path.steps.isEmpty && path.steps.count <= shared.tokenIndex.depth }

  /// - Parameter record: the record itself, a part of its lines. So are the ranges that come out.
  func value(at path: JSONPath, in record: ArraySlice<UInt8>) -> Range<Int>? {
    shared.tokenIndex.withText(record) { $0.value(at: path.steps[...], in: opening) }.map { record.startIndex + $0 }
  }

  /// The values of the first and the last member of that name.
  func find(_ name: String, in record: ArraySlice<UInt8>) -> (first: Range<Int>, last: Range<Int>)? {
    shared.tokenIndex.withText(record) { $0.find(name, in: opening) }
      .map { (record.startIndex + $0.first.value, record.startIndex + $0.last.value) }
  }
}
