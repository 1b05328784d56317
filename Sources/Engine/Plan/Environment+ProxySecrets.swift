// Passwords of proxies, which libcurl itself reads from the environment.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Primitives
import Wire

extension Environment {
  /// Variables that libcurl reads for http and https; for http only the lower-case name.
  private static let proxyNames = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Passwords of all proxies, as spelled and as decoded, and the form that is sent (RFC 7617).
  var proxySecrets: [String] {
    Self.proxyNames.compactMap { self[$0] }.flatMap(Self.secrets)
  }

  private static func secrets(ofProxy proxy: String) -> [String] {
    let scheme = proxy.firstRange(of: "://")
    let rest = proxy[(scheme?.upperBound ?? proxy.startIndex)...]
    guard let end = rest.lastIndex(of: "@"), let mark = rest[..<end].firstIndex(of: ":") else { return [] }
    let password = String(rest[rest.index(after: mark)..<end])
    let (user, meant) = (String(rest[..<mark]).percentDecoded, password.percentDecoded)
    let pair = Data(user + [UInt8(ascii: ":")] + meant).base64EncodedString()
    return [password, String(decoding: meant, as: UTF8.self), pair].filter { !$0.isEmpty }
  }
}
