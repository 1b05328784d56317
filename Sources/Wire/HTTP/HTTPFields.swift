// Header fields in order; names match without regard to case (RFC 9110 §5).

package struct HTTPFields: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: Redactable

    package init(name: String, value: Redactable) {
      self.name = name
      self.value = value
    }

    /// Reports that the field has this name; only ASCII letters match without regard to case.
    package func isNamed(_ other: String) -> Bool {
      name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8, by: HTTPFields.isSameLetter)
    }
  }

  /// Reports that two bytes are equal, or the same ASCII letter in two cases.
  package static func isSameLetter(_ a: UInt8, _ b: UInt8) -> Bool {
    a == b || (a ^ b == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(a | 0x20))
  }

  /// Fields that this program made; unused if there is a block.
  private var own: [Field]
  /// Fields of a response, until they are changed.
  private var block: FieldBlock?

  package init(_ all: [Field] = []) {
    own = all
  }

  package init(_ block: FieldBlock) {
    own = []
    self.block = block
  }

  package var all: [Field] { block?.fields ?? own }

  /// Returns the values of a name in order; there may be several `Link` fields.
  package func values(of name: String) -> [String] {
    if let block { return block.values(of: name) }
    return own.filter { $0.isNamed(name) }.map { $0.value.text }
  }

  /// First value of a name.
  package subscript(_ name: String) -> String? {
    if let block { return block.firstValue(of: name) }
    return own.first { $0.isNamed(name) }?.value.text
  }

  /// Reports that the first value of a name is text.
  ///
  /// A value that is not UTF-8 has its bytes beyond ASCII percent-encoded.
  package func isText(_ name: String) -> Bool { block?.isText(name) ?? true }

  /// Reports that the name of some field begins with the prefix.
  package func hasName(startingWith prefix: String) -> Bool {
    if let block { return block.hasName(startingWith: prefix) }
    return own.contains { $0.name.utf8.starts(with: prefix.utf8, by: Self.isSameLetter) }
  }

  package mutating func append(_ name: String, _ value: Redactable) {
    change { $0.append(Field(name: name, value: value)) }
  }

  package mutating func append(_ name: String, _ value: String) {
    append(name, Redactable(value))
  }

  /// Removes every field with this name.
  package mutating func remove(_ name: String) {
    change { $0.removeAll { $0.isNamed(name) } }
  }

  /// Replaces every field with this name by one field.
  package mutating func set(_ name: String, _ value: Redactable) {
    remove(name)
    append(name, value)
  }

  private mutating func change(_ change: (inout [Field]) -> Void) {
    if let block { own = block.fields }
    block = nil
    change(&own)
  }

  package static func == (a: HTTPFields, b: HTTPFields) -> Bool { a.all == b.all }

  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension HTTPFields {
  /// The charset that `Content-Type` names, in lower case; nil for none (RFC 9110 §8.3.2).
  package var charset: String? {
    guard let type = self["Content-Type"], type.utf8.contains(UInt8(ascii: "=")) else { return nil }
    // Most types end so, and this is asked of every page.
    if type.hasSuffix("charset=utf-8") || type.hasSuffix("charset=UTF-8") { return "utf-8" }
    let named = Self.parameters(of: type).first { $0.name == "charset" && !$0.value.isEmpty }?.value.lowercased()
    // Some servers write single quotes, which are legal in a token.
    return named.flatMap { $0.filter { !" \t'".contains($0) } }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the parameters after the first semicolon of a value (RFC 9110 §5.6.6), with names in lower case; none from a
  /// place on that breaks the form.
  package static func parameters(of field: String) -> [(name: String, value: String)] {
    var rest = field.unicodeScalars.drop { $0 != ";" }
    var parameters: [(name: String, value: String)] = []
    while rest.popFirst() == ";" {
      let name = String(String.UnicodeScalarView(rest.prefix { $0 != "=" && $0 != ";" })).trimmingBlanks.lowercased()
      rest = rest.drop { $0 != "=" && $0 != ";" }
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
      if rest.first == "\"" {
        // A text that no quote ends is cut.
        guard let value = quotedText(&rest) else { return parameters }
        parameters.append((name, value))
      } else {
        let value = String.UnicodeScalarView(rest.prefix { $0 != ";" })
        parameters.append((name, String(value).trimmingBlanks))
      }
      rest = rest.drop { $0 != ";" }
    }
    return parameters
  }

  /// Takes a quoted text (RFC 9110 §5.6.4); nil if no quote ends it.
  private static func quotedText(_ rest: inout Substring.UnicodeScalarView) -> String? {
    var text = String.UnicodeScalarView()
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return String(text) }
      guard let next = scalar == "\\" ? rest.popFirst() : scalar else { return nil }
      text.append(next)
    }
    return nil
  }
}

extension String {
  /// The text without blanks and tabs at its ends.
  package var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension HTTPFields.Field {
  /// Names of fields whose values are always secrets, in lower case.
  private static let secretNames: Set = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2",
  ]

  /// Names of fields that reveal nothing of the body, even if the whole reply is hidden.
  private static let publicNames: Set = ["content-type", "content-length", "content-encoding", "date", "connection"]

  /// True if the value is always a secret, whatever its source.
  package var isAlwaysSecret: Bool { Self.secretNames.contains(name.lowercased()) }

  /// Returns the value for a recording or a message.
  ///
  /// - Parameter isHidden: true if the field is one of a reply that is a secret as a whole, such as a token.
  package func shownValue(hiding secrets: SecretStore, ofHiddenReply isHidden: Bool = false) -> String {
    let name = name.lowercased()
    let isSecret = isAlwaysSecret || isHidden && !Self.publicNames.contains(name)
    return isSecret ? "***" : secrets.redacting(value.redacted)
  }
}

// The fields of a response as the server sent them: bytes, and the ranges of each name and value. Callers read one or
// two of a dozen fields, so the others never become strings.

package struct FieldBlock: Sendable {
  private struct Line {
    let name: Range<Int>
    let value: Range<Int>
  }

  private let bytes: [UInt8]
  private var lines: [Line] = []
  /// A bit for the first letter of each name: most names that are asked for are missing, which needs no search.
  private var initials: UInt32 = 0

  /// Finds name and value in each line.
  ///
  /// - Parameter lines: ranges of the field lines, without line ends. A line without a colon is skipped.
  package init(_ bytes: [UInt8], lines: ArraySlice<Range<Int>>) {
    self.bytes = bytes
    self.lines.reserveCapacity(16)
    for line in lines {
      guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else { continue }
      var (start, end) = (colon + 1, line.upperBound)
      while start < end, Self.isBlank(bytes[start]) { start += 1 }
      while start < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
      // A blank before the colon is an error (RFC 9112 §5.1), but the meaning is clear.
      var nameEnd = colon
      while nameEnd > line.lowerBound, Self.isBlank(bytes[nameEnd - 1]) { nameEnd -= 1 }
      self.lines.append(Line(name: line.lowerBound..<nameEnd, value: start..<end))
      initials |= Self.initial(bytes[line.lowerBound])
    }
  }

  /// Returns the bit of a letter, in both cases; other bytes share these bits.
  private static func initial(_ byte: UInt8) -> UInt32 { 1 << UInt32(byte & 0x1F) }

  /// Reports that a byte is a space or a tab (RFC 9110 §5.6.3).
  package static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  var fields: [HTTPFields.Field] {
    lines.map { line in
      // Cookies are secrets (RFC 6265 §8.3).
      let value = text(line.value)
      return .init(
        name: text(line.name), value: isName(line.name, "Set-Cookie") ? .secret(value) : Redactable(value))
    }
  }

  func values(of name: String) -> [String] {
    var values: [String] = []
    guard mayHaveName(startingWith: name) else { return values }
    for line in lines where isName(line.name, name) { values.append(text(line.value)) }
    return values
  }

  func firstValue(of name: String) -> String? {
    guard mayHaveName(startingWith: name) else { return nil }
    for line in lines where isName(line.name, name) { return text(line.value) }
    return nil
  }

  func hasName(startingWith prefix: String) -> Bool {
    guard mayHaveName(startingWith: prefix) else { return false }
    let count = prefix.utf8.count
    return lines.contains { $0.name.count >= count && isName($0.name.prefix(count), prefix) }
  }

  private func mayHaveName(startingWith prefix: String) -> Bool {
    prefix.utf8.first.map { initials & Self.initial($0) != 0 } ?? true
  }

  private func isName(_ range: Range<Int>, _ name: String) -> Bool {
    let other = name.utf8
    guard range.count == other.count else { return false }
    var index = range.lowerBound
    for byte in other {
      guard HTTPFields.isSameLetter(bytes[index], byte) else { return false }
      index += 1
    }
    return true
  }

  /// Reports that the first value of a name is valid UTF-8, so that its text is exactly what the server sent.
  func isText(_ name: String) -> Bool {
    guard let line = lines.first(where: { isName($0.name, name) }) else { return true }
    return text(line.value).utf8.elementsEqual(bytes[line.value])
  }

  /// Returns the bytes as text, with bytes beyond ASCII percent-encoded if they are not UTF-8.
  ///
  /// Such values are mostly URLs, and in a URL the percent-encoded bytes mean the same.
  private func text(_ range: Range<Int>) -> String {
    let text = String(decoding: bytes[range], as: UTF8.self)
    return text.utf8.elementsEqual(bytes[range]) ? text : String(percentEncodingBeyondASCII: bytes[range])
  }
}

extension SecretStore {
  /// Adds the cookies of a response, which are secrets as well (RFC 6265 §8.3).
  ///
  /// Short words and numbers are settings, not secrets; they would redact half of every message.
  package func insertCookies(of fields: HTTPFields) {
    for cookie in fields.values(of: "Set-Cookie") {
      let pair = cookie.prefix { $0 != ";" }
      guard let mark = pair.firstIndex(of: "=") else { continue }
      let value = pair[pair.index(after: mark)...].filter { $0 != "\"" && $0 != " " }
      if !value.isSetting { insertPassing(value, of: String(pair[..<mark])) }
    }
  }
}

/// The head of a response.
package struct ReplyHead: Sendable, Hashable {
  package let status: Int
  package let fields: HTTPFields
  /// URL that answered, after redirects.
  package let url: Redactable
  /// Address that answered; nil if it is not known, as behind a proxy.
  package var peer: String?
  /// Time until the connection was made, including the look-up of the name and TLS; nil if it is not known.
  package var connectTime: Duration?

  /// True if nothing in the message says where the body ends, but the end of the connection or of its stream.
  ///
  /// For a stream of HTTP/2, libcurl 7.88 reports a reset with NO_ERROR as an end.
  package var hasOpenEnd = false

  package init(status: Int, fields: HTTPFields, url: Redactable) {
    self.status = status
    self.fields = fields
    self.url = url
  }
}
