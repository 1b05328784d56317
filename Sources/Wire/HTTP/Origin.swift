// Scheme, host and port: what secrets are bound to (RFC 6454 §4), and resolution of references (RFC 3986 §5).

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The origin of a URL: scheme and host in lower case, the port always a number.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// IPv6 addresses in their brackets.
  package let host: String
  package let port: Int

  package init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// The origin of an absolute http or https URL, or nil.
  package init?(of url: String) {
    guard let parts = AbsoluteURL(url) else { return nil }
    self = parts.origin
  }

  /// `https://example.com`, with the port only where it is not the scheme's own.
  package var description: String {
    port == Self.standardPort(of: scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// Whether the host is a loopback, private or link-local address, or a name for loopback (`localhost`). Numeric
  /// forms that resolvers take (`127.1`, `0x7f000001`, `[::ffff:10.0.0.1]`) count too.
  package var isPrivate: Bool {
    let name = host.lowercased().drop(suffix: ".")
    if let address = IPAddress(name) { return address.isPrivate }
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Whether the host is this machine for sure: a loopback address, or `localhost`.
  package var isLoopback: Bool {
    let name = host.lowercased().drop(suffix: ".")
    return IPAddress(name)?.isLoopback ?? (name == "localhost" || name.hasSuffix(".localhost"))
  }

  fileprivate static func standardPort(of scheme: String) -> Int? {
    switch scheme {
    case "http": 80
    case "https": 443
    default: nil
    }
  }
}

/// The absolute URL that a reference means, seen from a base URL (RFC 3986 §5.2), without fragment. What is already
/// percent-encoded stays as it is; characters that may not stand in a URL are percent-encoded once. Nil when the
/// result is not an absolute http or https URL with a host of ASCII letters, digits, `-`, `.`, `_` or an IP address, or
/// when it has `user:password@`, a secret that would stand in the open.
package func resolve(_ reference: String, against base: String?) -> String? {
  let target = prepared(reference)
  let start = base.map(prepared)
  // A reference that is empty means the base itself, with its query.
  let (path, query) = split(target.isEmpty ? start ?? "" : target)
  if isPlain(path) { return AbsoluteURL(path).map { $0.text + query } }
  guard let start, !target.isEmpty else { return absolute(URL(string: path)).map { $0 + query } }
  // Foundation takes no empty string for a reference; of one that is a query only, the base's path stays (§5.2.2).
  let url = URL(string: path.isEmpty ? "?" : path, relativeTo: URL(string: split(start).path))
  guard let resolved = absolute(url) else { return nil }
  return split(resolved).path + query
}

/// The reference without its fragment, with its illegal bytes encoded and its dot segments spelled with dots.
private func prepared(_ reference: String) -> String {
  let (path, query) = split(percentEncodingIllegalBytes(in: reference.prefix { $0 != "#" }))
  return withPlainDotSegments(path) + query
}

/// A path in which `%2e` is a dot where the segment is a dot segment: `.%2e` is `..` (RFC 3986 §6.2.2.2). Foundation removes
/// only those that are spelled with dots, and a server may take the others for dots in its turn.
private func withPlainDotSegments(_ path: String) -> String {
  guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
  let start = path.utf8.index(path.startIndex, offsetBy: authorityRange(in: Array(path.utf8)).upperBound)
  return path[..<start]
    + path[start...].split(separator: "/", omittingEmptySubsequences: false).map { segment in
      switch segment.lowercased() {
      case "%2e": "."
      case ".%2e", "%2e.", "%2e%2e": ".."
      default: String(segment)
      }
    }.joined(separator: "/")
}

/// The reference without the user name and password of its authority, so that it can be shown; nil where it has none. No
/// URL here may have them.
package func withoutUserInfo(_ reference: String) -> String? {
  let (path, query) = split(reference)
  guard let slashes = path.firstRange(of: "//"), !path[..<slashes.lowerBound].contains("/") else { return nil }
  let authority = path[slashes.upperBound...].prefix { $0 != "/" && $0 != "#" }
  guard let mark = authority.lastIndex(of: "@") else { return nil }
  return path[..<slashes.upperBound] + path[mark...].dropFirst() + query
}

/// A reference without its query, and the query with its `?`. Resolution does not touch a query, and a query may hold what
/// Foundation refuses in a URL.
private func split(_ reference: String) -> (path: String, query: String) {
  let path = reference.prefix { $0 != "?" }
  return (String(path), String(reference[path.endIndex...]))
}

/// Normalized where that can't change what it names (RFC 3986 §6.2.2, §6.2.3): case of scheme and host, dot segments,
/// an empty port or path.
private func absolute(_ url: URL?) -> String? {
  // Looked at before: of `http:g`, Foundation's standard form has the host `g`.
  guard let url = url?.absoluteURL, AbsoluteURL(url.absoluteString) != nil else { return nil }
  return AbsoluteURL(url.standardized.absoluteString)?.text
}

/// Whether a reference, without its query, is an http or https URL in which there is nothing to resolve or to normalize:
/// no dot segments, nothing but unreserved characters between its slashes. It needs no Foundation, which takes a twentieth
/// of the time of a small run to begin with URLs.
private func isPlain(_ path: String) -> Bool {
  let bytes = Array(path.utf8)
  guard let scheme = ["http://", "https://"].first(where: { bytes.starts(with: $0.utf8) }) else { return false }
  var before = UInt8(ascii: "/")
  for byte in bytes[scheme.utf8.count...] {
    let isFirst = before == UInt8(ascii: "/")
    guard URLByte.isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") else { return false }
    if isFirst, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") { return false }
    before = byte
  }
  return true
}

/// The pieces of an http or https URL that has a host.
private struct AbsoluteURL {
  let origin: Origin
  /// Host in lower case, and the port if one is written.
  let authority: String
  /// Path, query and fragment.
  let rest: Substring

  init?(_ url: String) {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = url[..<colon].lowercased()
    guard let standardPort = Origin.standardPort(of: scheme) else { return nil }
    guard bytes[colon...].starts(with: "://".utf8) else { return nil }
    let start = bytes.index(colon, offsetBy: 3)
    let end = bytes[start...].firstIndex(where: URLByte.endsAuthority) ?? bytes.endIndex
    guard let (host, port) = Self.split(url[start..<end]) else { return nil }
    origin = Origin(scheme: scheme, host: host, port: port ?? standardPort)
    authority = port.map { "\(host):\($0)" } ?? host
    rest = url[end...]
  }

  /// With the path of `/` where there is none.
  var text: String { "\(origin.scheme)://\(authority)\(rest.first == "/" ? "" : "/")\(rest)" }

  private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
    let afterHost = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let colon = authority.utf8[afterHost...].firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let host = authority[..<colon].lowercased()
    guard isHost(host) else { return nil }
    let digits = authority[colon...].dropFirst()
    guard !digits.isEmpty else { return (host, nil) }
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits) else { return nil }
    return (1...65_535).contains(port) ? (host, port) : nil
  }

  /// No percent-encoding and nothing beyond ASCII: whoever connects must see the same name as whoever checks it.
  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") { return IPAddress(host) != nil }
    return !host.isEmpty && host.utf8.allSatisfy { URLByte.isUnreserved($0) && $0 != UInt8(ascii: "~") }
  }
}

extension String {
  fileprivate func drop(suffix: Character) -> String {
    last == suffix ? String(dropLast()) : self
  }
}
