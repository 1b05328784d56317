import Primitives
import Testing
import Wire

@testable import Fetching

@Suite("What TLS libraries say, in sentences")
struct TLSFailureTests {
  private func problem(
    _ stage: TLSFailure.Stage, _ words: String, isOfProxy: Bool = false, lists: [String] = ["/"],
    environment: Environment = [:]
  ) -> String {
    let trust = CurlTrust(environment: environment, lists: lists)
    return TLSFailure(stage, with: isOfProxy ? nil : Redactable("https://h/coins?key=1"), trusting: trust, words)
      .problem
  }

  @Test("who decided which authorities are trusted is named, and so is the package where there are none")
  func authorities() {
    let unknown = "unable to get local issuer certificate"
    #expect(
      problem(.certificate, unknown, lists: []).hasSuffix(
        "; this machine has no list of authorities: install the package 'ca-certificates', or name a file in SSL_CERT_FILE"
      ))
    #expect(
      problem(.certificate, unknown, environment: ["CURL_CA_BUNDLE": "a.pem", "SSL_CERT_FILE": "b.pem"])
        .hasSuffix("; the authorities are those in 'a.pem', which CURL_CA_BUNDLE names: add the one that signed it"))
    #expect(
      problem(.certificate, unknown, environment: ["SSL_CERT_DIR": "d"]).contains("'d', which SSL_CERT_DIR names"))
    #expect(
      problem(.trust, "no file", lists: [])
        == "the trusted certificates could not be read: this machine has no list of authorities: install the package "
        + "'ca-certificates', or name a file in SSL_CERT_FILE")
    #expect(
      problem(.trust, "no file", environment: ["SSL_CERT_FILE": "b.pem"])
        == "the trusted certificates could not be read: they are in 'b.pem', which SSL_CERT_FILE names")
  }

  @Test("whoever signed a certificate is asked about only where that is what is wrong with it")
  func certificates() {
    let unknown = "SSL certificate problem: unable to get local issuer certificate"
    #expect(
      problem(.certificate, unknown)
        == "the certificate of 'h' is not trusted (\(unknown)); name a private authority's file in SSL_CERT_FILE")
    for other in [
      "SSL: no alternative certificate subject name matches target host name 'h'",
      "SSL certificate problem: certificate has expired",
    ] {
      #expect(problem(.certificate, other) == "the certificate of 'h' is refused: \(other)")
    }
  }

  private func files(certificate: String? = nil, ca: String? = nil) -> TLSFiles {
    TLSFiles(certificate: certificate, key: nil, ca: ca, origins: [])
  }

  @Test("files of 'tls' that don't fit the server, or one another, are named with their keys")
  func ownFiles() {
    let alert = "error:0A00045C:SSL routines::tlsv13 alert certificate required"
    let mismatch = "unable to set private key file: 'k.pem' type PEM"
    let issuer = "SSL certificate problem: unable to get local issuer certificate"
    let table: [(TLSFailure.Stage, TLSFiles?, String, String)] = [
      (.client, nil, alert, "h:443 wants a client's certificate (\(alert)): give 'certificate' of 'tls'"),
      (
        .client, files(certificate: "c.pem"), alert,
        "h:443 refuses the certificate in 'c.pem' (\(alert)): see 'certificate' of 'tls'"
      ),
      (
        .client, files(certificate: "c.pem"), mismatch,
        "the certificate in 'c.pem' can't be used with its key (\(mismatch)): see 'certificate' and 'key' of 'tls'"
      ),
      (
        .certificate, files(ca: "a.pem"), issuer,
        "the certificate of 'h' is not signed by an authority in 'ca' of 'tls' (\(issuer))"
      ),
      (.trust, files(ca: "a.pem"), "no file", "the authorities in 'a.pem' can't be read: see 'ca' of 'tls'"),
      (
        .trust, nil, "no file",
        "the trusted certificates could not be read: see CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR"
      ),
    ]
    for (stage, files, words, sentence) in table {
      let trust = CurlTrust(environment: [:], lists: ["/"])
      #expect(
        TLSFailure(stage, with: Redactable("https://h/x"), using: files, trusting: trust, words).problem == sentence)
    }
  }

  @Test("a proxy's own certificate is called that, and not the server's")
  func proxies() {
    let (unknown, expired) = ("SSL certificate problem: self-signed certificate", "certificate has expired")
    #expect(
      problem(.certificate, unknown, isOfProxy: true)
        == "the certificate of the proxy is not trusted (\(unknown)); name a private authority's file in SSL_CERT_FILE"
        + "; see http_proxy, https_proxy and all_proxy")
    #expect(
      problem(.certificate, expired, isOfProxy: true)
        == "the certificate of the proxy is refused: \(expired); see http_proxy, https_proxy and all_proxy")
  }

  @Test(
    "an answer that is no TLS is told from other failures",
    arguments: [
      "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
      "TLS connect error: error:0A00010B:SSL routines::wrong version number",
      "TLS connect error: error:0A0000C6:SSL routines::packet length too long",
      "error:140770FC:SSL routines:SSL23_GET_SERVER_HELLO:unknown protocol",
      "gnutls_handshake() failed: An unexpected TLS packet was received.",
      "SSL received a record that exceeded the maximum permissible length.",
    ])
  func plainText(words: String) {
    #expect(
      problem(.handshake, words) == "h:443 does not speak TLS on this port (\(words)); see whether the port is right")
    #expect(
      problem(.handshake, words, isOfProxy: true)
        == "the proxy does not speak TLS on this port (\(words)); see whether its URL should begin with 'http://'; "
        + "see http_proxy, https_proxy and all_proxy")
  }

  @Test(
    "two sides without a version in common are told",
    arguments: [
      "OpenSSL/3.0.19: error:0A00042E:SSL routines::tlsv1 alert protocol version",
      "OpenSSL/3.0.22: error:0A00014D:SSL routines::legacy sigalg disallowed or unsupported",
      "TLS connect error: error:0A000102:SSL routines::unsupported protocol",
      "error:0A0000BF:SSL routines::no protocols available",
      "gnutls_handshake() failed: Error in protocol version",
      "gnutls_handshake() failed: A packet with illegal or unsupported version was received.",
      "Peer reports incompatible or unsupported protocol version.",
      "Peer using unsupported version of security protocol.",
      "SSL: unknown error -9836",
    ])
  func versions(words: String) {
    #expect(
      problem(.handshake, words) == "h:443 and this machine's libcurl have no TLS version in common (\(words))")
  }

  @Test(
    "any other failure stands in the library's words",
    arguments: [
      "OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure",
      "gnutls_handshake() failed: Handshake failed",
      "Cannot communicate securely with peer: no common encryption algorithm(s).",
    ])
  func others(words: String) {
    #expect(problem(.handshake, words) == "no TLS connection to h:443: \(words)")
  }

  @Test("a list of certificates that can't be read is ours")
  func trust() {
    let problem = problem(.trust, "error setting certificate file: /x")
    #expect(problem.hasPrefix("the trusted certificates could not be read"))
  }
}
