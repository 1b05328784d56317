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
    for form in Self.base64(value) {
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
  /// characters, `+` for a space), base64 (with and without padding, and URL-safe), JSON-escaped. Where two overlap, one
  /// `***` stands for both.
  package func masking(_ text: String) -> String {
    guard !patterns.isEmpty else { return text }
    let plain = DecodedText(Array(text.utf8))
    var found = patterns.matches(in: plain)
    // Secrets are searched in what the text says, not in a list of its spellings: of those there are too many.
    let views = [plain.percentDecoded, plain.unescaped, plain.unescaped?.percentDecoded]
    for case let view? in views { found += patterns.matches(in: view) }
    return found.isEmpty ? text : Self.masking(plain.bytes, found)
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
  private var isFirst = [Bool](repeating: false, count: 256)
  /// The longest first.
  private var byStart: [UInt32: [[UInt8]]] = [:]

  var isEmpty: Bool { byStart.isEmpty }

  mutating func insert(_ bytes: [UInt8]) {
    let pattern = bytes.map(Self.folded)
    guard let start = Self.start(of: pattern, at: 0), byStart[start]?.contains(pattern) != true else { return }
    isFirst[Int(pattern[0])] = true
    byStart[start, default: []].append(pattern)
    byStart[start]?.sort { $0.count > $1.count }
  }

  /// Ranges of the original text.
  func matches(in text: DecodedText) -> [Range<Int>] {
    let bytes = text.bytes.map(Self.folded)
    var found: [Range<Int>] = []
    for index in bytes.indices where isFirst[Int(bytes[index])] {
      guard let start = Self.start(of: bytes, at: index), let candidates = byStart[start] else { continue }
      guard let pattern = candidates.first(where: { bytes[index...].starts(with: $0) }) else { continue }
      found.append(text.original(index..<(index + pattern.count)))
    }
    return found
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte }

  private static func start(of bytes: [UInt8], at index: Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    return bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A text's bytes, perhaps decoded from another text, and where each of them came from.
private struct DecodedText {
  private(set) var bytes: [UInt8]
  /// For each byte where its spelling begins in the original, and at last the original's end.
  private var starts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = Array(0...bytes.count)
  }

  func original(_ range: Range<Int>) -> Range<Int> { starts[range.lowerBound]..<starts[range.upperBound] }

  /// Nil when no `%XX` is in it.
  var percentDecoded: DecodedText? {
    decoded(at: UInt8(ascii: "%")) { index in
      URLByte.escaped(bytes, at: index).map { ([$0], 3) }
    }
  }

  /// Nil when no JSON escape (RFC 8259 §7) is in it.
  var unescaped: DecodedText? {
    decoded(at: UInt8(ascii: "\\")) { index in
      guard index + 1 < bytes.count else { return nil }
      switch bytes[index + 1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return ([bytes[index + 1]], 2)
      case UInt8(ascii: "b"): return ([8], 2)
      case UInt8(ascii: "f"): return ([12], 2)
      case UInt8(ascii: "n"): return ([10], 2)
      case UInt8(ascii: "r"): return ([13], 2)
      case UInt8(ascii: "t"): return ([9], 2)
      default: return codePoint(at: index)
      }
    }
  }

  /// `\u00e9`, or a surrogate pair.
  private func codePoint(at index: Int) -> (bytes: [UInt8], length: Int)? {
    guard let high = codeUnit(at: index) else { return nil }
    if let scalar = Unicode.Scalar(high) { return (Array(String(scalar).utf8), 6) }
    guard let low = codeUnit(at: index + 6) else { return nil }
    let pair = String(decoding: [high, low], as: UTF16.self)
    return pair.unicodeScalars.count == 1 ? (Array(pair.utf8), 12) : nil
  }

  private func codeUnit(at index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return bytes[(index + 2)..<(index + 6)].reduce(0 as UInt16?) { unit, byte in
      guard let unit, let digit = URLByte.hexValue(byte) else { return nil }
      return unit << 4 | UInt16(digit)
    }
  }

  private func decoded(at mark: UInt8, _ decode: (Int) -> (bytes: [UInt8], length: Int)?) -> DecodedText? {
    guard bytes.contains(mark) else { return nil }
    var result = DecodedText([])
    result.starts = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == mark, let unit = decode(index) else {
        result.bytes.append(bytes[index])
        result.starts.append(starts[index])
        index += 1
        continue
      }
      result.bytes += unit.bytes
      result.starts += repeatElement(starts[index], count: unit.bytes.count)
      index += unit.length
    }
    result.starts.append(starts[bytes.count])
    return result
  }
}
