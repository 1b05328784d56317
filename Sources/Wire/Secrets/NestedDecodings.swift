// All decodings of a text: software wraps text that other software has already wrapped.

/// Undoes nested encodings: `return_to=…%3Fk%3Da%252Bb` holds a URL that holds `a+b`.
struct NestedDecodings {
  /// Limit for nested encodings, higher than anything found in practice.
  private static let mostLayers = 8

  private let read: (DecodedText) -> Void
  /// Number of bytes that may still be read, so that a malicious text with a thousand decodings can't stall the search.
  private var budget: Int

  /// Calls for the text itself, and for whatever it says when percent-encoding, JSON escapes, character references of HTML
  /// and base64 are undone, in any order.
  static func each(of bytes: [UInt8], _ read: (DecodedText) -> Void) {
    withoutActuallyEscaping(read) { read in
      var readings = NestedDecodings(read: read, budget: 64 << 10 + bytes.count * 32)
      readings.explore(DecodedText(bytes), layer: 0)
    }
  }

  /// Reads a text that was given, or that was encoded as a whole.
  private mutating func explore(_ text: DecodedText, layer: Int) {
    var known: Set<[UInt8]> = []
    explore(text, layer: layer, isWhole: true, &known)
  }

  /// - Parameters:
  ///   - isWhole: whether it is what was encoded, or was given; else some of its encodings have been undone.
  ///   - known: what that text says in ways that have been read already. The order of decodings makes a difference only
  ///     where one encoding has made the marks of the other.
  private mutating func explore(_ text: DecodedText, layer: Int, isWhole: Bool, _ known: inout Set<[UInt8]>) {
    guard budget > 0 else { return }
    budget -= text.bytes.count
    read(text)
    guard layer < Self.mostLayers else { return }
    let decoded = [text.unescaped, text.percentDecoded, text.htmlUnescaped].compactMap { $0 }
    for other in decoded where known.insert(other.bytes).inserted {
      explore(other, layer: layer + 1, isWhole: false, &known)
    }
    // A mark ends a run of digits: while some are left, there is nothing to be seen that is not there in the end.
    guard isWhole || decoded.isEmpty else { return }
    for piece in text.base64Decoded { explore(piece, layer: layer + 1) }
  }
}
