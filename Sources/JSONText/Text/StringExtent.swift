/// End of a string, as found by `CompactText.string`.
struct StringExtent {
  /// Index after the closing quote.
  let end: Int
  /// True if the string has a backslash; without one its bytes are its text.
  let hasEscape: Bool
}
