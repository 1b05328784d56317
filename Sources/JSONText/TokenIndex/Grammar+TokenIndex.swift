// Where the passes write down where the tokens of records stand: each those that it reads.

extension Grammar {
  /// How many brackets are open around the deepest tokens that are wanted of the current record.
  var deepestToken: Int { (recordDepth ?? 0) + min(tokenIndex?.depth ?? 0, depthLimit) }

  /// Writes down where the token stands that comes out next. A bracket is as deep as what is in it.
  mutating func note(_ cursor: Cursor) {
    guard keepsPlaces(cursor), depth <= deepestToken else { return }
    tokenIndex?.add(cursor.filled)
  }

  /// Lends the places to a walk, if it has to write some down: it has its own pointer to them.
  mutating func lendPunctuation(_ cursor: Cursor) -> TokenIndex? {
    guard keepsPlaces(cursor) else { return nil }
    var lent: TokenIndex?
    swap(&lent, &tokenIndex)
    return lent
  }

  mutating func giveBack(_ lent: inout TokenIndex?) {
    if lent != nil { swap(&lent, &tokenIndex) }
  }

  /// Whether places are wanted now. Beyond 4 GB none are kept: those of such a record are not known.
  private mutating func keepsPlaces(_ cursor: Cursor) -> Bool {
    guard tokenIndex != nil, recordDepth != nil else { return false }
    if cursor.filled + (cursor.end - cursor.index) <= UInt32.max { return true }
    tokenIndex?.remove(from: cursor.complete)
    return false
  }
}

/// Both at once, while they are out of whoever owns them.
func withUnsafeMutablePointers(
  to cursor: inout Cursor, _ tokenIndex: inout TokenIndex?,
  _ body: (UnsafeMutablePointer<Cursor>, UnsafeMutablePointer<TokenIndex>?) -> Void
) {
  withUnsafeMutablePointer(to: &cursor) { cursor in
    guard var places = tokenIndex else { return body(cursor, nil) }
    tokenIndex = nil
    withUnsafeMutablePointer(to: &places) { body(cursor, $0) }
    tokenIndex = places
  }
}
