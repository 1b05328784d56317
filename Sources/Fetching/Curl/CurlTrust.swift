import Primitives
import CCurl
import Wire

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
  var place: String? {
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
    if let place { return "the authorities are those in \(place): add the one that signed it" }
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
