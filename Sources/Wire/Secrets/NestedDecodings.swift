// All decodings of a text, since software wraps text that other software has already wrapped.

/// Undoes nested encodings: `return_to=…%3Fk%3Da%252Bb` holds a URL that holds `a+b`.
struct NestedDecodings {
  /// Limit for nested encodings, higher than anything found in practice.
  private static let mostLayers = 8

  private let read: (DecodedText) -> Void
  /// Number of bytes that may still be read, so that a malicious text with a thousand decodings can't stall the search.
  private var budget: Int

  /// Calls `read` for the text itself, and for each result of undoing percent-encoding, JSON escapes, character
  /// references of HTML and base64, in any order.
  static func each(of bytes: [UInt8], _ read: (DecodedText) -> Void) {
    withoutActuallyEscaping(read) { read in
      var readings = NestedDecodings(read: read, budget: 64 << 10 + bytes.count * 32)
      readings.explore(DecodedText(bytes), layer: 0)
    }
  }

  /// Explores a text that was given, or that was encoded as a whole.
  private mutating func explore(_ text: DecodedText, layer: Int) {
    var known: Set<[UInt8]> = []
    explore(text, layer: layer, isWhole: true, &known)
  }

  /// - Parameters:
  ///   - isWhole: true if the text was given, or was encoded as a whole; false if only some encodings of a text have
  ///     been undone.
  ///   - known: results for that text that have been read. The order of decodings matters only if one encoding has made
  ///     the marks of another.
  private mutating func explore(_ text: DecodedText, layer: Int, isWhole: Bool, _ known: inout Set<[UInt8]>) {
    guard budget > 0 else { return }
    budget -= text.bytes.count
    read(text)
    guard layer < Self.mostLayers else { return }
    let decoded = [text.unescaped, text.percentDecoded, text.htmlUnescaped].compactMap { $0 }
    for other in decoded where known.insert(other.bytes).inserted {
      explore(other, layer: layer + 1, isWhole: false, &known)
    }
    // A mark ends a run of digits. So while marks remain, base64 shows nothing that it does not show in the end.
    guard isWhole || decoded.isEmpty else { return }
    for piece in text.base64Decoded { explore(piece, layer: layer + 1) }
  }
}
