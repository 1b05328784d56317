// Makes text from outside safe for a terminal.

extension String {
  /// The text with control characters (C0, C1, DEL), bidirectional controls and byte order marks escaped, such as
  /// `\u{1b}`.
  ///
  /// A `String` has no invalid UTF-8, so nothing else needs escaping.
  package var printable: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.mustBeEscaped {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Like `printable`, but keeps line feeds and tabs, for messages of several lines.
  package var printableLines: String {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        .map { String(Substring($0)).printable }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}

extension StringProtocol {
  /// The name for a message: its first 60 characters, followed by `…` if there are more.
  package var shortName: String { dropFirst(60).isEmpty ? String(self) : "\(prefix(60))…" }
}

extension Unicode.Scalar {
  /// True if a terminal could read the scalar as a command, a line end, or a change of text direction (UAX #9).
  fileprivate var mustBeEscaped: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029: true
    // A byte order mark, and scalars that are no characters: a spec refuses them outside quotes.
    case 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
