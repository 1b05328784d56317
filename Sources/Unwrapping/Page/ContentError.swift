package import JSONText

/// What is wrong with a page's content.
package enum ContentError: Error, Hashable, Sendable {
  case json(JSONError)
  /// `missingContentIdentifier`: the path, the way up to the step that is not there, and what is.
  case missing(content: JSONPath, at: JSONPath, available: [String], kind: JSONKind)
  /// `decodingError`: record number from 1 in the page, key path like `address.city` or `tags[2]` (empty for the
  /// record itself). `found` is a kind and a short piece of text that is safe to print, or `nothing`.
  case decoding(record: Int, keyPath: String, expected: String, found: String)
  /// Names are wanted, and the record's number from 1 in the page is that of an element of the array there.
  case nameless(record: Int, at: JSONPath)
  /// The page could not be held: the temporary file's error.
  case spool(String)
}
