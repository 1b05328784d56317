// Secrets that a cut has shortened: a search for the whole secret does not find its end or its beginning.

extension SecretMatcher {
  /// Reports that a piece of a longer text shows a secret or a part of one, in any encoding.
  ///
  /// A part counts if it is at an edge of the piece and has at least 4 bytes, or if it is the whole piece. A `…` is an
  /// edge too.
  package func isShown(in piece: String) -> Bool {
    guard !patterns.isEmpty else { return false }
    if redacting(piece) != piece { return true }
    // The ellipsis may be part of the secret.
    let parts = [piece[...]] + piece.split(separator: "…")
    return parts.contains { part in
      let bytes = Array(part.utf8)
      return !beginnings(atEndOf: bytes).isEmpty || isCut(atStartOf: bytes)
    }
  }

  /// Returns ranges at the text's end that are the beginning of a secret, with any escape that the cut has shortened.
  func beginnings(atEndOf bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for end in CutEscape.ends(of: bytes) {
      NestedDecodings.each(of: Array(bytes[..<end])) { text in
        guard let place = patterns.beginning(atEndOf: text.bytes) else { return }
        let range = text.original(place)
        // Decoded bytes may come from anywhere in the text.
        if range.upperBound == end { found.append(range.lowerBound..<bytes.count) }
      }
    }
    return found
  }

  private func isCut(atStartOf bytes: [UInt8]) -> Bool {
    var isCut = false
    for start in CutEscape.starts(of: bytes) {
      for end in CutEscape.ends(of: bytes) where start < end {
        NestedDecodings.each(of: Array(bytes[start..<end])) { text in
          guard !isCut, !text.bytes.isEmpty, text.original(0..<1).lowerBound < Base64.group else { return }
          isCut = patterns.isCut(atStartOf: text.bytes)
        }
      }
    }
    return isCut
  }
}

/// An escape or a scalar that a cut has shortened.
private enum CutEscape {
  /// Longest escape within another one, without its last character: `\u0025` and two digits, `&amp;#x27;`,
  /// `\u0026quot;`.
  private static let longest = 15

  /// Returns the indices at which the text may end before a shortened escape, and the text's own end.
  static func ends(of bytes: [UInt8]) -> [Int] {
    let marks = (max(0, bytes.count - longest)..<bytes.count).filter { index in
      bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "\\") || bytes[index] >= 0xC0
        || bytes[index] == UInt8(ascii: "&")
    }
    return marks + [bytes.count]
  }

  /// Returns the offsets at which a text may begin after such a part, and its own start.
  static func starts(of bytes: [UInt8]) -> [Int] {
    let starts = Array(0...bytes.prefix(longest).prefix(while: mayEndEscape).count)
    let reference = bytes.prefix(HTMLEscape.longest).prefix(while: HTMLEscape.mayHold).count
    guard reference < bytes.count, bytes[reference] == UInt8(ascii: ";") else { return starts }
    return starts + [reference + 1]
  }

  private static func mayEndEscape(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "%") || URLByte.hexValue(byte) != nil
      || byte == UInt8(ascii: "\\") || JSONEscape.isSecond(byte)
  }
}
