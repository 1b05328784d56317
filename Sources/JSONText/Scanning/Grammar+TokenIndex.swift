// Each pass adds the tokens that it reads to the token index of the records.

extension Grammar {
  /// Number of brackets open around the deepest tokens that are wanted of the current record.
  var deepestToken: Int { (recordDepth ?? 0) + min(tokenIndex?.depth ?? 0, depthLimit) }

  /// Adds the output offset of the next token to the token index; a bracket has the depth of its content.
  mutating func note(_ cursor: Cursor) {
    guard keepsPlaces(cursor), depth <= deepestToken else { return }
    tokenIndex?.add(cursor.filled)
  }

  /// Lends the token index to a walk that needs it, which keeps its own pointer to it.
  mutating func lendTokenIndex(_ cursor: Cursor) -> TokenIndex? {
    guard keepsPlaces(cursor) else { return nil }
    var lent: TokenIndex?
    swap(&lent, &tokenIndex)
    return lent
  }

  mutating func giveBack(_ lent: inout TokenIndex?) {
    if lent != nil { swap(&lent, &tokenIndex) }
  }

  /// True if tokens are wanted now; output beyond 4 GB has no token index.
  private mutating func keepsPlaces(_ cursor: Cursor) -> Bool {
    guard tokenIndex != nil, recordDepth != nil else { return false }
    if cursor.filled + (cursor.end - cursor.index) <= UInt32.max { return true }
    tokenIndex?.remove(from: cursor.complete)
    return false
  }
}

/// Calls `body` with pointers to both, while both are out of their owners.
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
