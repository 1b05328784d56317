import CCurl
import Wire

/// Whom to trust besides the library's own list: what the `curl` command reads from the environment.
struct CurlTrust: Sendable, Hashable {
  let file: String?
  let folder: String?

  /// `CURL_CA_BUNDLE` alone, or `SSL_CERT_FILE` and `SSL_CERT_DIR`, each if it is not empty (curl's tool_operate.c).
  init(environment: Environment) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let bundle = value("CURL_CA_BUNDLE")
    file = bundle ?? value("SSL_CERT_FILE")
    folder = bundle == nil ? value("SSL_CERT_DIR") : nil
  }
}
