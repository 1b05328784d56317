// The errors of TLS libraries about a refused connection, as sentences with a remedy.

import Wire

/// A failure of TLS with a server or a proxy, in the words of the library that libcurl uses: OpenSSL, GnuTLS, NSS, LibreSSL,
/// Secure Transport.
struct TLSFailure {
  enum Stage {
    /// The program's own list of trusted certificates can't be read.
    case trust
    /// The certificate is refused.
    case certificate
    /// The connection failed before TLS was established.
    case handshake
    /// The client's certificate can't be used, or the server refuses it or wants one.
    case client
  }

  private let stage: Stage
  /// Nil for a proxy.
  private let server: Redactable?
  /// Files of `tls`, if the job has any for this server.
  private let files: TLSFiles?
  private let trust: CurlTrust
  private let words: String

  init(
    _ stage: Stage, with server: Redactable?, using files: TLSFiles? = nil, trusting trust: CurlTrust, _ words: String
  ) {
    (self.stage, self.server, self.words) = (stage, server, words)
    self.trust = trust
    self.files = server == nil ? nil : files
  }

  var problem: String {
    switch stage {
    case .trust where files?.ca != nil: "the authorities in '\(files?.ca ?? "")' can't be read: see 'ca' of 'tls'"
    case .trust:
      "the trusted certificates could not be read: "
        + (trust.place.map { "they are in \($0)" } ?? trust.remedyWithoutList
          ?? "see CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR")
    case .certificate: certificateProblem
    case .handshake: handshakeProblem + proxyAdvice
    case .client: clientProblem
    }
  }

  private var peer: String { server?.peer ?? "the proxy" }

  /// libcurl alone knows which variable names the proxy.
  private var proxyAdvice: String { server == nil ? "; \(CurlProxyProblem.proxyRemedy)" : "" }

  // MARK: Certificates

  /// The words of TLS libraries for a certificate whose authority is not known.
  ///
  /// The libraries also have words about names and dates.
  private static let ofAuthorities = [
    "issuer", "self-signed", "self signed", "unable to verify the first", "certificate verification failed",
  ]

  private var certificateProblem: String {
    let certificate = "the certificate of \(server.map { "'\($0.host)'" } ?? peer)"
    guard Self.ofAuthorities.contains(where: words.contains) else {
      return "\(certificate) is refused: \(words)\(proxyAdvice)"
    }
    if files?.ca != nil {
      return "\(certificate) is not signed by an authority in 'ca' of 'tls' (\(words))"
    }
    return "\(certificate) is not trusted (\(words)); \(trust.remedy)\(proxyAdvice)"
  }

  // MARK: Certificates of the client

  /// The words for alerts by which a server refuses a client's certificate, or the lack of one (RFC 8446 §6.2).
  private static let ofClients = [
    "certificate required", "certificate is required", "alert bad certificate", "alert certificate", "alert unknown ca",
    "certificate is bad", "alert unsupported certificate",
  ]

  /// Reports that a server ended the connection because of the client's certificate.
  static func isOfClient(_ words: String) -> Bool {
    let text = words.lowercased()
    return ofClients.contains(where: text.contains)
  }

  private var clientProblem: String {
    guard let certificate = files?.certificate else {
      return "\(peer) wants a client's certificate (\(words)): give 'certificate' of 'tls'"
    }
    return Self.isOfClient(words)
      ? "\(peer) refuses the certificate in '\(certificate)' (\(words)): see 'certificate' of 'tls'"
      : "the certificate in '\(certificate)' can't be used with its key (\(words)): see 'certificate' and 'key' of 'tls'"
  }

  // MARK: Handshakes

  /// The words for an answer that is no TLS.
  private static let ofPlainText = [
    "wrong version number", "unknown protocol", "packet length too long", "unexpected tls packet",
    "exceeded the maximum permissible length", "ssl_error_rx_record_too_long", "http request",
  ]

  /// The words for versions of TLS that one side has and the other has not.
  private static let ofVersions = [
    "protocol version", "unsupported protocol", "no protocols available", "unsupported version",
    // Older versions have signatures that OpenSSL 3 refuses.
    "legacy sigalg", "-9836",
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
