// Names that APIs give to credentials.

/// The table of words that tell a credential by its name.
package enum CredentialName {
  /// Returns true if a header field of this name has a credential.
  package static func isCredential(field name: String) -> Bool {
    let name = name.lowercased()
    return fieldWords.contains { name.contains($0) }
  }

  /// Returns true if a header field's words say that it has a credential and nothing else, unlike `X-Author` and
  /// `X-Keyspace`.
  ///
  /// Such a field selects no records. More fields are redacted: those of `isCredential(field:)`.
  package static func isOnlyCredential(field name: String) -> Bool {
    let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return isCredential(item: name) || words.last == "key"
      || words.contains { lastWords.contains($0) || ["secret", "session", "csrf", "xsrf"].contains($0) }
  }

  /// Returns true if a header field of this name has a secret, wherever its value comes from.
  ///
  /// It is sent to its own origin only, and shown nowhere.
  package static func isSecret(field name: String) -> Bool {
    isOnlyCredential(field: name) && !namesOther(field: name)
  }

  /// Returns true for a field such as `Idempotency-Key`, whose name has the word of a credential and means another thing.
  static func namesOther(field name: String) -> Bool {
    // 'author' is in 'Authorization', too.
    let name = name.lowercased().replacing("authoriz", with: "")
    return otherParts.contains { name.contains($0) }
  }

  private static let otherParts = ["type", "author", "idempotency", "partition", "key-id", "keyid"]

  /// Returns true if a query item, an item of a form, or a member of this name has a credential.
  ///
  /// `pageToken` and the like are none, so not each name with 'token' is one.
  package static func isCredential(item name: String) -> Bool {
    let name = letters(of: name)
    return whole.contains(name) || name.hasSuffix("signature") || parts.contains { name.contains($0) }
  }

  /// Returns true if an item of this name and with this value has a credential.
  ///
  /// For a name that often holds something else, the value decides.
  package static func isCredential(item name: String, value: String) -> Bool {
    isCredential(item: name) && (!isAmbiguous(name) || looksRandom(value))
  }

  /// Returns true for the name of an item that often holds something else than a credential.
  static func isAmbiguous(_ name: String) -> Bool { ambiguous.contains(name.lowercased()) }

  /// Returns true for a long text of letters and digits.
  static func looksRandom(_ text: String) -> Bool {
    text.utf8.count >= 12 && text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
  }

  /// Returns true if a variable or a file of this name has a credential: `API_KEY`, `GITHUB_TOKEN`, but not `AUTHOR`
  /// or `PROJECT_KEY`.
  package static func isCredential(variable name: String) -> Bool {
    let last = name.lowercased().split { !$0.isLetter && !$0.isNumber }.last.map(String.init) ?? ""
    return isCredential(item: name) || lastWords.contains(last)
  }

  /// Returns true if one word of a value is a JSON Web Token (RFC 7519 §3), whatever its name is.
  package static func isToken(_ value: String) -> Bool {
    value.split(separator: " ").contains { word in
      word.hasPrefix("eyJ") && word.utf8.count >= 20 && word.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }
  }

  private static func letters(of name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { (97...122).contains($0) }, as: UTF8.self)
  }

  private static let fieldWords = [
    "auth", "token", "key", "secret", "cookie", "session", "passw", "credential", "signature", "jwt", "csrf", "xsrf",
  ]

  private static let lastWords: Set = [
    "token", "jwt", "pat", "pwd", "pass", "passwd", "cookie", "auth", "credential", "credentials", "signature",
  ]

  private static let whole: Set = [
    "key", "token", "auth", "authorization", "sig", "pass", "pwd", "passwd", "passcode", "pin", "otp", "appid",
    "session", "sessionid", "sid", "jwt", "bearer", "cookie", "usertoken", "authcode",
  ]

  private static let ambiguous: Set = ["key", "session", "sid", "token", "pin", "auth", "sig"]

  private static let parts = [
    "apikey", "appkey", "accesskey", "authkey", "privatekey", "licensekey", "subscriptionkey", "secret", "password",
    "passphrase", "credential", "accesstoken", "refreshtoken", "authtoken", "apitoken", "idtoken", "sessiontoken",
    "securitytoken", "bearertoken", "csrftoken", "xsrftoken", "clientassertion",
  ]
}
