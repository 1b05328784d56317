// Where a spec has credentials as plain text, so that no message shows them.

import Diagnostics
import Primitives

/// Finds the texts under `auth`, and those of keys, header fields and items with the name of a credential.
///
/// It reads bytes, not nodes, since a file whose YAML is wrong has none. What it takes for a credential may be none,
/// such as a word in the wrong place: then the message shows asterisks, and its place says the rest.
struct CredentialLiterals {
  /// Ranges in the source, in order.
  private(set) var ranges: [Range<Int>] = []

  private let bytes: [UInt8]
  private var position = 0
  private var lineStart = 0
  /// Depth of brackets.
  private var depth = 0
  /// The part in which texts are credentials; nil outside.
  private var part: Part?

  private struct Part {
    /// Depth of brackets around the key.
    let depth: Int
    /// Column of the key, from 0.
    let column: Int
    let isOneValue: Bool
  }

  private static let keys: Set<String> = ["authorization", "proxy-authorization", "cookie"]

  init(in source: SourceText) {
    bytes = source.bytes
    while position < bytes.count { step() }
  }

  private mutating func step() {
    switch bytes[position] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      position += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if let part, depth < part.depth { self.part = nil }
      position += 1
    case UInt8(ascii: ","):
      if let part, part.isOneValue || depth == part.depth, depth > 0 { self.part = nil }
      position += 1
    case UInt8(ascii: "#") where isAfterSpace:
      position = lineEnd
    case 0x0A, 0x0D:
      position += 1
      lineStart = position
      endPartOfBlock()
    case 0x20, 0x09:
      position += 1
    case UInt8(ascii: "-") where [0x20, 0x09, 0x0A].contains(byte(at: position + 1)):
      position += 1
    default:
      takeText()
    }
  }

  /// Ends a part in block style at a line that is not below its key.
  private mutating func endPartOfBlock() {
    guard let part, part.depth == 0 else { return }
    let next = bytes[lineStart...].firstIndex { ![0x20, 0x09].contains($0) } ?? bytes.count
    guard next < bytes.count, ![0x0A, 0x0D].contains(bytes[next]) else { return }
    if next - lineStart <= part.column {
      self.part = nil
      depth = 0
    }
  }

  private mutating func takeText() {
    let start = position
    let quote = bytes[start]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    position = isQuoted ? quotedEnd(quote) : plainEnd
    let end = bytes[start..<position].lastIndex { ![0x20, 0x09].contains($0) } ?? start
    let text = start..<end + 1
    var next = position
    while [0x20, 0x09].contains(byte(at: next)) { next += 1 }
    if byte(at: next) == UInt8(ascii: ":"), isQuoted || [0x20, 0x09, 0x0A, 0x0D, nil].contains(byte(at: next + 1)) {
      position = next + 1
      let key = String(decoding: bytes[text], as: UTF8.self).lowercased().filter { $0 != "\"" && $0 != "'" }
      // 'key' is a word of the language, too.
      let isCredential =
        Self.keys.contains(key) || !key.hasPrefix("key") && CredentialName.isCredential(item: key)
      // No key has blanks: `auth: { bearer: a b: c }` has them in its text.
      if part != nil, key.contains(" ") { ranges.append(text) }
      if part == nil, isCredential {
        part = Part(depth: depth, column: start - lineStart, isOneValue: key != "auth")
      }
    } else if part != nil && !isPublic(text) || hasUser(text) {
      ranges.append(text)
    }
  }

  /// A template shows no secret, and neither do a URL and the words of the language.
  private func isPublic(_ text: Range<Int>) -> Bool {
    let text = String(decoding: bytes[text], as: UTF8.self)
    if text.contains("${") { return true }
    let bare = text.filter { $0 != "\"" && $0 != "'" }
    return bare.hasPrefix("http") && bare.contains("://") && !bare.contains("@")
      || ["netrc", "basic", "body", "header", "query", "|", ">", "null"].contains(bare)
  }

  /// Reports that a text is a URL with a user in it.
  private func hasUser(_ text: Range<Int>) -> Bool {
    guard let at = bytes[text].firstIndex(of: UInt8(ascii: "@")) else { return false }
    let before = String(decoding: bytes[text.lowerBound..<at], as: UTF8.self)
    return before.firstRange(of: "://").map { !before[$0.upperBound...].contains("/") } ?? false
  }

  // MARK: Bytes

  private func byte(at index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

  private var isAfterSpace: Bool {
    position == 0 || [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position - 1])
  }

  private var lineEnd: Int { bytes[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count }

  /// The place behind the closing quote, or the end of the line where there is none.
  private func quotedEnd(_ quote: UInt8) -> Int {
    var index = position + 1
    while let byte = byte(at: index), byte != 0x0A, byte != 0x0D {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        index += 2
      } else if byte != quote {
        index += 1
      } else if quote == UInt8(ascii: "'"), self.byte(at: index + 1) == quote {
        index += 2
      } else {
        return index + 1
      }
    }
    return min(index, bytes.count)
  }

  /// The end of text without quotes: before `: `, ` #`, the line's end, and in brackets before one of these or a comma.
  private var plainEnd: Int {
    var index = position
    while let byte = byte(at: index), byte != 0x0A, byte != 0x0D {
      let next = self.byte(at: index + 1)
      if byte == UInt8(ascii: "$"), next == UInt8(ascii: "{"),
        let end = bytes[index...].firstIndex(where: { [UInt8(ascii: "}"), 0x0A].contains($0) })
      {
        index = max(end, index + 1)
        if bytes[end] == 0x0A { return end }
      }
      if byte == UInt8(ascii: ":"), [0x20, 0x09, 0x0A, 0x0D, nil].contains(next) { break }
      if [0x20, 0x09].contains(byte), next == UInt8(ascii: "#") { break }
      if depth > 0, ",{}[]".utf8.contains(byte), bytes[index] == byte { break }
      index += 1
    }
    return max(index, position + 1)
  }
}
