// The remedy for a request that was refused for lack of credentials.

import Diagnostics

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
