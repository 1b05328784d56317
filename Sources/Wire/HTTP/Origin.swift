// Origins (RFC 6454 §4), to which secrets are bound, and the resolution of references (RFC 3986 §5).

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Primitives

/// The origin of a URL: scheme and host in lower case, the port always a number.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// Host; an IPv6 address has its brackets.
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

  /// `https://example.com`; the port is left out if it is the scheme's standard port.
  package var description: String {
    port == Self.standardPort(of: scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// True if the host is a loopback, private or link-local address, or a name for loopback (`localhost`).
  ///
  /// Numeric forms that resolvers accept (`127.1`, `0x7f000001`, `[::ffff:10.0.0.1]`) count as addresses.
  package var isPrivate: Bool {
    let name = host.lowercased().drop(suffix: ".")
    if let address = IPAddress(name) { return address.isPrivate }
    return name == "localhost" || name.hasSuffix(".localhost") || UnixSocket.isHost(name)
  }

  /// True if the host is certainly this machine: a loopback address, `localhost`, or a socket.
  package var isLoopback: Bool {
    let name = host.lowercased().drop(suffix: ".")
    return IPAddress(name)?.isLoopback
      ?? (name == "localhost" || name.hasSuffix(".localhost") || UnixSocket.isHost(name))
  }

  /// Returns the URL at this origin that has the path and the query of another URL, which is absolute.
  package func url(like other: String) -> String {
    guard let parts = AbsoluteURL(other) else { return other }
    return description + (parts.rest.first == "/" ? "" : "/") + parts.rest
  }

  fileprivate static func standardPort(of scheme: String) -> Int? {
    switch scheme {
    case "http": 80
    case "https": 443
    default: nil
    }
  }
}

/// Resolves a reference against a base URL (RFC 3986 §5.2) and returns the absolute URL, without fragment.
///
/// Percent-encoded bytes stay unchanged. Characters that are illegal in a URL are percent-encoded once.
///
/// Nil in these cases:
/// - The result is not an absolute http or https URL with a host.
/// - The host is neither an IP address nor made of ASCII letters, digits, `-`, `.` and `_`.
/// - The URL has `user:password@`, a secret that every message would show.
package func resolve(_ reference: String, against base: String?) -> String? {
  let target = prepared(reference)
  let start = base.map(prepared)
  // A reference that is empty means the base itself, with its query.
  let (path, query) = split(target.isEmpty ? start ?? "" : target)
  if isPlain(path) { return AbsoluteURL(path).map { $0.text + query } }
  guard let start, !target.isEmpty else { return absolute(URL(string: path)).map { $0 + query } }
  // Foundation takes no empty string as a reference. A reference that is only a query keeps the base's path (§5.2.2).
  let url = URL(string: path.isEmpty ? "?" : path, relativeTo: URL(string: split(start).path))
  guard let resolved = absolute(url) else { return nil }
  return split(resolved).path + query
}

/// The reference without its fragment, with its illegal bytes encoded and its dot segments spelled with dots.
private func prepared(_ reference: String) -> String {
  let (path, query) = split(percentEncodingIllegalBytes(in: reference.prefix { $0 != "#" }))
  return withPlainDotSegments(path) + query
}

/// Returns a path in which `%2e` is a dot if the segment is a dot segment: `.%2e` is `..` (RFC 3986 §6.2.2.2).
///
/// Foundation removes only dot segments that are spelled with dots, but a server may also decode the others.
private func withPlainDotSegments(_ path: String) -> String {
  guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
  let start = URLParts(path).path.startIndex
  return path[..<start]
    + path[start...].split(separator: "/", omittingEmptySubsequences: false).map { segment in
      switch segment.lowercased() {
      case "%2e": "."
      case ".%2e", "%2e.", "%2e%2e": ".."
      default: String(segment)
      }
    }.joined(separator: "/")
}

/// Returns the reference without the user name and password of its authority, so that messages can show it; nil if it
/// has none.
///
/// No URL of a spec may have a user name or password.
package func withoutUserInfo(_ reference: String) -> String? {
  let (path, query) = split(reference)
  guard let slashes = path.firstRange(of: "//"), !path[..<slashes.lowerBound].contains("/") else { return nil }
  let authority = path[slashes.upperBound...].prefix { $0 != "/" && $0 != "#" }
  guard let mark = authority.lastIndex(of: "@") else { return nil }
  return path[..<slashes.upperBound] + path[mark...].dropFirst() + query
}

/// Splits a reference into the part before its query, and the query with its `?`.
///
/// Resolution does not touch a query, and a query may hold characters that Foundation refuses in a URL.
private func split(_ reference: String) -> (path: String, query: String) {
  let path = reference.prefix { $0 != "?" }
  return (String(path), String(reference[path.endIndex...]))
}

/// Normalizes a URL where that can't change its meaning (RFC 3986 §6.2.2, §6.2.3).
///
/// This covers the case of scheme and host, dot segments, and an empty port or path.
private func absolute(_ url: URL?) -> String? {
  // Check before normalizing: Foundation's standard form of `http:g` has the host `g`.
  guard let url = url?.absoluteURL, AbsoluteURL(url.absoluteString) != nil else { return nil }
  return AbsoluteURL(url.standardized.absoluteString)?.text
}

/// True if an http or https URL without its query needs neither resolving nor normalizing.
///
/// The path has no dot segments and only unreserved characters between its slashes. Foundation is not needed for such a
/// URL: its first URL takes a twentieth of the time of a small run.
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

/// The parts of an http or https URL that has a host.
private struct AbsoluteURL {
  let origin: Origin
  /// Host in lower case, and the port if the URL has one.
  let authority: String
  /// Path, query and fragment.
  let rest: Substring

  init?(_ url: String) {
    let parts = URLParts(url)
    guard let scheme = parts.scheme?.lowercased(), let standardPort = Origin.standardPort(of: scheme),
      let host = parts.host?.lowercased(), Self.isHost(host), parts.userInfo == nil
    else { return nil }
    let digits = parts.port ?? ""
    let port = digits.isEmpty ? standardPort : Self.number(ofPort: digits)
    guard let port else { return nil }
    origin = Origin(scheme: scheme, host: host, port: port)
    authority = digits.isEmpty ? host : "\(host):\(port)"
    rest = url[parts.path.startIndex...]
  }

  /// The URL, with the path `/` if it had none.
  var text: String { "\(origin.scheme)://\(authority)\(rest.first == "/" ? "" : "/")\(rest)" }

  private static func number(ofPort digits: Substring) -> Int? {
    guard digits.utf8.allSatisfy(\.isDigit), let port = Int(digits) else { return nil }
    return (1...65_535).contains(port) ? port : nil
  }

  /// True for a host without percent-encoding and without bytes beyond ASCII.
  ///
  /// The code that connects must see the same name as the code that checks it.
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

// MARK: The only place that decides which URL may be requested, and what a request to another origin must not carry

/// Decides which URL may be requested, and removes secrets from requests to another origin.
///
/// Templates, next links, redirects and token endpoints all use this type. Callers only phrase the messages.
package enum OriginPolicy {
  /// The reason why a URL may not be requested.
  package enum RefusalError: Error, Hashable, Sendable {
    /// The text is not an http or https URL with a host.
    case noURL
    /// The URL would leave https for http, which anyone can read.
    case leavesHTTPS
    /// The origin is neither the job's own nor in `hosts`.
    case otherOrigin(Origin)
    /// The host is this machine or in a private network, and the job's own host is not.
    case privateAddress
  }

  /// The part of a request that holds a secret and can't be left out.
  package enum LeakError: Error, Hashable, Sendable {
    case url
    case body
  }

  /// Returns the origin to which the request for a link goes that a page gives.
  ///
  /// It is the link's own if that is the origin of the page or of the request, or one in `hosts`, and never leads from
  /// https to http. Behind a proxy that ends TLS, an API may not know its own scheme and port. So a link to the same
  /// host goes to the page's or the request's origin. With `ignore: [origin]` every other link does, too.
  package static func origin(
    ofLinkTo target: Origin, from page: Origin?, of request: Request
  ) throws(RefusalError) -> Origin {
    let leavesHTTPS = page?.scheme == "https" && target.scheme == "http"
    let own = Origin(of: request.url.text)
    if !leavesHTTPS, target == page || target == own || request.allowedOrigins.contains(target) { return target }
    if let near = [page, own].compactMap({ $0 }).first(where: { $0.host == target.host }) { return near }
    if request.staysAtOrigin, let own { return own }
    throw leavesHTTPS ? .leavesHTTPS : .otherOrigin(target)
  }

  /// Checks a URL that a record gives: it must lead to the job's own origin (its `base`), or to one in `hosts`.
  package static func checkRecordURL(_ target: Origin, own: Origin?, hosts: Set<Origin>) throws(RefusalError) {
    guard target == own || hosts.contains(target) else { throw .otherOrigin(target) }
  }

  /// Checks the target of a redirect: never from https to http, and to a private address only from a private one.
  package static func checkRedirect(to url: String, from current: String, isPrivate: Bool) throws(RefusalError) {
    guard let target = Origin(of: url) else { throw .noURL }
    if Origin(of: current)?.scheme == "https", target.scheme != "https" { throw .leavesHTTPS }
    if target.isPrivate, !isPrivate { throw .privateAddress }
  }

  /// Reports that credentials may be sent to a URL: over https, or to this machine.
  package static func mayHoldCredentials(_ url: String) -> Bool {
    guard let origin = Origin(of: url) else { return false }
    return origin.scheme == "https" || origin.isLoopback
  }
}

extension Request {
  /// Fields that always hold credentials.
  private static let credentialFields: Set<String> = ["authorization", "cookie", "proxy-authorization"]

  /// Returns this request for another URL, without secrets if the URL is at another origin.
  ///
  /// The URL itself may hold a secret only at the origin that gave the URL, and at the secrets' own origin.
  ///
  /// - Parameter source: origin of the answer that gave the URL; nil if a template added a secret to the URL.
  package func sent(
    to url: Redactable, givenBy source: Origin?, hiding secrets: SecretMatcher
  ) throws(OriginPolicy.LeakError) -> Request {
    let (target, current) = (Origin(of: url.text), Origin(of: self.url.text))
    if target != source, target != current || target != secretsOrigin, secrets.stand(in: url) { throw .url }
    var request = self
    request.url = url
    return target == current ? request : try request.withoutSecretParts(secrets)
  }

  /// Returns this request without the header fields that hold a secret.
  ///
  /// - Throws: `OriginPolicy.LeakError` if the URL or the body holds a secret, since half of either can't be sent.
  package func withoutSecrets(_ secrets: SecretMatcher) throws(OriginPolicy.LeakError) -> Request {
    if secrets.stand(in: url) { throw .url }
    return try withoutSecretParts(secrets)
  }

  /// Returns this request without the header fields that hold a secret, whatever its URL holds.
  private func withoutSecretParts(_ secrets: SecretMatcher) throws(OriginPolicy.LeakError) -> Request {
    if let body, secrets.stand(in: Redactable(String(decoding: body.bytes, as: UTF8.self), redacted: body.redacted)) {
      throw .body
    }
    var request = self
    request.fields = HTTPFields(
      fields.all.filter { !Self.credentialFields.contains($0.name.lowercased()) && !secrets.stand(in: $0.value) })
    return request
  }
}

extension SecretMatcher {
  /// Reports that the text holds a secret that a template inserted, or one from a record or the server.
  fileprivate func stand(in text: Redactable) -> Bool { text.isSecret || redacting(text.text) != text.text }
}
