import JSONText

/// Record between two rewriting steps, with its token index if the next step needs one.
struct RewrittenRecord {
  private(set) var text: [UInt8] = []
  private var tokenIndex = TokenIndex()
  /// True if the next step reads the tokens.
  private let isRead: Bool

  init(isRead: Bool) {
    self.isRead = isRead
  }

  mutating func begin() {
    text.removeAll(keepingCapacity: true)
    tokenIndex.begin(at: 0)
  }

  /// Appends a part of a record, with its tokens.
  mutating func add(_ part: Range<Int>, _ tokens: Range<Int>, of record: TokenedRecord) {
    if isRead {
      tokenIndex.add(tokens, of: record.tokenIndex, movedBy: text.count - part.lowerBound, in: record.text)
    }
    text.append(part, of: record.text)
  }

  /// Appends bytes that have no tokens.
  mutating func add(_ bytes: [UInt8]) {
    text += bytes
  }

  var record: TokenedRecord { TokenedRecord(text: text, start: 0, tokenIndex: tokenIndex, opening: 0) }
}
