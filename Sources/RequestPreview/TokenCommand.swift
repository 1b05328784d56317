// Commands that fetch a token into a variable of the shell.

import FetchPlan
import Fetching
import JSONText
import Wire

/// The request for a token, and the variable that takes it.
struct TokenCommand {
  let grant: TokenGrant
  let variable: String
  /// True if the token goes into a query, so that the variable must have it percent-encoded.
  let isInQuery: Bool

  private var request: Request {
    guard case .oauth2(let oauth2) = grant.kind else { return grant.request(refreshingWith: nil, SecretStore()) }
    return grant.request(refreshingWith: oauth2.refresh, SecretStore())
  }

  /// Text of the token request's body.
  var body: String {
    String(decoding: request.body?.bytes ?? [], as: UTF8.self)
  }

  /// True if the variables of the request are encoded as in a form.
  var isForm: Bool { if case .oauth2 = grant.kind { true } else { false } }

  /// The request as a command.
  func command(_ variables: SignatureVariables, hiding secrets: SecretStore) -> CurlCommand {
    CurlCommand(request, for: isForm ? .oauth2 : .login, variables: variables, hiding: secrets)
  }

  /// Returns `TOKEN=$(curl … | jq -er '.access_token') || { echo …; exit 1; }`.
  func text(_ command: CurlCommand) -> String {
    let path =
      switch grant.kind {
      case .oauth2: ["access_token"]
      case .login(let login): login.token
      }
    let filter = path.isEmpty ? "." : path.map { "." + Self.name($0) }.joined()
    // A form differs from a query in blanks only, and a token has none.
    let encoding = isInQuery ? "\n\(variable)=$(form_encode \"$\(variable)\")" : ""
    let failure = "echo \(ShellWord("no token in the answer of \(command.name)").text) >&2; exit 1"
    return
      "\(command.preparation)\(variable)=$(\(command.text) |\n  jq -er \(ShellWord(filter).text)) || { \(failure); }\(encoding)"
  }

  /// A member's name in a filter of jq.
  private static func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F }
    return isPlain && !name.isEmpty ? name : JSONValue(name).text
  }
}
