// Text of an endpoint: the spec's own characters unchanged, and values that can't change the structure of the URL.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// Builds an endpoint (or a base) piece by piece, and tracks the current part of the URL.
struct EndpointText {
  private enum Part { case authority, path, query, fragment }

  private let scope: TemplateScope
  /// True if the text leads to the next page, so that values may be parts of a URL.
  private let isLink: Bool
  private var part = Part.path
  private var head = Redactable("")
  /// The current path segment, to check it as a whole, and its first hole.
  private var segment = ""
  private var segmentHole: Template.Hole?
  private var isFirstSegment = true
  /// Items of the query so far.
  ///
  /// Items with a missing optional value are dropped.
  private var items: [Redactable] = []
  private var item = Redactable("")
  private var isItemDropped = false

  /// Returns a reference that is still to be resolved; illegal characters are only partly encoded.
  ///
  /// - Parameter isLink: true for a link to the next page. In its path, a value that begins as a path, a query or a URL does
  ///   is inserted as it is: the server may lead anywhere where its links may lead.
  static func reference(
    _ template: Template, in scope: TemplateScope, isLink: Bool = false
  ) throws(ParameterError) -> Redactable {
    var text = EndpointText(scope: scope, isLink: isLink)
    if case .text(let start)? = template.pieces.first, start.beginsWithAuthority { text.part = .authority }
    for piece in template.pieces {
      switch piece {
      case .text(let literal): try text.append(literal)
      case .hole(let hole): try text.append(hole)
      }
    }
    return try text.finished()
  }

  private init(scope: TemplateScope, isLink: Bool) {
    (self.scope, self.isLink) = (scope, isLink)
  }

  // MARK: The spec's own text

  private mutating func append(_ literal: String) throws(ParameterError) {
    // Encode each piece separately, so that a `%` at the end of one stays a `%` whatever value follows.
    let text = percentEncodingIllegalBytes(in: literal, isQuery: part == .query)
    let authority = part == .authority && head.text.isEmpty ? text.authorityStart : text.startIndex
    head += Redactable(String(text[..<authority]))
    for character in text.unicodeScalars[authority...] { try append(character) }
  }

  private mutating func append(_ character: Unicode.Scalar) throws(ParameterError) {
    switch (character, part) {
    case (_, .fragment): break
    case ("#", _): try begin(.fragment)
    case ("?", .authority), ("?", .path): try begin(.query)
    case ("/", .authority), ("/", .path):
      try begin(.path)
      put(Redactable("/"))
    case ("&", .query): endItem()
    case (":", .path):
      // Before the first `/`, a colon ends a scheme (RFC 3986 §4.2).
      if isFirstSegment, let segmentHole {
        throw scope.fault(segmentHole, "a template can't supply a URL's scheme; write './' before it if it is a path")
      }
      put(Redactable(":"))
      segment.unicodeScalars.append(character)
    default:
      put(Redactable(String(character)))
      if part == .path { segment.unicodeScalars.append(character) }
    }
  }

  private mutating func begin(_ next: Part) throws(ParameterError) {
    if part == .path {
      try checkSegment()
      isFirstSegment = false
    }
    if part == .query { endItem() }
    part = next
    segment = ""
    segmentHole = nil
  }

  private mutating func put(_ text: Redactable) {
    switch part {
    case .authority, .path: head += text
    case .query: item += text
    case .fragment: break
    }
  }

  private mutating func endItem() {
    if !isItemDropped { items.append(item) }
    isItemDropped = false
    item = Redactable("")
  }

  // MARK: Values

  private mutating func append(_ hole: Template.Hole) throws(ParameterError) {
    guard part != .fragment else { return }
    guard let reading = try hole.reading(in: scope) else {
      guard part == .query else {
        throw scope.fault(hole, "the value is missing, and a path segment can't be empty; give a default: ${…:-text}")
      }
      isItemDropped = true
      return
    }
    let text = try hole.text(of: reading, in: scope)
    switch part {
    case .authority where isLink && text.text == text.redacted && ["/", "?"].contains(text.text.prefix(1)):
      try append(link: text.text)
    case .authority:
      try check(hole, inHost: text.text)
      put(text)
    case .authority where hole.isPath, .query where hole.isPath:
      throw scope.fault(hole, "':path' is for segments of the URL's path")
    case .path where hole.isPath:
      try append(path: text, of: hole)
    case .path where isLink && text.text == text.redacted && text.text.isPartOfURL:
      try append(link: text.text)
    case .path:
      try appendToSegment(hole, text)
    case .query, .fragment:
      put(hole.isEncoded ? text : text.percentEncoded)
    }
  }

  /// Appends a part of a URL, without a second slash after another one.
  private mutating func append(link text: String) throws(ParameterError) {
    let text = text.hasPrefix("/") && head.text.hasSuffix("/") ? String(text.dropFirst()) : text
    if head.text.isEmpty, text.beginsWithAuthority { part = .authority }
    try append(text)
  }

  /// Appends a value whose `/` separate segments, each of which is encoded by itself.
  private mutating func append(path text: Redactable, of hole: Template.Hole) throws(ParameterError) {
    for (index, part) in text.text.slashSeparated.enumerated() {
      if index > 0 {
        try begin(.path)
        put(Redactable("/"))
      }
      guard !["", ".", ".."].contains(part) else {
        let what = part.isEmpty ? "empty" : "'\(part)'"
        throw scope.fault(hole, "it makes a path segment \(what), and the URL would lead elsewhere")
      }
      try appendToSegment(hole, Redactable(part, redacted: text.isSecret ? "***" : nil))
    }
  }

  private mutating func appendToSegment(_ hole: Template.Hole, _ text: Redactable) throws(ParameterError) {
    if head.text.isEmpty, text.text.contains("://") {
      throw scope.fault(hole, "a URL from a value must be the whole endpoint; put query items into 'query'")
    }
    if hole.isEncoded, text.text.contains(where: { "/?".contains($0) }) {
      throw scope.fault(hole, "the value has '/' or '?', which would end the segment of the path")
    }
    let encoded = hole.isEncoded ? text : text.percentEncoded
    put(encoded)
    segment += encoded.text
    segmentHole = segmentHole ?? hole
  }

  private func check(_ hole: Template.Hole, inHost text: String) throws(ParameterError) {
    guard hole.root == .param else {
      throw scope.fault(hole, "only a parameter can stand in a host; read it as '${param.name}'")
    }
    let isHostText = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte.isLetterOrDigit
    }
    guard isHostText else {
      throw scope.fault(hole, "in a host, a parameter is made of ASCII letters, digits, '-' and '.'")
    }
  }

  /// Throws if a value makes a segment empty, `.` or `..`, which would lead elsewhere (RFC 3986 §5.2.4).
  private func checkSegment() throws(ParameterError) {
    guard let segmentHole else { return }
    let decoded = String(decoding: segment.percentDecoded, as: UTF8.self)
    guard decoded.isEmpty || decoded == "." || decoded == ".." else { return }
    let what = decoded.isEmpty ? "empty" : "'\(decoded)'"
    throw scope.fault(segmentHole, "it makes a path segment \(what), and the URL would lead elsewhere")
  }

  private mutating func finished() throws(ParameterError) -> Redactable {
    if part != .fragment { try begin(.fragment) }
    var reference = head
    for (index, item) in items.enumerated() {
      reference += Redactable(index == 0 ? "?" : "&")
      reference += item
    }
    return reference
  }
}

extension String {
  /// True if the text begins as a path, a query or a whole URL.
  fileprivate var isPartOfURL: Bool { hasPrefix("/") || hasPrefix("?") || beginsWithAuthority }

  /// True if the text begins with `https://` or `//`.
  fileprivate var beginsWithAuthority: Bool { authorityStart > startIndex }

  /// Index after the `//` that begins the text or follows its scheme; the start if there is none.
  fileprivate var authorityStart: Index {
    let scheme = prefix { !":/?#".contains($0) }
    let rest = self[scheme.endIndex...]
    if rest.hasPrefix("://") { return index(rest.startIndex, offsetBy: 3) }
    return hasPrefix("//") ? index(startIndex, offsetBy: 2) : startIndex
  }
}

extension Redactable {
  /// The text percent-encoded.
  ///
  /// `***` is legal everywhere in a URL (RFC 3986 §2.2), and stays.
  fileprivate var percentEncoded: Redactable {
    Redactable(text.percentEncoded, redacted: isSecret ? redacted : text.percentEncoded)
  }
}
