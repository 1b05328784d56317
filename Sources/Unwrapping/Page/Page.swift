package import Files
import JSONText
package import Wire

/// Page that is whole and valid, held until its records are written.
package struct Page: Sendable {
  package let recordCount: Int
  /// Number of items that the server counts, as in `PageFacts.itemCount`.
  package let itemCount: Int
  /// True if the content is `null`.
  package let hasNullContent: Bool
  /// Kind of the content; nil for null, for none, and with a `*` in its path.
  package let contentKind: ContentKind?
  /// The missing name and the names that exist (at most 21), if the page lacks its content and may lack it.
  package let missingContent: (name: String, names: [String])?
  /// Hash of the records as the server sent them, compact; 0 if it was not wanted.
  ///
  /// It can be compared only within one run.
  package let contentHash: Int
  /// Captured values by JSON Pointer, as in `PageFacts.captured`.
  package let captured: [String: [UInt8]]
  /// Blocked paths by JSON Pointer, as in `PageFacts.blockedPaths`.
  package let blockedPaths: [String: String]
  /// Objects that lack a watched path's next member, by JSON Pointer, as in `PageFacts.lacking`.
  package let lacking: [String: (depth: Int, names: [String])]
  /// Wanted values of the last record, compact, by JSON Pointer; empty without records.
  ///
  /// With a `*`, the values are of the whole element that the record is part of.
  package let last: [String: [UInt8]]
  /// High-water mark of the page's records, if one was wanted.
  package let highest: HighWaterMark
  /// Members beside the content, if they were wanted.
  package var outline: [EnvelopeMember] = []
  /// Same as `PageFacts.isSingle`.
  package var isSingle = false
  /// Same as `PageFacts.isOfObjects`.
  package var isOfObjects = false
  /// Same as `PageFacts.leftOutCount`.
  package var leftOutCount = 0
  /// Same as `PageFacts.leftOut`.
  package var leftOut: [UInt8] = []
  /// Same as `PageFacts.nestedCount`.
  package var nestedCount = 0
  /// Same as `PageFacts.hasKnown`.
  package var hasKnown = false
  /// Same as `PageFacts.hasNewBehindKnown`.
  package var hasNewBehindKnown = false
  /// Same as `PageFacts.firstRecord`.
  package var firstRecord = 0
  /// Same as `PageFacts.lastRecord`.
  package var lastRecord = 0
  /// As `PageFacts.columns`.
  package var columns: [UInt8]?
  /// The records as NDJSON; `next()` returns whole lines.
  package let lines: Spool

  /// Returns the next whole lines with their token index, as far as it was wanted and is known.
  package func nextLines() throws(FileError) -> HeldLines? {
    try lines.nextLines()
  }

  /// Page without content: status 204, or a response that only ends the stream.
  package static var empty: Page {
    Page(
      recordCount: 0, itemCount: 0, hasNullContent: false, contentKind: nil, missingContent: nil, contentHash: 0,
      captured: [:], blockedPaths: [:], lacking: [:],
      last: [:], highest: HighWaterMark(),
      lines: Spool())
  }
}
