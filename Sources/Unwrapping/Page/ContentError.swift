package import JSONText

/// Error in a page's content.
package enum ContentError: Error, Hashable, Sendable {
  case json(JSONError)
  /// `missingContentIdentifier`: the content path leads to nothing.
  ///
  /// It has the content path, the path of the missing step, and the names that are available there.
  case missing(content: JSONPath, at: JSONPath, available: [String], kind: JSONKind)
  /// `decodingError`: a record does not fit `decode` or `model`.
  ///
  /// `record` counts from 1 in the page. `keyPath` is like `address.city` or `tags[2]`, and empty for the
  /// record itself. `found` is a kind and a short piece of text that is safe to print, or `nothing`.
  case decoding(record: Int, keyPath: String, expected: String, found: String)
  /// `decodingError`: a record does not fit `model`; the members are those of `decoding`.
  case model(record: Int, keyPath: String, expected: String, found: String)
  /// Names are wanted, but the record is an element of an array at this path.
  ///
  /// `record` counts from 1 in the page.
  case nameless(record: Int, at: JSONPath)
  /// `invalidCSV`: the first line has none of the names that the first page's header has; both as JSON arrays.
  case otherHeader([UInt8], first: [UInt8])
  /// `invalidCSV`: only the first page should have a header, and this page has it, too.
  case repeatedHeader
  /// The names of columns are not at this path, for the given reason.
  case columns(JSONPath, String)
  /// The temporary file that holds the page failed, with its error.
  case spool(String)
}
