// NetworkingResult<Content> as a stream: the bytes of one response in, one held page of records out.

package import JSONText
package import Wire

/// What is wrong with a page's content.
package enum ContentFault: Error, Hashable, Sendable {
  case json(JSONFault)
  /// `missingContentIdentifier`: the path, the index of the step that is not there, and what is.
  case missing(content: JSONPath, depth: Int, available: [String], kind: JSONKind)
  /// `decodingError`: record number from 1 in the page, key path like `address.city` or `tags[2]`.
  case decoding(record: Int, keyPath: String, expected: String, found: String)
  /// The page could not be held: the temporary file's error.
  case spool(String)
}

/// Unwraps one response as it arrives.
package struct Unwrapper: Sendable {
  /// - Parameters:
  ///   - content: where the records are.
  ///   - captures: values wanted for the page's facts.
  ///   - shape: what each record must look like; nil leaves them verbatim.
  package init(content: JSONPath, captures: [JSONPath], shape: Shape?, spool: Spool) { fatalError("unimplemented") }

  /// Takes the next bytes of the body.
  package mutating func take(_ chunk: [UInt8]) throws(ContentFault) { fatalError("unimplemented") }

  /// Ends the body. Only now may records come out: the page is whole and valid.
  package mutating func finish() throws(ContentFault) -> Page { fatalError("unimplemented") }
}

/// A page that is whole and valid, held until it is written.
package struct Page: Sendable {
  package let recordCount: Int
  /// Over the records as the server sent them, compact.
  package let contentHash: Int
  /// Keyed by JSON Pointer, as `PageFacts.captured`.
  package let captured: [String: [UInt8]]
  /// The last record as the server sent it, compact.
  package let last: [UInt8]?
  /// The records as NDJSON: `next()` gives whole lines.
  package let lines: Spool
}
