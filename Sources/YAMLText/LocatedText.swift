// Where the letters of a string stand in the source, although quotes, escapes and folded lines lie between them.

package import Diagnostics

/// A node's decoded text, with a way back to the bytes of the source.
///
/// The reader gives a string and the bytes it stands in, not a map from one to the other. Templates are what needs one,
/// and each begins with `${`: where text and source have as many of them, the n-th of the text is the n-th of the source.
package struct LocatedText {
  package let bytes: [UInt8]
  package let range: Range<Int>
  private let source: [UInt8]
  /// Offsets of each `${` in text and source, in order; none where they can't be paired (`"\u0024{"`).
  private let anchors: [(text: Int, source: Int)]

  package init(_ text: String, of node: Node, in source: SourceText) {
    bytes = Array(text.utf8)
    range = node.range.clamped(to: 0..<source.bytes.count)
    self.source = source.bytes
    let inText = Self.openings(in: bytes[...])
    let inSource = inText.isEmpty ? [] : Self.openings(in: source.bytes[range])
    anchors = inText.count == inSource.count ? Array(zip(inText, inSource)).map { (text: $0, source: $1) } : []
  }

  /// The bytes of the source that a part of the text stands in: exactly where the two read the same from the template's
  /// `${` on, else that `${`, else the whole string.
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
