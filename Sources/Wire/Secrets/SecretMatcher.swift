// Redacts secrets in texts from outside, in any encoding.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The secret values that are known at one moment: the content of `SecretStore`.
///
/// Values of fewer than 4 characters are not searched for: they would redact half of every message. If a template
/// inserts one, `Redactable` redacts it.
package struct SecretMatcher: Sendable {
  package private(set) var values: [String] = []
  /// Known values as bytes, since two spellings of `é` are two secrets.
  private var known: Set<[UInt8]> = []
  private(set) var patterns = PatternTable()

  package init(_ values: [String] = []) {
    for value in values { insert(value) }
  }

  package mutating func insert(_ value: String) {
    guard known.insert(Array(value.utf8)).inserted else { return }
    values.append(value)
    guard value.unicodeScalars.count >= 4 else { return }
    patterns.insert(Array(value.utf8))
    // CSV doubles quotes (RFC 4180 §2).
    if value.contains("\"") { patterns.insert(value.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }) }
    // A form body in base64 has `+` for a space as well.
    let forms = value.contains(" ") ? [value, String(value.map { $0 == " " ? "+" : $0 })] : [value]
    for form in forms.flatMap(Self.base64) {
      patterns.insert(Array(form.utf8))
      patterns.insert(
        form.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
      )
    }
  }

  /// Returns base64 of a value alone, with and without padding, and the digits that stay the same inside a longer text.
  ///
  /// Inside a longer text the value may begin at any of three offsets (RFC 4648 §4).
  private static func base64(_ value: String) -> [String] {
    let whole = Data(value.utf8).base64EncodedString()
    let inside = (0..<3).flatMap { offset in
      let text = Data([UInt8](repeating: 0, count: offset) + Array(value.utf8)).base64EncodedString()
      // The last character is the same only if nothing follows the value.
      let end = text.prefix { $0 != "=" }.dropFirst(offset == 0 ? 0 : offset + 1)
      return text.hasSuffix("=") ? [String(end), String(end.dropLast())] : [String(end)]
    }
    return [whole] + inside
  }

  /// Returns the text with `***` in place of every known secret.
  ///
  /// These forms of a secret are found, also nested in one another:
  /// - plain
  /// - percent-encoded (digits in upper and lower case, any set of characters, `+` for a space)
  /// - base64 (with and without padding, and URL-safe)
  /// - escaped for JSON or HTML; with its quotes doubled, as in CSV
  ///
  /// One `***` replaces secrets that overlap.
  ///
  /// - Parameter isCut: true if the text has been cut at its end, so that the beginning of a secret there is redacted
  ///   too.
  package func redacting(_ text: String, isCut: Bool = false) -> String {
    guard !patterns.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var found: [Range<Int>] = []
    // The search decodes the text. A list of all encodings of a secret would be too long.
    NestedDecodings.each(of: bytes) { found += patterns.matches(in: $0) }
    if isCut { found += beginnings(atEndOf: bytes) }
    return found.isEmpty ? text : Self.redacting(bytes, found)
  }

  private static func redacting(_ bytes: [UInt8], _ found: [Range<Int>]) -> String {
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
