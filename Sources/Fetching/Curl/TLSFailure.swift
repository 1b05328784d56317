// The errors of TLS libraries about a refused connection, as sentences with a remedy.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

import CCurl
import Primitives
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
        + (trust.source.map { "they are in \($0)" } ?? trust.remedyWithoutList
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

// The proxy that could not be reached, parsed from libcurl's message. Many variables of the environment choose the
// proxy, and only libcurl knows the choice.

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

/// The trusted certificates besides the library's own list, from the variables that the `curl` command reads.
struct CurlTrust: Sendable, Hashable {
  let file: String?
  let folder: String?
  /// The variable that names the file, or else the folder; nil for the machine's own list.
  let variable: String?
  /// Paths at which the machine's own list may be.
  private let lists: [String]

  /// Reads `CURL_CA_BUNDLE` alone, or `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  ///
  /// Empty variables are ignored, as in curl's tool_operate.c.
  init(environment: Environment, lists: [String] = CurlTrust.systemLists) {
    self.lists = lists
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let bundle = value("CURL_CA_BUNDLE")
    file = bundle ?? value("SSL_CERT_FILE")
    folder = bundle == nil ? value("SSL_CERT_DIR") : nil
    variable = bundle != nil ? "CURL_CA_BUNDLE" : file != nil ? "SSL_CERT_FILE" : folder.map { _ in "SSL_CERT_DIR" }
  }

  /// `'ca.pem', which SSL_CERT_FILE names`; nil for the machine's own list.
  var source: String? {
    guard let variable, let path = file ?? folder else { return nil }
    return "'\(path)', which \(variable) names"
  }

  /// Places where systems keep their list (Go's crypto/x509 looks at the same).
  static let systemLists = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
  ]

  /// The advice about a certificate whose authority is not known.
  var remedy: String {
    if let source { return "the authorities are those in \(source): add the one that signed it" }
    return remedyWithoutList ?? "name a private authority's file in SSL_CERT_FILE"
  }

  /// The advice on a machine that has no list of authorities.
  var remedyWithoutList: String? {
    #if !canImport(Darwin)
      if !lists.contains(where: { access($0, R_OK) == 0 }) {
        return
          "this machine has no list of authorities: install the package 'ca-certificates', or name a file in SSL_CERT_FILE"
      }
    #endif
    return nil
  }
}
