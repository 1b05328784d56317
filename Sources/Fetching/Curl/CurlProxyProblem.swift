// The proxy that could not be reached, parsed from libcurl's message. Many variables of the environment choose the
// proxy, and only libcurl knows the choice.

import Wire

/// A message of libcurl about a connection.
struct CurlProxyProblem {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Remedy for a proxy problem.
  static let proxyRemedy = "see http_proxy, https_proxy and all_proxy"

  /// Returns the proxy that was tried in place of the URL's host; nil for none.
  ///
  /// `Failed to connect to HOST port PORT after …` gives host and port, if they are not the URL's. `… via PROXY after
  /// …` gives the proxy's host (since 8.11, where HOST is the URL's).
  func proxy(for url: Redactable) -> String? {
    let words = text.split(separator: " ").map(String.init)
    guard words.starts(with: ["Failed", "to", "connect", "to"]), words.count > 8, words[5] == "port" else { return nil }
    if words[7] == "via" { return words[8] }
    guard let origin = Origin(of: url.text), let port = Int(words[6]), port > 0 else { return nil }
    let isPort = port == origin.port
    if isPort, words[4].bareHost == origin.host.bareHost { return nil }
    // libcurl normalizes an address: `127.0.0.1` for `127.1`.
    if isPort, isSameAddress(words[4].bareHost, origin.host.bareHost) { return nil }
    let host = words[4].contains(":") ? "[\(words[4].bareHost)]" : words[4]
    // A port that equals the URL's may be the URL's.
    return isPort ? host : "\(host):\(port)"
  }

  /// Status of the proxy's answer to CONNECT.
  ///
  /// libcurl says `Received HTTP code 407 from proxy after CONNECT`, or `CONNECT tunnel failed, response 407` (since
  /// 7.87).
  var proxyStatus: Int? {
    text.split { !$0.isASCII || !$0.isNumber }.lazy.filter { $0.count == 3 }.compactMap { Int($0) }.first
  }

  /// Words of OpenSSL, GnuTLS and Secure Transport for a connection that ended or was reset during the handshake.
  private static let endings = [
    "connection reset", "broken pipe", "ssl_error_syscall", "unexpected eof", "lib(0)", "non-properly terminated",
    "pull function", "push function", "-9806", "-9805",
  ]

  /// True if a TLS handshake failed because the connection did: only that error of TLS may be temporary.
  var isBrokenOff: Bool {
    let text = text.lowercased()
    return Self.endings.contains(where: text.contains)
  }

  /// Proxy name in `Could not resolve proxy: NAME`.
  var unresolvedProxy: String? {
    let start = "Could not resolve proxy: "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : nil
  }
}

extension String {
  /// The host without the brackets of IPv6 and without a final dot.
  fileprivate var bareHost: String {
    let host = lowercased().filter { $0 != "[" && $0 != "]" }
    return host.last == "." ? String(host.dropLast()) : host
  }
}
