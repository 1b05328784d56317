package import Files
import JSONText
package import Wire

/// Page that is whole and valid, held until its records are written.
package struct Page: Sendable {
  package let body: PageBody
  /// High-water mark of the page's records, if one was wanted.
  package let highest: HighWaterMark
  /// The records as NDJSON; `next()` returns whole lines.
  package let lines: Spool

  /// Returns the next whole lines with their token index, as far as it was wanted and is known.
  package func nextLines() throws(FileError) -> HeldLines? {
    try lines.nextLines()
  }

  /// Page without content: status 204, or a response that only ends the stream.
  package static var empty: Page { Page(body: PageBody(recordCount: 0), highest: HighWaterMark(), lines: Spool()) }
}
