import CCurl
import Wire

/// The trusted certificates besides the library's own list, from the variables that the `curl` command reads.
struct CurlTrust: Sendable, Hashable {
  let file: String?
  let folder: String?

  /// Reads `CURL_CA_BUNDLE` alone, or `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  ///
  /// Empty variables are ignored, as in curl's tool_operate.c.
  init(environment: Environment) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let bundle = value("CURL_CA_BUNDLE")
    file = bundle ?? value("SSL_CERT_FILE")
    folder = bundle == nil ? value("SSL_CERT_DIR") : nil
  }
}
