// One record with its token index: the reshaping steps go from token to token.

import JSONText

/// Record among others, or alone in its text.
struct TokenedRecord {
  let text: [UInt8]
  let start: Int
  /// Token index, as deep as its user needs; a record that is no object or array has no tokens in it.
  let tokenIndex: TokenIndex
  /// Token number of the record's first bracket.
  let opening: Int

  func place(_ number: Int) -> Int { tokenIndex.place(number, in: text) }
}
