// Links of a page: the `Link` header (RFC 8288), and arrays of links in a body.

import JSONText
import Primitives

/// A link, with the parts that a pager uses.
struct WebLink: Hashable, Sendable {
  /// Target as written, perhaps relative; nil if the value is not text.
  let target: String?
  /// Relation types in lower case, since they are compared without regard to case (RFC 8288 §2.1).
  let relations: [String]
  /// Subject of the link; nil for the default, which is the page itself (§3.2).
  let anchor: String?
  /// True if the header says that the target has no records: Sentry writes `results="false"` after the last page.
  var isEmpty = false
}

extension WebLink {
  /// Returns the links of one `Link` field, in order, as RFC 8288 appendix B.2 says; invalid parts are skipped.
  static func links(in field: String) -> [WebLink] { read(field).links }

  /// Reports that an unreadable part of a `Link` field names a relation, so that such a link may be lost.
  static func isLost(_ relation: String, in field: String) -> Bool {
    read(field).unread.holds(word: Array(relation.lowercased().utf8))
  }

  private static func read(_ field: String) -> (links: [WebLink], unread: [UInt8]) {
    var text = LinkText(rest: Array(field.utf8)[...])
    var links: [WebLink] = []
    while text.skipToTarget() {
      guard let target = text.takeTarget() else { break }
      var parameters: [String: String] = [:]
      while let (name, value) = text.takeParameter() {
        // The first `rel` and the first `anchor` count (§3.3).
        if parameters[name] == nil { parameters[name] = value }
      }
      let relations = words(parameters["rel"] ?? "")
      for relation in relations where !isRelationType(relation.utf8) { text.miss(relation.utf8) }
      let isEmpty = parameters["results"] == "false"
      links.append(
        WebLink(target: target, relations: relations, anchor: parameters["anchor"], isEmpty: isEmpty))
    }
    return (links, text.unread.map { $0.lowercased })
  }

  /// Reports that a text is a registered name (or looks like one), or a URI (RFC 8288 §3.3).
  private static func isRelationType(_ text: String.UTF8View) -> Bool {
    text.allSatisfy(\.isName) || text.contains(UInt8(ascii: ":")) && text.allSatisfy(\.isURLPart)
  }

  /// Reports that a `Link` field ends within a target.
  static func isCut(_ field: String) -> Bool {
    var text = LinkText(rest: Array(field.utf8)[...])
    while text.skipToTarget() {
      if text.takeTarget() == nil { return true }
    }
    return false
  }

  /// Returns the links of an array of `{rel or relation, href or url}`, in order.
  ///
  /// A relation may be an array of relations. An element with a null target is no link. A missing target can't be read.
  static func links(in array: JSONValue) -> [WebLink] {
    array.elements.compactMap { element in
      let value = element["href"] ?? element["url"]
      guard value?.isNull != true, let relation = relation(of: element) else { return nil }
      // An element with only a relation leads nowhere.
      let isBare = element.members.allSatisfy { ["rel", "relation"].contains($0.name) }
      guard value != nil || !isBare else { return nil }
      let texts = relation.kind == .array ? relation.elements.compactMap(\.string) : [relation.string ?? ""]
      return WebLink(target: value?.string, relations: texts.flatMap(words), anchor: element["anchor"]?.string)
    }
  }

  static func hasRelation(_ element: JSONValue) -> Bool { relation(of: element) != nil }

  private static func relation(of element: JSONValue) -> JSONValue? { element["rel"] ?? element["relation"] }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}

/// The unread rest of a `Link` field.
private struct LinkText {
  private(set) var rest: ArraySlice<UInt8>
  /// Skipped text and invalid parts of links, separated by blanks.
  private(set) var unread: [UInt8] = []

  init(rest: ArraySlice<UInt8>) {
    self.rest = rest
  }

  mutating func miss(_ bytes: some Sequence<UInt8>) {
    unread += bytes
    unread.append(UInt8(ascii: " "))
  }

  /// Skips to the next `<` that begins a link, over commas, white space and invalid text.
  mutating func skipToTarget() -> Bool {
    let start = rest
    while let byte = rest.first, byte != UInt8(ascii: "<") {
      if byte == UInt8(ascii: "\"") { _ = takeQuoted() } else { rest = rest.dropFirst() }
    }
    miss(start[..<rest.startIndex])
    return !rest.isEmpty
  }

  /// Takes the text in `<>`, which may contain commas and semicolons; nil if it has no end.
  mutating func takeTarget() -> String? {
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
      miss(rest)
      return nil
    }
    let target = rest[rest.startIndex..<end].dropFirst()
    rest = rest[end...].dropFirst()
    return String(decoding: target.trimmed, as: UTF8.self)
  }

  /// Takes the next parameter of the link, its name in lower case; nil after the last, with the comma taken.
  mutating func takeParameter() -> (name: String, value: String)? {
    skipSpace()
    while rest.first == UInt8(ascii: ";") {
      rest = rest.dropFirst()
      skipSpace()
      let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      let value = takeValue()
      if !name.allSatisfy(\.isTokenPart) { miss(name + [UInt8(ascii: "=")] + value.utf8) }
      skipSpace()
      // `;;` is allowed, and has no name.
      if !name.isEmpty { return (String(decoding: name, as: UTF8.self).lowercased(), value) }
    }
    return nil
  }

  /// Takes the value after a name: `="quoted"`, `=token`, or nothing.
  ///
  /// Single quotes are legal in a token, but are removed here, since some servers write `='quoted'`.
  private mutating func takeValue() -> String {
    guard rest.first == UInt8(ascii: "=") else { return "" }
    rest = rest.dropFirst()
    skipSpace()
    if rest.first == UInt8(ascii: "\"") { return takeQuoted() }
    let value = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    // `title=x rel=next`: the value contains another parameter.
    if value.contains(UInt8(ascii: "=")), value.contains(where: \.isSpace) { miss(value) }
    let isQuoted = value.count > 1 && value.first == UInt8(ascii: "'") && value.last == UInt8(ascii: "'")
    return String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
  }

  /// Takes a quoted string (RFC 9110 §5.6.4).
  ///
  /// Without a closing quote the text to the end counts as unread.
  private mutating func takeQuoted() -> String {
    var text: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte != UInt8(ascii: "\\") { text.append(byte) } else if let escaped = rest.popFirst() { text.append(escaped) }
    }
    miss(text)
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return part.trimmed
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0.isSpace }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    var text = drop { $0.isSpace }
    while text.last?.isSpace == true { text.removeLast() }
    return text
  }
}

extension [UInt8] {
  /// Reports that the bytes contain a word, and not only as a part of a longer name.
  fileprivate func holds(word: [UInt8]) -> Bool {
    ranges(of: word).contains { range in
      ![self[..<range.lowerBound].last, self[range.upperBound...].first].contains { $0?.isName == true }
    }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// True for a byte that names of relations may contain.
  fileprivate var isName: Bool { isLetterOrDigit || "-._".utf8.contains(self) }

  /// True for a byte of a token (RFC 9110 §5.6.2).
  fileprivate var isTokenPart: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// True for a byte that URLs may contain, except for single quotes, which are more likely quotes here.
  fileprivate var isURLPart: Bool { (0x21...0x7E).contains(self) && !"\"'<>\\^`{|}".utf8.contains(self) }

  fileprivate var lowercased: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
