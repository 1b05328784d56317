import JSONText
package import Wire

/// A page that is whole and valid, held until it is written.
package struct Page: Sendable {
  package let recordCount: Int
  /// What the server counts, as `PageFacts.itemCount`.
  package let itemCount: Int
  /// Whether the content is `null`.
  package let hasNullContent: Bool
  /// What the content is; nil for null, for none, and with a `*` in its path.
  package let contentKind: ContentKind?
  /// Where the page has no content, and may: the name that is missing, and those that are there (at most 21).
  package let missingContent: (name: String, names: [String])?
  /// Over the records as the server sent them, compact; 0 when it was not wanted. Good for comparing within one run.
  package let contentHash: Int
  /// Keyed by JSON Pointer, as `PageFacts.captured`.
  package let captured: [String: [UInt8]]
  /// Keyed by JSON Pointer, as `PageFacts.barred`.
  package let blockedPaths: [String: String]
  /// Keyed by JSON Pointer, as `PageFacts.lacking`.
  package let lacking: [String: (depth: Int, names: [String])]
  /// What was wanted of the last record as the server sent it, compact, or with a `*` of the whole element that it is part
  /// of, keyed by JSON Pointer; empty when there is none.
  package let last: [String: [UInt8]]
  /// The highest mark, if one was wanted.
  package let highest: HighWaterMark
  /// The records as NDJSON: `next()` gives whole lines.
  package let lines: Spool

  /// The next whole lines, and where their tokens stand, as far as that was wanted and is known.
  package func nextLines() throws(SpoolError) -> HeldLines? {
    try lines.nextLines()
  }

  /// A page without content: status 204, or one that only says that there are no more.
  package static var empty: Page {
    Page(
      recordCount: 0, itemCount: 0, hasNullContent: false, contentKind: nil, missingContent: nil, contentHash: 0,
      captured: [:], blockedPaths: [:], lacking: [:],
      last: [:], highest: HighWaterMark(),
      lines: Spool())
  }
}
