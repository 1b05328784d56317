// The authority of a URL (RFC 3986 §3.2), and the hosts that a spec allows.

import Primitives

/// Host, and a port if one is written.
struct Authority: Hashable {
  let host: String
  let port: Int?

  init(_ text: String) throws(TextError) {
    guard !text.utf8.contains(UInt8(ascii: "@")) else {
      throw TextError("a user in a URL", advice: "give credentials by 'auth'")
    }
    let parts = URLParts("//\(text)")
    let host = String(parts.host ?? "")
    guard Self.isHost(host) else {
      if host.isEmpty { throw TextError("no host in the URL", advice: "write it after '//'") }
      throw TextError("a host is made of ASCII letters, digits, '-' and '.'")
    }
    self.host = host.lowercased()
    port = try parts.port.map { (text) throws(TextError) in try Self.number(ofPort: text) }
  }

  private static func number(ofPort text: Substring) throws(TextError) -> Int {
    guard text.utf8.allSatisfy(\.isDigit), let port = Int(text), (1...65_535).contains(port) else {
      throw TextError("a port is a number from 1 to 65535")
    }
    return port
  }

  private static func isHost(_ host: String) -> Bool {
    if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 3 {
      return host.utf8.dropFirst().dropLast().allSatisfy { byte in
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte.hexValue != nil
      }
    }
    return !host.isEmpty && host.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
  }
}

extension Job.Host {
  /// Parses an entry of `hosts`.
  ///
  /// `files.example.com` is https on 443; anything else is written as an origin: `http://h:8080`.
  init(spelled text: String) throws(TextError) {
    guard !text.contains("*") else {
      throw TextError("a wildcard in 'hosts'", advice: "name each host, such as 'api.example.com'")
    }
    let (scheme, rest) = try Self.scheme(of: text)
    guard !rest.contains(where: { "/?#".contains($0) }) else {
      throw TextError("a path in 'hosts'", advice: "write only the host, or 'http://host:port'")
    }
    let authority = try Authority(rest)
    guard scheme != nil || authority.port == nil else {
      throw TextError("a port without a scheme", advice: "write 'https://\(text)' or 'http://\(text)'")
    }
    let standard = scheme == "http" ? 80 : 443
    self.init(scheme: scheme ?? "https", host: authority.host, port: authority.port ?? standard)
  }

  private static func scheme(of text: String) throws(TextError) -> (scheme: String?, rest: String) {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return (nil, text) }
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw TextError("only http and https are fetched", advice: "write only the host, or 'http://host:port'")
    }
    return (scheme, String(text[text.index(colon, offsetBy: 3)...]))
  }
}

/// Error in a piece of text, without a position.
struct TextError: Error, Hashable {
  let message: String
  let advice: String?

  init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }
}

// MARK: A URL whose parts may be templates

/// URL reference as letters and holes (RFC 3986 §4.1).
struct URLShape {
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

  /// True if a value supplies the scheme, the host, or both.
  var hasOriginHole: Bool {
    guard scheme != nil || authority != nil else { return rest.first?.hole != nil }
    return [scheme, authority].contains { $0?.contains { $0.hole != nil } == true }
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
