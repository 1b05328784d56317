// The proxy that could not be connected to, as libcurl's own words name it: which one is used, many names and exceptions in
// the environment decide, and libcurl alone knows.

import Wire

/// What libcurl says of the way to a server.
struct CurlProxyProblem {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// What to look at where a proxy is in the way.
  static let proxyRemedy = "see http_proxy, https_proxy and all_proxy"

  /// The proxy that was tried in place of the URL's host: of `Failed to connect to HOST port PORT after …` host and port,
  /// where they are not the URL's; of `… via PROXY after …` (since 8.11, where HOST is the URL's) its host. Nil for none.
  func proxy(for url: Redactable) -> String? {
    let words = text.split(separator: " ").map(String.init)
    guard words.starts(with: ["Failed", "to", "connect", "to"]), words.count > 8, words[5] == "port" else { return nil }
    if words[7] == "via" { return words[8] }
    guard let origin = Origin(of: url.text), let port = Int(words[6]), port > 0 else { return nil }
    let isPort = port == origin.port
    if isPort, words[4].bareHost == origin.host.bareHost { return nil }
    // libcurl writes an address as it is usually written: `127.0.0.1` for `127.1`.
    if isPort, isSameAddress(words[4].bareHost, origin.host.bareHost) { return nil }
    let host = words[4].contains(":") ? "[\(words[4].bareHost)]" : words[4]
    // One that is the URL's as well may be meant as that.
    return isPort ? host : "\(host):\(port)"
  }

  /// Of `Received HTTP code 407 from proxy after CONNECT`, or `CONNECT tunnel failed, response 407` (since 7.87), the status.
  var proxyStatus: Int? {
    text.split { !$0.isASCII || !$0.isNumber }.lazy.filter { $0.count == 3 }.compactMap { Int($0) }.first
  }

  /// How TLS libraries say that the connection ended, or was reset, before there was any trust to speak of: OpenSSL, GnuTLS,
  /// Secure Transport.
  private static let endings = [
    "connection reset", "broken pipe", "ssl_error_syscall", "unexpected eof", "lib(0)", "non-properly terminated",
    "pull function", "push function", "-9806", "-9805",
  ]

  /// Whether a TLS handshake failed because the connection did: that may pass, as nothing else of TLS does.
  var isBrokenOff: Bool {
    let text = text.lowercased()
    return Self.endings.contains(where: text.contains)
  }

  /// Of `Could not resolve proxy: NAME` the name.
  var unresolvedProxy: String? {
    let start = "Could not resolve proxy: "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : nil
  }
}

extension String {
  /// Without what may stand around it: the brackets of IPv6, the dot of a full name.
  fileprivate var bareHost: String {
    let host = lowercased().filter { $0 != "[" && $0 != "]" }
    return host.last == "." ? String(host.dropLast()) : host
  }
}
