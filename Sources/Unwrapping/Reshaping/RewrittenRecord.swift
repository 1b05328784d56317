import JSONText

/// What becomes of a record on the way to another step, with the places of its tokens there, if there is another step.
struct RewrittenRecord {
  private(set) var text: [UInt8] = []
  private var tokenIndex = TokenIndex()
  /// Whether somebody will look for the tokens.
  private let isRead: Bool

  init(isRead: Bool) {
    self.isRead = isRead
  }

  mutating func begin() {
    text.removeAll(keepingCapacity: true)
    tokenIndex.begin(at: 0)
  }

  /// Adds a part of a record, with the tokens in it.
  mutating func add(_ part: Range<Int>, _ tokens: Range<Int>, of record: TokenedRecord) {
    if isRead {
      tokenIndex.add(tokens, of: record.tokenIndex, movedBy: text.count - part.lowerBound, in: record.text)
    }
    text.append(part, of: record.text)
  }

  /// Adds bytes that have no tokens.
  mutating func add(_ bytes: [UInt8]) {
    text += bytes
  }

  var record: TokenedRecord { TokenedRecord(text: text, start: 0, tokenIndex: tokenIndex, opening: 0) }
}
