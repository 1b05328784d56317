// From a request to the first draft of its spec: what is secret becomes a variable.

import JSONText
import Wire

/// Writes down a request without its secrets.
struct LookWriter {
  private let look: Look
  private(set) var draft = SpecDraft()
  /// The variables that stand for secrets, and their values.
  private(set) var variables: [(name: String, value: String)] = []

  init(_ look: Look) {
    self.look = look
    addURL()
    addCredentials()
    addFields()
    addBody()
    if let method = look.method, method != (look.body == nil ? "GET" : "POST") { draft.method = method }
  }

  /// Returns the template that stands for a secret.
  private mutating func hidden(_ name: String, _ value: String) -> String {
    var variable = Self.variable(name)
    if !variable.hasPrefix(prefix) { variable = prefix + variable }
    if let same = variables.first(where: { $0.name == variable }), same.value != value { variable += "_2" }
    if !variables.contains(where: { $0.name == variable }) { variables.append((variable, value)) }
    return "${env.\(variable)}"
  }

  private mutating func addURL() {
    let whole = look.url.prefix { $0 != "#" }
    let parts = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var others: [String] = []
    for item in parts.dropFirst().first?.split(separator: "&").map(String.init) ?? [] {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let (name, value) = (Self.decoded(pair[0]), Self.decoded(pair.dropFirst().first ?? ""))
      if Self.isSecret(item: name) {
        draft.query.append((name, hidden(name, value)))
      } else if pair.count == 2, !draft.query.contains(where: { $0.name == name }),
        "\(name.percentEncoded)=\(value.percentEncoded)" == item
      {
        draft.query.append((name, value.asTemplate))
      } else {
        others.append(item)
      }
    }
    draft.endpoint = (parts[0] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))).asTemplate
  }

  private mutating func addCredentials() {
    guard let user = look.user else { return }
    let pair = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let password = pair.dropFirst().first ?? ""
    let text = password.isEmpty ? "" : hidden("password", password)
    draft.auth = "{ basic: { user: \"\(hidden("user", pair[0]))\", password: \"\(text)\" } }"
  }

  private mutating func addFields() {
    for (name, value) in look.fields {
      if name.lowercased() == "authorization", value.lowercased().hasPrefix("bearer "), draft.auth == nil {
        draft.auth = "{ bearer: \"\(hidden("token", String(value.dropFirst(7))))\" }"
      } else {
        draft.headers.append((name, Self.isSecret(header: name) ? hidden(name, value) : value.asTemplate))
      }
    }
  }

  private mutating func addBody() {
    guard let body = look.body else { return }
    if let json = try? JSONValue(parsing: Array(body.utf8)) {
      draft.body = json.text.asTemplate
    } else if let items = formItems(body) {
      draft.form = items.map { item in
        let isSecret = Self.isSecret(item: item.name)
        return (item.name, isSecret ? hidden(item.name, item.value) : item.value.asTemplate)
      }
    } else {
      draft.text = body.asTemplate
      // So curl sends it.
      if look.contentType == nil { draft.headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
    }
  }

  /// Returns the items of a form (WHATWG URL §5.1); nil if the body is another text.
  private func formItems(_ body: String) -> [(name: String, value: String)]? {
    guard look.contentType.map({ $0.hasPrefix("application/x-www-form-urlencoded") }) ?? true else { return nil }
    let items = body.split(separator: "&").map { item in
      item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { Self.decoded($0.replacing("+", with: " ")) }
    }
    guard items.allSatisfy({ $0.count == 2 && !$0[0].isEmpty }), Set(items.map { $0[0] }).count == items.count else {
      return nil
    }
    return items.map { ($0[0], $0[1]) }
  }

  // MARK: Secrets

  /// Name of the service, from its host: `GITHUB_` for `api.github.com`.
  private var prefix: String {
    let host = look.url.split(separator: "/").dropFirst().first.map { $0.split(separator: ":")[0] } ?? ""
    let labels = host.split(separator: ".").filter { !["www", "api"].contains($0.lowercased()) }
    guard labels.count > 1, host.utf8.contains(where: { (97...122).contains($0 | 0x20) }) else { return "API_" }
    return Self.variable(String(labels[labels.count - 2])) + "_"
  }

  private static func variable(_ name: String) -> String {
    let text = name.uppercased().hasPrefix("X-") ? String(name.dropFirst(2)) : name
    return String(
      decoding: text.uppercased().utf8.map {
        (48...57).contains($0) || (65...90).contains($0) ? $0 : UInt8(ascii: "_")
      }, as: UTF8.self)
  }

  private static func isSecret(header name: String) -> Bool {
    let words = [
      "auth", "token", "key", "secret", "cookie", "session", "passw", "credential", "signature", "jwt", "csrf",
    ]
    let name = name.lowercased()
    return words.contains { name.contains($0) }
  }

  private static func isSecret(item name: String) -> Bool {
    let name = String(decoding: name.lowercased().utf8.filter { (97...122).contains($0) }, as: UTF8.self)
    let whole: Set = [
      "key", "token", "auth", "authorization", "sig", "signature", "pass", "pwd", "appid", "session", "sessionid",
      "jwt",
      "authtoken", "usertoken", "apitoken", "subscriptionkey",
    ]
    return whole.contains(name)
      || ["apikey", "appkey", "accesskey", "secret", "password", "accesstoken"].contains { name.contains($0) }
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: String(text).percentDecoded, as: UTF8.self)
  }
}
