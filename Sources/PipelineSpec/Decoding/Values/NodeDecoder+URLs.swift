// Checks `base` and `endpoint` before their templates have values: a template never supplies a scheme, and a host only
// allows `${param.x}`.

import YAMLText

internal import Diagnostics

/// URL reference as letters and holes (RFC 3986 §4.1).
private struct URLShape {
  enum Token {
    case byte(UInt8)
    case hole(Template.Hole)

    func isByte(_ byte: UInt8) -> Bool {
      if case .byte(let own) = self { own == byte } else { false }
    }

    var hole: Template.Hole? {
      if case .hole(let hole) = self { hole } else { nil }
    }
  }

  private(set) var scheme: ArraySlice<Token>?
  private(set) var authority: ArraySlice<Token>?
  /// Tokens after scheme and authority.
  private(set) var rest: ArraySlice<Token>

  init(_ template: Template) {
    rest =
      template.pieces.flatMap { piece -> [Token] in
        switch piece {
        case .text(let text): text.utf8.map { Token.byte($0) }
        case .hole(let hole): [.hole(hole)]
        }
      }[...]
    let end = rest.firstIndex { Self.isDelimiter($0) } ?? rest.endIndex
    if let colon = rest[..<end].firstIndex(where: { $0.isByte(UInt8(ascii: ":")) }) {
      scheme = rest[..<colon]
      rest = rest[(colon + 1)...]
    }
    if rest.count >= 2, rest.prefix(2).allSatisfy({ $0.isByte(UInt8(ascii: "/")) }) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex { Self.isDelimiter($0) } ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
  }

  private static func isDelimiter(_ token: Token) -> Bool {
    token.isByte(UInt8(ascii: "/")) || token.isByte(UInt8(ascii: "?")) || token.isByte(UInt8(ascii: "#"))
  }

  /// Returns the letters, with a digit for each hole: a digit is valid in a host and in a port.
  static func text(of tokens: ArraySlice<Token>) -> String {
    let bytes = tokens.map { token in
      if case .byte(let byte) = token { byte } else { UInt8(ascii: "1") }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension NodeDecoder {
  /// Checks that a base is an absolute URL ending in `/`; returns false after a diagnostic.
  mutating func checkBase(_ base: Template, _ node: Node) -> Bool {
    let before = mistakes.count
    if let hole = base.originHole {
      checkPath(after: hole, base, node)
      return mistakes.count == before
    }
    let shape = URLShape(base)
    guard shape.scheme != nil else {
      refuseRelative(shape, node, "'base' is not absolute", advice: "begin it with '\(base.likelyScheme)'")
      return false
    }
    check(shape, node, advice: "begin it with '\(base.likelyScheme)'")
    checkPath(shape, node)
    return mistakes.count == before
  }

  /// Checks that a path follows the value that supplies scheme and host, so that the value alone decides the origin.
  private mutating func checkPath(after hole: Template.Hole, _ base: Template, _ node: Node) {
    guard case .text(let text)? = base.pieces.dropFirst().first, text.utf8.first == UInt8(ascii: "/") else {
      let advice = "write '\(hole.spelling)/', then the path"
      refuse("no '/' after the value that supplies scheme and host", at: node.range, advice: advice)
      return
    }
    checkPath(URLShape(base), node)
  }

  private mutating func checkPath(_ shape: URLShape, _ node: Node) {
    if let index = shape.rest.firstIndex(where: { $0.isByte(UInt8(ascii: "?")) || $0.isByte(UInt8(ascii: "#")) }) {
      let what = shape.rest[index].isByte(UInt8(ascii: "?")) ? "query" : "fragment"
      refuse("a \(what) in 'base'", at: node.range, advice: "end 'base' with '/', and put the rest into 'endpoint'")
    } else if shape.rest.last?.isByte(UInt8(ascii: "/")) != true {
      refuse("'base' does not end in '/'", at: node.range, advice: "add a '/' to it")
    }
  }

  /// Checks that an endpoint is a URL, or a reference that the base completes.
  mutating func check(
    _ endpoint: Template, of draft: JobDraft, _ node: Node, named key: String = "endpoint"
  ) {
    let hasBase = draft.job.base != nil || draft.own["base"] != nil || draft.inherited["base"] != nil
    if endpoint.inputURL != nil {
      guard !hasBase, draft.job.hosts.isEmpty, draft.own["hosts"] == nil, draft.inherited["hosts"] == nil else {
        return
      }
      let advice = "give 'base', or list the hosts it may lead to in 'hosts'"
      refuse("\(key == "url" ? "a URL" : "an endpoint") from a record needs an origin", at: node.range, advice: advice)
      return
    }
    let shape = URLShape(endpoint)
    if shape.scheme == nil, shape.authority == nil || !hasBase {
      guard !hasBase else { return }
      refuseRelative(
        shape, node, "'\(key)' is relative and there is no 'base'",
        advice: "begin it with '\(endpoint.likelyScheme)', or give the job a 'base'")
    } else {
      let scheme = "begin it with '\(endpoint.likelyScheme)'"
      check(shape, node, advice: hasBase ? "write './' before it if it is a path" : scheme)
    }
  }

  private mutating func refuseRelative(_ shape: URLShape, _ node: Node, _ message: String, advice: String) {
    if let hole = shape.rest.first?.hole {
      refuse("a template can't supply scheme and host", at: range(of: hole), advice: advice)
    } else {
      refuse(message, at: node.range, advice: advice)
    }
  }

  /// Checks scheme and authority of a reference that has at least one of them.
  private mutating func check(_ shape: URLShape, _ node: Node, advice: String) {
    if let scheme = shape.scheme, !checkScheme(scheme, node, advice: advice) { return }
    if let authority = shape.authority {
      checkAuthority(authority, node)
    } else {
      refuse("no '//' after the scheme", at: node.range, advice: "write 'https://', then host and path")
    }
  }

  private mutating func checkScheme(_ scheme: ArraySlice<URLShape.Token>, _ node: Node, advice: String) -> Bool {
    if let hole = scheme.compactMap(\.hole).first {
      refuse("a template can't supply the scheme", at: range(of: hole), advice: advice)
      return false
    }
    let name = URLShape.text(of: scheme)
    guard ["http", "https"].contains(name.lowercased()) else {
      let isQuoted = ["“", "”", "‘", "’", "„"].contains { name.hasPrefix($0) }
      refuse(
        "'\(name.printable):' is neither http nor https", at: node.range,
        advice: isQuoted ? "'\(name.prefix(1))' is no quote of YAML: write \" around the text, or nothing" : advice)
      return false
    }
    return true
  }

  private mutating func checkAuthority(_ authority: ArraySlice<URLShape.Token>, _ node: Node) {
    if let hole = authority.compactMap(\.hole).first(where: { $0.root != .param }) {
      refuse("only a parameter can stand in a host", at: range(of: hole), advice: "read it as '${param.name}'")
      return
    }
    do {
      _ = try Authority(URLShape.text(of: authority))
    } catch {
      refuse(error.message, at: node.range, advice: error.advice)
    }
  }
}

extension Template {
  /// The scheme that a URL without one probably has.
  fileprivate var likelyScheme: String {
    ["localhost", "127.0.0.1", "[::1]"].contains { spelling.hasPrefix($0) } ? "http://" : "https://"
  }
}
