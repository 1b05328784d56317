// Commands that fetch a token into a variable of the shell.

import FetchPlan
import Fetching
import JSONText
import Wire

/// The request for a token, and the variable that takes it.
struct TokenCommand {
  let grant: TokenGrant
  let variable: String

  /// `TOKEN=$(curl … | jq -er '.access_token') || exit`.
  func text(hiding secrets: SecretStore) -> String {
    let (refresh, path): (String?, [String]) =
      switch grant.kind {
      case .oauth2(let oauth2): (oauth2.refresh, ["access_token"])
      case .login(let login): (nil, login.token)
      }
    let request = grant.request(refreshingWith: refresh, SecretStore())
    let filter = path.isEmpty ? "." : path.map { "." + Self.name($0) }.joined()
    return "\(variable)=$(\(CurlCommand(request, hiding: secrets).text) |\n  jq -er \(ShellWord(filter).text)) || exit"
  }

  /// A member's name in a filter of jq.
  private static func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F }
    return isPlain && !name.isEmpty ? name : JSONValue(name).text
  }
}
