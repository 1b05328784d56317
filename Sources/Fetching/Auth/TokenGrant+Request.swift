// The request for a token.

package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TokenGrant {
  /// Returns the request.
  ///
  /// - Parameter secrets: store to which encoded secrets are added.
  package func request(refreshingWith refresh: String?, _ secrets: SecretStore) -> Request {
    var fields = HTTPFields([.init(name: "Accept", value: Redactable("application/json"))])
    var request = Request(method: "POST", url: url, timeout: timeout, retry: retry)
    switch kind {
    case .oauth2(let oauth2):
      request.body = OAuth2Grant.form(oauth2.members(refreshingWith: refresh))
      fields.append("Content-Type", Redactable("application/x-www-form-urlencoded"))
      if !oauth2.isInBody { fields.append("Authorization", oauth2.basic(secrets)) }
    case .login(let login):
      (request.method, request.body) = (login.method, login.body)
      if let type = login.contentType { fields.append("Content-Type", Redactable(type)) }
    }
    if let userAgent { fields.append("User-Agent", userAgent) }
    request.fields = fields
    request.tlsFiles = tlsFiles
    if case .login(let login) = kind {
      for name in login.removedFields { request.fields.remove(name) }
      request = request.setting(login.fields)
    }
    return request
  }
}

extension OAuth2Grant {
  /// Returns HTTP Basic, with id and secret encoded as in a form (RFC 6749 §2.3.1).
  fileprivate func basic(_ secrets: SecretStore) -> Redactable {
    let encoded = Data("\(id.formEncoded):\((secret ?? "").formEncoded)".utf8).base64EncodedString()
    secrets.insert(encoded)
    return .secret("Basic \(encoded)")
  }
}
