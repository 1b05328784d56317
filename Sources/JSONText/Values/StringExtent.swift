/// A string's extent, as `CompactText.string` found it.
struct StringExtent {
  /// Index after the closing quote.
  let end: Int
  /// Whether a backslash stands in it; without one its bytes are its text.
  let hasEscape: Bool
}
