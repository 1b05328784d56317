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
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || isHexDigit(byte)
      }
    }
    return !host.isEmpty && host.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte | 0x20)
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
