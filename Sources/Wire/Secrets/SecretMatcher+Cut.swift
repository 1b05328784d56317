// What a text shows of a secret where it was cut: its end or its beginning, which no search for the whole finds.

extension SecretMatcher {
  /// Whether a piece that was cut out of a longer text shows anything of a secret, in whatever form: all of it, or its end
  /// or beginning (at least 4 bytes) at the piece's edges, or nothing but a part of it. A `…` in it is a cut as well.
  package func isShown(in piece: String) -> Bool {
    guard !patterns.isEmpty else { return false }
    if redacting(piece) != piece { return true }
    // An ellipsis may be the secret's own.
    let parts = [piece[...]] + piece.split(separator: "…")
    return parts.contains { part in
      let bytes = Array(part.utf8)
      return !beginnings(atEndOf: bytes).isEmpty || isCut(atStartOf: bytes)
    }
  }

  /// Where the text's end is the beginning of a secret: up to the end, with an escape that is cut.
  func beginnings(atEndOf bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for end in CutEscape.ends(of: bytes) {
      NestedDecodings.each(of: Array(bytes[..<end])) { text in
        guard let place = patterns.beginning(atEndOf: text.bytes) else { return }
        let range = text.original(place)
        // What was decoded may have stood anywhere.
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

/// An escape that a cut has left a part of, or a scalar of which some bytes are left.
private enum CutEscape {
  /// One within the other without its last: `\u0025` and two digits, `&amp;#x27;`, `\u0026quot;`.
  private static let longest = 15

  /// Where a text may end before such a part, and its own end.
  static func ends(of bytes: [UInt8]) -> [Int] {
    let marks = (max(0, bytes.count - longest)..<bytes.count).filter { index in
      bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "\\") || bytes[index] >= 0xC0
        || bytes[index] == UInt8(ascii: "&")
    }
    return marks + [bytes.count]
  }

  /// Where a text may begin behind such a part, and its own start.
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
