// One record, with the places of its tokens: what reshapes it goes from token to token.

import JSONText

/// A record among others, or alone in its text.
struct TokenedRecord {
  let text: [UInt8]
  let start: Int
  /// Deep enough for who gets it. A record that is no object or array has none.
  let tokenIndex: TokenIndex
  /// The number of its first bracket.
  let opening: Int

  func place(_ number: Int) -> Int { tokenIndex.place(number, in: text) }
}
