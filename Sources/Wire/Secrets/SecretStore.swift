// The only place that knows every secret of a run, including secrets that arrive during the run.

import Primitives
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Every secret value of a run, to redact texts from outside such as bodies and system messages.
///
/// All code that prints shares the store, so a new token is redacted everywhere from the moment it arrives.
package final class SecretStore: Sendable {
  private let known: Locked<SecretMatcher>

  package init(_ values: [String] = []) {
    known = Locked(SecretMatcher(values))
  }

  /// The secrets that are known now.
  package var current: SecretMatcher { known.withLock { $0 } }
  package var values: [String] { current.values }

  package func insert(_ value: String) {
    known.withLock { $0.insert(value) }
  }

  /// Adds the value of a cookie: only the last ones stay known.
  package func insertPassing(_ value: String, of name: String) {
    known.withLock { $0.insertPassing(value, of: name) }
  }

  /// Redacts a text: see `SecretMatcher`.
  package func redacting(_ text: String, isCut: Bool = false) -> String {
    known.withLock { $0.values.isEmpty } ? text : current.redacting(text, isCut: isCut)
  }
  package func isShown(in piece: String) -> Bool { current.isShown(in: piece) }
}

extension String {
  /// True for a short word or a short number, which is a setting and no secret.
  package var isSetting: Bool { utf8.count < 8 && (allSatisfy(\.isLetter) || allSatisfy(\.isNumber)) }
}

// A text with secrets, and its redacted form for messages.

/// A text that may hold secrets: the form that is sent, and the form that is shown with `***` for each secret.
package struct Redactable: Hashable, Sendable {
  /// The text with its secrets, for requests and records only.
  package var text: String
  /// The redacted text; nil if it is the text itself. (A copy of the text would make each `+=` copy all of it.)
  private var masked: String?

  package init(_ text: String, redacted: String? = nil) {
    self.text = text
    masked = redacted == text ? nil : redacted
  }

  /// Returns a value that is a secret as a whole.
  package static func secret(_ text: String) -> Redactable { Redactable(text, redacted: "***") }

  /// The text without its secrets, for every use besides requests and records.
  package var redacted: String {
    get { masked ?? text }
    set { masked = newValue == text ? nil : newValue }
  }

  /// True if the text holds a secret.
  package var isSecret: Bool { masked != nil }

  package static func += (a: inout Redactable, b: Redactable) {
    if a.masked == nil, b.isSecret { a.masked = a.text }
    a.masked?.append(b.redacted)
    a.text += b.text
  }
}

// Which token a request was sent with, for a server that refuses it in an answer that only the job understands.

/// The token of the last attempt of a request, and the one that the server has refused.
package final class TokenTrace: Sendable, Hashable {
  private struct State {
    var used: String?
    var refused: String?
  }

  private let state = Mutex(State())

  package init() {}

  /// Remembers the token of an attempt.
  package func use(_ token: String) { state.withLock { $0.used = token } }

  /// The token that the next attempt must not have.
  package var refused: String? { state.withLock { $0.refused } }

  /// Refuses the token of the last attempt; false if none was sent, or if one was refused before.
  package func refuse() -> Bool {
    state.withLock { state in
      guard state.refused == nil, let used = state.used else { return false }
      state.refused = used
      return true
    }
  }

  package static func == (a: TokenTrace, b: TokenTrace) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: Redacts secrets in texts from outside, in any encoding

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

  /// Most values of one name that stay known, and of all names: so a server's cookies cost bounded memory and time.
  private static let (mostOfName, mostPassing) = (16, 512)
  /// Values that pass, with the names of their cookies, the oldest first.
  private var passing: [(name: String, value: String)] = []
  /// Number of passing values at which the oldest are forgotten.
  private var passingLimit = 128

  /// Adds the value of a cookie, which the server may replace again and again: the last ones stay known.
  mutating func insertPassing(_ value: String, of name: String) {
    guard !known.contains(Array(value.utf8)) else { return }
    insert(value)
    passing.append((name, value))
    guard passing.count > passingLimit else { return }
    var counts: [String: Int] = [:]
    var kept: [(name: String, value: String)] = []
    for cookie in passing.reversed() where kept.count < Self.mostPassing {
      counts[cookie.name, default: 0] += 1
      if counts[cookie.name] ?? 0 <= Self.mostOfName { kept.append(cookie) }
    }
    let old = Set(passing.map { Array($0.value.utf8) }).subtracting(kept.map { Array($0.value.utf8) })
    let rest = SecretMatcher(values.filter { !old.contains(Array($0.utf8)) })
    (values, known, patterns, passing) = (rest.values, rest.known, rest.patterns, kept.reversed())
    passingLimit = max(128, 2 * passing.count)
  }

  package mutating func insert(_ value: String) {
    guard known.insert(Array(value.utf8)).inserted else {
      passing.removeAll { $0.value.utf8.elementsEqual(value.utf8) }
      return
    }
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
        guard let match = patterns.beginning(atEndOf: text.bytes) else { return }
        let range = text.original(match)
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
    byte >= 0x80 || byte == UInt8(ascii: "%") || byte.hexValue != nil
      || byte == UInt8(ascii: "\\") || JSONEscape.isSecond(byte)
  }
}

// Search for many byte strings at once.

/// Byte strings that are found by their first four bytes; a space and `+` are equal (form encoding).
struct PatternTable: Sendable {
  /// Bit set for each byte: at which of the first four positions some pattern has the byte.
  private var digits = [UInt8](repeating: 0, count: 256)
  /// Patterns by their first four bytes, the longest first.
  private var byStart: [UInt32: [[UInt8]]] = [:]
  private var longest = 0

  var isEmpty: Bool { byStart.isEmpty }

  mutating func insert(_ bytes: [UInt8]) {
    let pattern = bytes.map(Self.folded)
    guard pattern.count >= 4, case let start = Self.start(of: pattern, at: 0), byStart[start]?.contains(pattern) != true
    else { return }
    for index in 0..<4 { digits[Int(pattern[index])] |= 1 << index }
    digits[Int(UInt8(ascii: " "))] = digits[Int(UInt8(ascii: "+"))]
    longest = max(longest, pattern.count)
    byStart[start, default: []].append(pattern)
    byStart[start]?.sort { $0.count > $1.count }
  }

  /// Returns the matches as ranges of the original text.
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

  /// Returns the range at the end of a text that is the beginning of a pattern, at least four bytes long.
  func beginning(atEndOf bytes: [UInt8]) -> Range<Int>? {
    let first = max(0, bytes.count - longest)
    for index in first..<max(first, bytes.count - 3) where mayBegin(bytes, at: index) {
      let rest = bytes[index...].map(Self.folded)
      if byStart[Self.start(of: bytes, at: index)]?.contains(where: { $0.starts(with: rest) }) == true {
        return index..<bytes.count
      }
    }
    return nil
  }

  /// Reports that a text begins with the end of a pattern (at least four bytes), or is a part of one.
  func isCut(atStartOf bytes: [UInt8]) -> Bool {
    let bytes = bytes.map(Self.folded)
    return bytes.count >= 4
      && byStart.values.joined().contains { pattern in
        (0...(pattern.count - 4)).contains { start in
          let rest = pattern[start...]
          return rest.count < bytes.count ? bytes.starts(with: rest) : rest.starts(with: bytes)
        }
      }
  }

  private func mayBegin(_ bytes: [UInt8], at index: Int) -> Bool {
    digits[Int(bytes[index])] & 1 != 0 && digits[Int(bytes[index + 1])] & 2 != 0
      && digits[Int(bytes[index + 2])] & 4 != 0 && digits[Int(bytes[index + 3])] & 8 != 0
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte }

  private static func start(of bytes: [UInt8], at index: Int) -> UInt32 {
    (index..<(index + 4)).reduce(0) { $0 << 8 | UInt32(folded(bytes[$1])) }
  }
}
