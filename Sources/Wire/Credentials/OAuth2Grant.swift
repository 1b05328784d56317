/// The request of a client to a token endpoint (RFC 6749 §4.4 and §6).
package struct OAuth2Grant: Sendable, Hashable {
  /// A member of the form.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: Redactable
    package init(name: String, value: Redactable) {
      self.name = name
      self.value = value
    }
  }

  package let id: String
  /// Nil for a client that has none.
  package let secret: String?
  /// True if id and secret are members of the form, and not HTTP Basic (RFC 6749 §2.3.1).
  package let isInBody: Bool
  package let scope: String?
  /// Refresh token of the spec, which the server may have replaced; nil for client credentials.
  package let refresh: String?
  package let others: [Member]

  package init(id: String, secret: String?, isInBody: Bool, scope: String?, refresh: String?, others: [Member]) {
    self.id = id
    self.secret = secret
    self.isInBody = isInBody
    self.scope = scope
    self.refresh = refresh
    self.others = others
  }

  /// Returns the members of the form, without those of a client that proves itself by HTTP Basic.
  ///
  /// - Parameter newest: the refresh token that is valid now.
  package func members(refreshingWith newest: String?) -> [Member] {
    var members: [Member] = []
    if !others.contains(where: { $0.name == "grant_type" }) {
      let grant = refresh == nil ? "client_credentials" : "refresh_token"
      members.append(Member(name: "grant_type", value: Redactable(grant)))
    }
    if let newest { members.append(Member(name: "refresh_token", value: .secret(newest))) }
    if let scope { members.append(Member(name: "scope", value: Redactable(scope))) }
    if isInBody {
      members.append(Member(name: "client_id", value: .secret(id)))
      if let secret { members.append(Member(name: "client_secret", value: .secret(secret))) }
    }
    return members + others
  }

  /// Returns members as a form (application/x-www-form-urlencoded).
  package static func form(_ members: [Member]) -> RequestBody {
    func text(_ value: (Member) -> String) -> String {
      members.map { "\($0.name.formEncoded)=\(value($0))" }.joined(separator: "&")
    }
    return RequestBody(
      bytes: Array(text(\.value.text.formEncoded).utf8),
      redacted: text { $0.value.isSecret ? "***" : $0.value.text.formEncoded }, format: .form)
  }
}

extension String {
  /// The text encoded as in a form (application/x-www-form-urlencoded), with `+` for a space.
  package var formEncoded: String {
    percentEncoded.split(separator: "%20", omittingEmptySubsequences: false).joined(separator: "+")
  }
}
