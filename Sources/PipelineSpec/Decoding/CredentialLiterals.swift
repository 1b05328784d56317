// Finds plain-text credentials in a spec, so that no message shows them.

import Diagnostics
import Primitives

/// Finds the ranges of plain-text credentials in a spec.
///
/// Credentials are the texts under `auth`, and the values of keys, header fields and items with the name of a
/// credential. Such items may also be inside other texts.
///
/// The search reads bytes, since a file with invalid YAML has no nodes. It may take another word for a credential. A
/// message then shows asterisks, but still has the position.
struct CredentialLiterals {
  /// Ranges in the source, in order.
  private(set) var ranges: [Range<Int>] = []

  private let bytes: [UInt8]
  private var position = 0
  private var lineStart = 0
  /// Depth of brackets.
  private var depth = 0
  /// True if a key came last, on the same line.
  private var isAfterKey = false
  /// The part in which texts are credentials; nil outside.
  private var part: Part?

  private struct Part {
    /// Depth of brackets around the key.
    let depth: Int
    /// Column of the key, from 0.
    let column: Int
    /// True if it is `auth`, in which keys may be wrong, too.
    let isAuth: Bool
  }

  private static let keys: Set<String> = ["authorization", "proxy-authorization", "cookie"]

  init(in source: SourceText) {
    bytes = source.bytes
    while position < bytes.count { step() }
  }

  private mutating func step() {
    switch bytes[position] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      isAfterKey = false
      depth += 1
      position += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth = max(0, depth - 1)
      if let part, depth < part.depth { self.part = nil }
      position += 1
    case UInt8(ascii: ","):
      isAfterKey = false
      if let part, depth == part.depth, depth > 0 { self.part = nil }
      position += 1
    case UInt8(ascii: "#") where isAfterSpace:
      if part != nil { ranges.append(position..<lineEnd(from: position)) }
      position = lineEnd(from: position)
    case 0x0A, 0x0D:
      position += 1
      (lineStart, isAfterKey) = (position, false)
      endPartOfBlock()
    case 0x20, 0x09:
      position += 1
    case UInt8(ascii: "-") where isSpace(byte(at: position + 1)):
      position += 1
    default:
      takeText()
    }
  }

  /// Ends a part in block style at a line that is not below its key.
  private mutating func endPartOfBlock() {
    guard let part, part.depth == 0 else { return }
    let next = indentEnd(of: lineStart)
    guard next < bytes.count, !isLineEnd(bytes[next]) else { return }
    // The elements of a list may begin at its key's own column.
    let isElement = bytes[next] == UInt8(ascii: "-") && isSpace(byte(at: next + 1)) && next - lineStart == part.column
    if next - lineStart <= part.column, !isElement {
      self.part = nil
      depth = 0
    }
  }

  private mutating func takeText() {
    let start = position
    let quote = bytes[start]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    position = isQuoted ? quotedEnd(quote) : plainEnd
    let end = bytes[start..<position].lastIndex { !isBlank($0) } ?? start
    let text = start..<end + 1
    var next = position
    while let byte = byte(at: next), isBlank(byte) { next += 1 }
    if byte(at: next) == UInt8(ascii: ":"), isQuoted || isSpace(byte(at: next + 1)) {
      position = next + 1
      takeKey(text)
    } else if !isQuoted, isBlockHeader(text) {
      takeBlockScalar()
    } else {
      takeValue(text)
    }
  }

  private mutating func takeKey(_ text: Range<Int>) {
    let key = String(decoding: bytes[text], as: UTF8.self).filter { $0 != "\"" && $0 != "'" }
    // A key of 'auth' has no blanks, and does not follow another key on its line: in `bearer: a b: c`, `a b` is text.
    if part?.isAuth == true, key.contains(" ") || isAfterKey && !isKind(key) { ranges.append(text) }
    isAfterKey = true
    guard part == nil, isCredential(key) else { return }
    part = Part(depth: depth, column: text.lowerBound - lineStart, isAuth: key == "auth")
  }

  private func isKind(_ key: String) -> Bool { SpecKeys.auth.contains { $0.name == key } }

  private func isCredential(_ key: String) -> Bool {
    if Self.keys.contains(key.lowercased()) { return true }
    // 'key' is a word of the language, too.
    if depth == 0, key.lowercased().filter(\.isLetter) == "key" { return false }
    return CredentialName.isCredential(item: key) || key.contains("-") && CredentialName.isCredential(field: key)
  }

  private mutating func takeValue(_ text: Range<Int>) {
    if hasUser(text) {
      ranges.append(text)
    } else if part != nil {
      if !isPublic(text) { ranges += outsideTemplates(text) }
    } else {
      ranges += items(in: text)
    }
  }

  /// Takes the lines of a block scalar: each is a text, and brackets in it do not count.
  private mutating func takeBlockScalar() {
    let column = indentEnd(of: lineStart) - lineStart
    position = lineEnd(from: position)
    while position < bytes.count {
      let start = position + 1
      let first = indentEnd(of: start)
      guard first < bytes.count else { return position = bytes.count }
      let end = lineEnd(from: first)
      if first < end {
        guard first - start > column else { return }
        if part == nil { ranges += items(in: first..<end) } else { ranges.append(first..<end) }
      }
      position = end
    }
  }

  private func isBlockHeader(_ text: Range<Int>) -> Bool {
    guard let first = bytes[text].first, first == UInt8(ascii: "|") || first == UInt8(ascii: ">") else { return false }
    return bytes[text].dropFirst().allSatisfy { "+-0123456789".utf8.contains($0) }
  }

  // MARK: Texts

  /// Reports that a text is no secret: a URL, the path of a token, or a word of the language.
  private func isPublic(_ text: Range<Int>) -> Bool {
    let bare = String(decoding: bytes[text], as: UTF8.self).filter { $0 != "\"" && $0 != "'" }
    return bare.hasPrefix("http") && bare.contains("://") && !bare.contains("@")
      || ["body.", "headers.", "cookies."].contains(where: bare.hasPrefix)
      || ["netrc", "basic", "body", "header", "query", "null", "true", "false"].contains(bare)
  }

  /// Authentication schemes, which precede a token and are no secrets.
  private static let schemes: Set = ["bearer", "token", "basic", "apikey", "bot", "key", "jwt"]

  /// Returns the text, or its parts outside templates; a part that is an authentication scheme is left out.
  private func outsideTemplates(_ text: Range<Int>) -> [Range<Int>] {
    guard bytes[text].contains(UInt8(ascii: "{")) else { return [text] }
    var parts: [Range<Int>] = []
    var start = text.lowerBound
    func add(_ end: Int) {
      let part = String(decoding: bytes[start..<end], as: UTF8.self).filter { $0.isLetter || $0.isNumber }
      if !part.isEmpty, !Self.schemes.contains(part.lowercased()) { parts.append(start..<end) }
    }
    while let hole = bytes[start..<text.upperBound].firstIndex(of: UInt8(ascii: "$")) {
      guard byte(at: hole + 1) == UInt8(ascii: "{"),
        let end = bytes[hole..<text.upperBound].firstIndex(of: UInt8(ascii: "}"))
      else { break }
      add(hole)
      start = end + 1
    }
    add(text.upperBound)
    return parts
  }

  /// Returns the values of credential items in a text: `?api_key=…&x=1`, `Authorization: …`.
  private func items(in text: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = text.lowerBound
    while let sign = bytes[index..<text.upperBound].firstIndex(where: {
      $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":")
    }) {
      let name = bytes[text.lowerBound..<sign].suffix { $0.isWord }
      let key = String(decoding: name, as: UTF8.self)
      index = sign + 1
      guard !key.isEmpty, Self.keys.contains(key.lowercased()) || CredentialName.isCredential(item: key) else {
        continue
      }
      let isItem = bytes[sign] == UInt8(ascii: "=")
      let end = bytes[index..<text.upperBound].firstIndex { isItem && ($0 == UInt8(ascii: "&") || isBlank($0)) }
      let value = index..<(end ?? text.upperBound)
      if !value.isEmpty { found += outsideTemplates(value) }
      index = value.upperBound
    }
    return found
  }

  /// Reports that a text is a URL with a user in it.
  private func hasUser(_ text: Range<Int>) -> Bool {
    guard let at = bytes[text].firstIndex(of: UInt8(ascii: "@")) else { return false }
    let before = String(decoding: bytes[text.lowerBound..<at], as: UTF8.self)
    return before.firstRange(of: "://").map { !before[$0.upperBound...].contains("/") } ?? false
  }

  // MARK: Bytes

  private func byte(at index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }
  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
  /// True for white space, and for nil, which stands for the end of the source.
  private func isSpace(_ byte: UInt8?) -> Bool { byte.map { isBlank($0) || isLineEnd($0) } ?? true }

  private var isAfterSpace: Bool { position == 0 || isSpace(bytes[position - 1]) }

  private func lineEnd(from index: Int) -> Int { bytes[index...].firstIndex { isLineEnd($0) } ?? bytes.count }

  private func indentEnd(of start: Int) -> Int {
    start < bytes.count ? bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count : bytes.count
  }

  /// Returns the index after the closing quote, or that of the line's end if no quote closes the text.
  private func quotedEnd(_ quote: UInt8) -> Int {
    var index = position + 1
    while let byte = byte(at: index), !isLineEnd(byte) {
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

  /// End of a text without quotes: at `: `, ` #` or the line's end, and inside brackets also at a bracket or a comma.
  private var plainEnd: Int {
    var index = position
    while let byte = byte(at: index), !isLineEnd(byte) {
      let next = self.byte(at: index + 1)
      if byte == UInt8(ascii: "$"), next == UInt8(ascii: "{") {
        let line = index..<lineEnd(from: index)
        guard let end = bytes[line].firstIndex(of: UInt8(ascii: "}")) else { return line.upperBound }
        index = end + 1
        continue
      }
      if byte == UInt8(ascii: ":"), isSpace(next) { break }
      if isBlank(byte), next == UInt8(ascii: "#") { break }
      if depth > 0, ",{}[]".utf8.contains(byte) { break }
      index += 1
    }
    return max(index, position + 1)
  }
}

extension ArraySlice<UInt8> {
  /// Returns the longest suffix whose bytes all have a property.
  fileprivate func suffix(while holds: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = lastIndex { !holds($0) }.map { $0 + 1 } ?? startIndex
    return self[start...]
  }
}
