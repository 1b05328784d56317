// An endpoint's text: the spec's own characters as they stand, and values that can't break out of their places.

import PipelineSpec
import Wire

/// Puts an endpoint (or a base) together, piece by piece, and knows in which part of the URL it is.
struct EndpointText {
  private enum Part { case authority, path, query, fragment }

  private let scope: TemplateScope
  private var part = Part.path
  private var head = Redactable("")
  /// The path segment so far, for what it becomes as a whole; and the first hole in it.
  private var segment = ""
  private var segmentHole: Template.Hole?
  private var isFirstSegment = true
  /// Items of the query so far. Those with an optional value that is missing are dropped.
  private var items: [Redactable] = []
  private var item = Redactable("")
  private var isItemDropped = false

  /// A reference, still to be resolved: what may not stand in a URL is encoded only in part.
  static func reference(_ template: Template, in scope: TemplateScope) throws(ParameterError) -> Redactable {
    var text = EndpointText(scope: scope)
    if case .text(let start)? = template.pieces.first, start.beginsWithAuthority { text.part = .authority }
    for piece in template.pieces {
      switch piece {
      case .text(let literal): try text.append(literal)
      case .hole(let hole): try text.append(hole)
      }
    }
    return try text.finished()
  }

  private init(scope: TemplateScope) {
    self.scope = scope
  }

  // MARK: The spec's own text

  private mutating func append(_ literal: String) throws(ParameterError) {
    // Piece by piece, so that a `%` at the end of one stays a `%` whatever value follows.
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
      // Before the first `/`, what stands before a colon is a scheme (RFC 3986 §4.2).
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
      guard part == .query else { throw scope.fault(hole, "it is missing, and no path can do without it") }
      isItemDropped = true
      return
    }
    let text = try hole.text(of: reading, in: scope)
    switch part {
    case .authority:
      try check(hole, inHost: text.text)
      put(text)
    case .path:
      try appendToSegment(hole, text)
    case .query, .fragment:
      put(text.percentEncoded)
    }
  }

  private mutating func appendToSegment(_ hole: Template.Hole, _ text: Redactable) throws(ParameterError) {
    if head.text.isEmpty, text.text.contains("://") {
      throw scope.fault(hole, "a URL from a value must be the whole endpoint; put query items into 'query'")
    }
    let encoded = text.percentEncoded
    put(encoded)
    segment += encoded.text
    segmentHole = segmentHole ?? hole
  }

  private func check(_ hole: Template.Hole, inHost text: String) throws(ParameterError) {
    guard hole.root == .param else {
      throw scope.fault(hole, "only a parameter can stand in a host; read it as '${param.name}'")
    }
    let isHostText = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte.isASCIIAlphanumeric
    }
    guard isHostText else {
      throw scope.fault(hole, "in a host, a parameter is made of ASCII letters, digits, '-' and '.'")
    }
  }

  /// RFC 3986 §5.2.4: such a segment would lead elsewhere.
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
  /// `https://` or `//`.
  fileprivate var beginsWithAuthority: Bool { authorityStart > startIndex }

  /// Behind the `//` that begins it or follows its scheme; its start when there is none.
  fileprivate var authorityStart: Index {
    let scheme = prefix { !":/?#".contains($0) }
    let rest = self[scheme.endIndex...]
    if rest.hasPrefix("://") { return index(rest.startIndex, offsetBy: 3) }
    return hasPrefix("//") ? index(startIndex, offsetBy: 2) : startIndex
  }
}

extension Redactable {
  /// `***` is legal everywhere in a URL (RFC 3986 §2.2), and stays.
  fileprivate var percentEncoded: Redactable {
    Redactable(text.percentEncoded, redacted: isSecret ? redacted : text.percentEncoded)
  }
}

extension UInt8 {
  fileprivate var isASCIIAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }
}
