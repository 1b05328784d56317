// One record while it is copied with changes: every pass of `Reshaper` goes from token to token, and writes such a copy.

import JSONText

/// Bytes that delimit values in compact JSON.
enum JSONByte {
  static let lineFeed = UInt8(ascii: "\n")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let openObject = UInt8(ascii: "{")
  static let closeObject = UInt8(ascii: "}")
  static let openArray = UInt8(ascii: "[")
  static let closeArray = UInt8(ascii: "]")

  static func opens(_ byte: UInt8) -> Bool { byte == openObject || byte == openArray }
}

/// Record among others, or alone in its text, with its token index.
struct TokenedRecord {
  let text: [UInt8]
  let start: Int
  /// Token index, as deep as its user needs; a record that is no object or array has no tokens in it.
  let tokenIndex: TokenIndex
  /// Token number of the record's first bracket.
  let opening: Int

  var isObject: Bool { text[start] == JSONByte.openObject }

  func offset(_ number: Int) -> Int { tokenIndex.offset(number, in: text) }

  /// Number of the token after the record.
  var nextToken: Int {
    JSONByte.opens(text[start]) ? tokenIndex.end(ofValueBehind: opening - 1, in: text) : opening
  }

  /// Returns the step to a member, as key path text.
  func step(to member: TokenIndexedMember) -> String {
    KeyPathText.member(JSONValue(validated: text[member.name]).string ?? "")
  }
}

/// Copy of a record in which parts are left out or replaced, with a token index if another pass reads the copy.
struct RecordCopy {
  var text: [UInt8] = []
  private var tokenIndex = TokenIndex()
  /// True if another pass reads the copy; otherwise copies are appended to each other.
  private let isRead: Bool
  /// End of what was copied or replaced, and the number of the first token there or after it.
  private var (offset, token) = (0, 0)

  init(isRead: Bool) {
    self.isRead = isRead
  }

  /// The copy, once it is complete.
  var record: TokenedRecord { TokenedRecord(text: text, start: 0, tokenIndex: tokenIndex, opening: 0) }

  /// Starts the copy of a record.
  mutating func begin(_ record: TokenedRecord) {
    if isRead {
      text.removeAll(keepingCapacity: true)
      tokenIndex.begin(at: 0)
    }
    (offset, token) = (record.start, record.opening)
  }

  /// Copies a record up to a part, and writes other bytes, which have no tokens, in place of the part.
  ///
  /// - Parameter tokens: numbers of the tokens in the part.
  mutating func replace(_ part: Range<Int>, _ tokens: Range<Int>, of record: TokenedRecord, by bytes: [UInt8] = []) {
    if part.isEmpty { return }
    copy(to: part.lowerBound, tokens.lowerBound, of: record)
    text += bytes
    (offset, token) = (part.upperBound, tokens.upperBound)
  }

  /// Copies the rest of a record, and returns the offset after the record.
  ///
  /// - Parameter closing: number of the record's last bracket, if it is known.
  mutating func finish(_ record: TokenedRecord, closedBy closing: Int? = nil) -> Int {
    let end = closing.map { record.offset($0) + 1 } ?? record.text.endOfValue(at: record.start)
    copy(to: end, closing.map { $0 + 1 } ?? record.nextToken, of: record)
    return end
  }

  private mutating func copy(to end: Int, _ lastToken: Int, of record: TokenedRecord) {
    if isRead {
      tokenIndex.add(token..<lastToken, of: record.tokenIndex, movedBy: text.count - offset, in: record.text)
    }
    text.append(offset..<end, of: record.text)
  }
}
