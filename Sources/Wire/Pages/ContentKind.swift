/// The kind of the one value that is a page's content; the raw value is its name in messages and bookmarks.
package enum ContentKind: String, Hashable, Sendable {
  case object, array, string, number, boolean
  /// An object whose first name is a number, as PHP writes a list whose indices have a gap.
  case indexed = "object with numbers for names"
}
