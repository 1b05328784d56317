// Everything that a text may say: software wraps what it was given, and what wraps that does not know.

/// Undoes encodings, one within the other: `return_to=…%3Fk%3Da%252Bb` holds a URL that holds `a+b`.
struct NestedDecodings {
  /// More than anybody wraps anything.
  private static let mostLayers = 8

  private let read: (DecodedText) -> Void
  /// How many bytes more may be looked at: a text that is made to be read in a thousand ways is read in so many.
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
