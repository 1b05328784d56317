// What TLS libraries say of a connection that they refuse, in a sentence that says what to do.

import Wire

/// A failure of TLS with a server or a proxy, in the words of the library that libcurl uses: OpenSSL, GnuTLS, NSS, LibreSSL,
/// Secure Transport.
struct TLSFailure {
  enum Stage {
    /// Our own list of trusted certificates can't be read.
    case trust
    /// The certificate is refused.
    case certificate
    /// There is no TLS to speak of yet.
    case handshake
  }

  private let stage: Stage
  /// Nil for a proxy.
  private let server: Redactable?
  private let words: String

  init(_ stage: Stage, with server: Redactable?, _ words: String) {
    (self.stage, self.server, self.words) = (stage, server, words)
  }

  var problem: String {
    switch stage {
    case .trust: "the trusted certificates could not be read: see CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR"
    case .certificate: certificateProblem
    case .handshake: handshakeProblem + proxyAdvice
    }
  }

  private var peer: String { server?.peer ?? "the proxy" }

  /// libcurl alone knows which variable names the proxy.
  private var proxyAdvice: String { server == nil ? "; \(CurlProxyProblem.proxyRemedy)" : "" }

  // MARK: Certificates

  /// The words of TLS libraries that don't know who signed a certificate. They say as much of names and dates.
  private static let ofAuthorities = [
    "issuer", "self-signed", "self signed", "unable to verify the first", "certificate verification failed",
  ]

  private var certificateProblem: String {
    let certificate = "the certificate of \(server.map { "'\($0.host)'" } ?? peer)"
    guard Self.ofAuthorities.contains(where: words.contains) else {
      return "\(certificate) is refused: \(words)\(proxyAdvice)"
    }
    return "\(certificate) is not trusted (\(words)); name a private authority's file in SSL_CERT_FILE\(proxyAdvice)"
  }

  // MARK: Handshakes

  /// The words for an answer that is no TLS.
  private static let ofPlainText = [
    "wrong version number", "unknown protocol", "packet length too long", "unexpected tls packet",
    "exceeded the maximum permissible length", "ssl_error_rx_record_too_long", "http request",
  ]

  /// The words for versions of TLS that one side has and the other has not.
  private static let ofVersions = [
    "protocol version", "unsupported protocol", "no protocols available", "unsupported version", "-9836",
  ]

  private var handshakeProblem: String {
    let text = words.lowercased()
    if Self.ofPlainText.contains(where: text.contains) {
      let advice = server == nil ? "see whether its URL should begin with 'http://'" : "see whether the port is right"
      return "\(peer) does not speak TLS on this port (\(words)); \(advice)"
    }
    if Self.ofVersions.contains(where: text.contains) {
      return "\(peer) and this machine's libcurl have no TLS version in common (\(words))"
    }
    return "no TLS connection to \(peer): \(words)"
  }
}
