// Keeps secrets out of texts that came from elsewhere, in whatever form they stand there.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Secret values as they are known at one moment: what `Secrets` holds.
///
/// Values of fewer than 4 characters are not searched for: they would mask half of every message. Where they were put
/// in by a template, `Masked` knows.
package struct SecretSet: Sendable {
  package private(set) var values: [String] = []
  /// By bytes: two spellings of `é` are two secrets.
  private var known: Set<[UInt8]> = []
  private var patterns = PatternTable()

  package init(_ values: [String] = []) {
    for value in values { insert(value) }
  }

  package mutating func insert(_ value: String) {
    guard known.insert(Array(value.utf8)).inserted else { return }
    values.append(value)
    guard value.unicodeScalars.count >= 4 else { return }
    patterns.insert(Array(value.utf8))
    // A form that is sent in base64 has `+` for a space there too.
    let forms = value.contains(" ") ? [value, String(value.map { $0 == " " ? "+" : $0 })] : [value]
    for form in forms.flatMap(Self.base64) {
      patterns.insert(Array(form.utf8))
      patterns.insert(
        form.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
      )
    }
  }

  /// In base64: by itself with and without padding, and what does not change of it behind other bytes and before others,
  /// where it begins at any of three places (RFC 4648 §4).
  private static func base64(_ value: String) -> [String] {
    let whole = Data(value.utf8).base64EncodedString()
    let inside = (0..<3).flatMap { offset in
      let text = Data([UInt8](repeating: 0, count: offset) + Array(value.utf8)).base64EncodedString()
      // The last character is the same only where nothing follows.
      let end = text.prefix { $0 != "=" }.dropFirst(offset == 0 ? 0 : offset + 1)
      return text.hasSuffix("=") ? [String(end), String(end.dropLast())] : [String(end)]
    }
    return [whole] + inside
  }

  /// The text with every known secret as `***`: plain, percent-encoded (upper and lower case digits, any set of
  /// characters, `+` for a space), base64 (with and without padding, and URL-safe), JSON-escaped, and one of these within
  /// another. Where two overlap, one `***` stands for both.
  package func masking(_ text: String) -> String {
    guard !patterns.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var found: [Range<Int>] = []
    // Secrets are searched in what the text says, not in a list of its spellings: of those there are too many.
    Readings.each(of: bytes) { found += patterns.matches(in: $0) }
    return found.isEmpty ? text : Self.masking(bytes, found)
  }

  /// Whether a piece that was cut out of a longer text shows anything of a secret: all of it, or its end or beginning
  /// (at least 4 characters) at the piece's edges, or nothing but a part of it.
  package func isShown(in piece: String) -> Bool {
    masking(piece) != piece
      || values.contains { secret in
        secret.count >= 4 && (secret.contains(piece) && piece.count >= 4 || Self.cut(secret, isAtEdgeOf: piece))
      }
  }

  private static func cut(_ secret: String, isAtEdgeOf piece: String) -> Bool {
    let most = min(secret.count, piece.count)
    guard most >= 4 else { return false }
    return (4...most).contains { piece.hasSuffix(secret.prefix($0)) || piece.hasPrefix(secret.suffix($0)) }
  }

  private static func masking(_ bytes: [UInt8], _ found: [Range<Int>]) -> String {
    var masked: [UInt8] = []
    var end = 0
    for range in found.sorted(by: { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }) {
      if range.lowerBound >= end {
        masked += bytes[end..<range.lowerBound]
        masked += Array("***".utf8)
      }
      end = max(end, range.upperBound)
    }
    return String(decoding: masked + bytes[end...], as: UTF8.self)
  }
}

/// Byte strings to search for, found by their first four bytes. A space and `+` are the same in them (form encoding).
private struct PatternTable: Sendable {
  /// For each byte, at which of the first four places some pattern has it: a bit for each.
  private var places = [UInt8](repeating: 0, count: 256)
  /// The longest first.
  private var byStart: [UInt32: [[UInt8]]] = [:]

  var isEmpty: Bool { byStart.isEmpty }

  mutating func insert(_ bytes: [UInt8]) {
    let pattern = bytes.map(Self.folded)
    guard pattern.count >= 4, case let start = Self.start(of: pattern, at: 0), byStart[start]?.contains(pattern) != true
    else { return }
    for place in 0..<4 { places[Int(pattern[place])] |= 1 << place }
    places[Int(UInt8(ascii: " "))] = places[Int(UInt8(ascii: "+"))]
    byStart[start, default: []].append(pattern)
    byStart[start]?.sort { $0.count > $1.count }
  }

  /// Ranges of the original text.
  func matches(in text: DecodedText) -> [Range<Int>] {
    let bytes = text.bytes
    var found: [Range<Int>] = []
    for index in 0..<max(0, bytes.count - 3) where mayBegin(bytes, at: index) {
      guard let candidates = byStart[Self.start(of: bytes, at: index)] else { continue }
      let rest = bytes[index...].lazy.map(Self.folded)
      guard let pattern = candidates.first(where: { rest.starts(with: $0) }) else { continue }
      found.append(text.original(index..<(index + pattern.count)))
    }
    return found
  }

  private func mayBegin(_ bytes: [UInt8], at index: Int) -> Bool {
    places[Int(bytes[index])] & 1 != 0 && places[Int(bytes[index + 1])] & 2 != 0
      && places[Int(bytes[index + 2])] & 4 != 0 && places[Int(bytes[index + 3])] & 8 != 0
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte }

  private static func start(of bytes: [UInt8], at index: Int) -> UInt32 {
    (index..<(index + 4)).reduce(0) { $0 << 8 | UInt32(folded(bytes[$1])) }
  }
}
