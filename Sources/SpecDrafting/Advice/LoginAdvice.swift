// The comment about an answer that only has a token: the request logs in.

import Diagnostics
import JSONText
import Wire
import YAMLText

/// Advice about a request whose answer has the token of a session.
struct LoginAdvice {
  /// A spec whose login is the request.
  let spec: [String]
  /// The whole comment.
  let lines: [String]

  private static let names: Set = [
    "token", "accesstoken", "sessiontoken", "authtoken", "apitoken", "bearertoken", "idtoken", "jwt", "jwttoken",
    "sessionid", "sessionkey", "accesskey",
  ]

  /// Nil if the answer has records, or no token.
  init?(_ draft: SpecDraft, _ body: JSONValue?, method: String, in url: String) {
    guard method != "GET", draft.text == nil, let body, !Self.hasList(body), let token = Self.token(in: body, []),
      let login = Self.login(draft, method, token)
    else { return nil }
    // Beside a list of texts, such as scopes, a 'token' may be that of the next page.
    guard draft.content?.hasObjects != false || token.lowercased() != "body.token" else { return nil }
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let host = (parts.dropFirst(2).first ?? "").prefix { !"/?#".contains($0) }
    spec =
      ["endpoint: \(YAMLScalar.text("\(parts[0])//\(host)/".asTemplate))", "auth:", "  login:"]
      + login.map { "    \($0)" }
    lines =
      ["The answer has a token in '\(token)': the request logs in. A spec that fetches with this token is:"]
      + spec.map { "  \($0)" }
      + [
        "Its 'endpoint' is the URL of the records. If the token goes elsewhere than into 'Authorization: Bearer',",
        "add 'as' to 'login', such as 'as: { headers: { X-Session: \"${token}\" } }'.",
      ]
  }

  /// Returns the lines of `login`; nil if `login` can't express the request.
  private static func login(_ draft: SpecDraft, _ method: String, _ token: String) -> [String]? {
    let bearer = draft.auth.flatMap { $0.wholeMatch(of: #/\{ bearer: "(.*)" \}/#).map { String($0.1) } }
    guard draft.auth == nil || bearer != nil else { return nil }
    let query = draft.query.map { item in
      "\(item.name.percentEncoded.asTemplate)=\(item.value.hasPrefix("${env.") ? item.value : item.value.percentEncoded)"
    }
    let mark = draft.endpoint.contains("?") ? "&" : "?"
    let endpoint = draft.endpoint + (query.isEmpty ? "" : mark + query.joined(separator: "&"))
    var part = SpecDraft()
    (part.endpoint, part.headers, part.removedHeaders) = (endpoint, draft.headers, draft.removedHeaders)
    if let bearer { part.headers.append(("Authorization", "Bearer \(bearer)")) }
    (part.body, part.form) = (draft.body, draft.form)
    part.method = method == "POST" && (draft.body != nil || !draft.form.isEmpty) ? nil : method
    return part.file.split(separator: "\n").map(String.init) + ["token: \(YAMLScalar.text(token.asTemplate))"]
  }

  private static func hasList(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .array: value.elements.contains { $0.kind == .object }
    case .object: value.members.contains { hasList($0.value) }
    case .string, .number, .boolean, .null: false
    }
  }

  /// Returns the place of the token, as `token` of `login` has it.
  private static func token(in value: JSONValue, _ path: [String]) -> String? {
    guard value.kind == .object, path.count < 3 else { return nil }
    for member in value.members where member.value.string?.isEmpty == false && member.name != "*" {
      guard names.contains(member.name.lowercased().filter(\.isLetter)) else { continue }
      return "body" + JSONPath(path + [member.name]).suffix
    }
    return value.members.lazy.compactMap { token(in: $0.value, path + [$0.name]) }.first
  }
}

// The remedy for a request that was refused for lack of credentials.

/// Advice of `new` for a status of refusal, in the options that add what is missing.
struct RefusalAdvice {
  let status: Int
  /// The values of `WWW-Authenticate`, which name the schemes that the server takes (RFC 9110 §11.6.1).
  let challenges: [String]
  /// True if the request has credentials.
  let hasCredentials: Bool

  /// The advice; nil for a status that says nothing about the request.
  var text: String? {
    switch status {
    case 401 where unknownScheme != nil, 403 where unknownScheme != nil:
      "the server asks for '\(unknownScheme ?? "")', which pagecat can't send: look for a token or a key in the API's documentation"
    case 401 where hasCredentials: "see whether the credentials are right\(wanted.map { ": \($0)" } ?? "")"
    case 401: "say who asks: \(wanted ?? Self.usual)"
    case 403 where !hasCredentials && wanted == nil:
      "see whether the URL and the method are right, or say who asks: \(Self.usual)"
    case 403 where !hasCredentials: "say who asks: \(wanted ?? Self.usual)"
    case 403, 404, 405, 410: "see whether the URL, the method and the credentials are right"
    default: nil
    }
  }

  private static let usual =
    "-H 'Authorization: Bearer TOKEN', --user NAME:PASSWORD, or a key as the API's documentation has it, such as "
    + "-H 'X-Api-Key: KEY' or '?api_key=KEY' in the URL"

  /// The schemes that the server names, the first of each field.
  private var schemes: [String] {
    challenges.compactMap { $0.split { " ,\t".contains($0) }.first.map { String($0.prefix(Self.longestScheme)) } }
  }

  private static let longestScheme = 40
  private static let unknown: Set = ["digest", "negotiate", "ntlm", "kerberos"]

  /// The scheme that the server wants, if no option of `new` can have it.
  private var unknownScheme: String? {
    schemes.allSatisfy { Self.unknown.contains($0.lowercased()) } ? schemes.first?.printable : nil
  }

  /// The option for the first scheme that the server names, and that pagecat can send.
  private var wanted: String? {
    guard let scheme = schemes.first(where: { !Self.unknown.contains($0.lowercased()) }) else { return nil }
    return switch scheme.lowercased() {
    case "bearer": "-H 'Authorization: Bearer TOKEN'"
    case "basic": "--user NAME:PASSWORD"
    default: "-H 'Authorization: \(scheme.printable) KEY', as the API's documentation has it"
    }
  }
}
