// Classes of ASCII bytes. Bytes beyond ASCII are in none of them.

extension UInt8 {
  /// True if the byte is `0` to `9`.
  @inlinable
  package var isDigit: Bool { self &- 0x30 < 10 }

  /// True if the byte is `A` to `Z` or `a` to `z`.
  @inlinable
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  @inlinable
  package var isLetterOrDigit: Bool { isLetter || isDigit }

  /// The value of a hexadecimal digit of either case.
  @inlinable
  package var hexValue: UInt8? {
    if isDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}
