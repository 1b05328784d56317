// Maps parts of a decoded string back to the source, across quotes, escapes and folded lines.

package import Diagnostics

/// Decoded text of a node, with a map back to the bytes of the source.
///
/// The reader gives a string and its byte range, not a map from one to the other. Only templates need such a map, and
/// each begins with `${`. If text and source have equally many `${`, the n-th of the text is the n-th of the source.
package struct LocatedText {
  package let bytes: [UInt8]
  package let range: Range<Int>
  private let source: [UInt8]
  /// Offsets of each `${` in text and source, in order; empty if they can't be paired (`"\u0024{"`).
  private let anchors: [(text: Int, source: Int)]

  package init(_ text: String, of node: Node, in source: SourceText) {
    bytes = Array(text.utf8)
    range = node.range.clamped(to: 0..<source.bytes.count)
    self.source = source.bytes
    let inText = Self.openings(in: bytes[...])
    let inSource = inText.isEmpty ? [] : Self.openings(in: source.bytes[range])
    anchors = inText.count == inSource.count ? Array(zip(inText, inSource)).map { (text: $0, source: $1) } : []
  }

  /// Returns the bytes of the source for a part of the text.
  ///
  /// The range is exact if text and source are equal from the template's `${` on. Otherwise it is that `${`, or,
  /// without a template, the whole string.
  package func sourceRange(of part: Range<Int>) -> Range<Int> {
    guard let anchor = anchor(before: part.lowerBound) else { return range }
    let span = anchor.text..<part.upperBound
    let start = anchor.source
    let isVerbatim =
      start + span.count <= range.upperBound
      && bytes[span].elementsEqual(source[start..<start + span.count])
    guard isVerbatim else { return start..<start + 2 }
    return start + part.lowerBound - anchor.text..<start + span.count
  }

  private func anchor(before offset: Int) -> (text: Int, source: Int)? {
    var low = 0
    var high = anchors.count
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].text <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? anchors[low - 1] : nil
  }

  private static func openings(in bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.indices.dropLast().filter { bytes[$0] == UInt8(ascii: "$") && bytes[$0 + 1] == UInt8(ascii: "{") }
  }
}
