// What is asked for a draft, as curl's options say it, and which of it is secret.

import Diagnostics
import JSONText
import Wire

/// One request, from which a spec is to be written.
package struct Look: Sendable {
  package var url = ""
  package var method: String?
  /// Header fields, each a line `Name: value`.
  package var headers: [String] = []
  /// `USER:PASSWORD`.
  package var user: String?
  package var body: String?

  package init() {}

  /// Takes URL, method and body from a recording's first request, or from the first one to the URL that was given.
  package mutating func take(fromFirstIn har: [UInt8]) {
    let entries = (try? JSONValue(parsing: har))?["log"]?["entries"]
    let request = entries?.elements.lazy.compactMap { $0["request"] }.first { [url] request in
      url.isEmpty || request["url"]?.string == url
    }
    guard let request else { return }
    url = request["url"]?.string ?? ""
    method = method ?? request["method"]?.string
    body = body ?? request["postData"]?["text"]?.string
  }

  /// Why the request can't be made into a spec; nil if it can.
  package var problem: String? {
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
      return "'\(url.printable)' is no URL: begin it with 'https://'"
    }
    if url.split(separator: "/").dropFirst().first?.contains("@") == true {
      return "give the user of the URL with '-u'"
    }
    if user?.isEmpty == true { return "-u takes USER:PASSWORD, and was given nothing" }
    // It may be a secret, and is not repeated.
    if headers.contains(where: { !$0.contains(":") || $0.hasPrefix(":") }) {
      return "-H takes 'Name: value', and not that"
    }
    if let body, (try? JSONValue(parsing: Array(body.utf8))) == nil {
      return "-d takes JSON here; for another body, write the spec with 'form' or 'text'"
    }
    return nil
  }

  /// The draft before any answer, and the values of the variables that stand for secrets in it.
  func draft() -> (draft: SpecDraft, variables: [(name: String, value: String)]) {
    var (draft, variables) = (SpecDraft(), [(name: String, value: String)]())
    func hidden(_ name: String, _ value: String) -> String {
      var variable = Self.variable(name)
      if !variable.hasPrefix(prefix) { variable = prefix + variable }
      if let same = variables.first(where: { $0.name == variable }), same.value != value { variable += "_2" }
      if !variables.contains(where: { $0.name == variable }) { variables.append((variable, value)) }
      return "${env.\(variable)}"
    }
    let whole = url.prefix { $0 != "#" }
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
    if let user {
      let pair = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let password = pair.dropFirst().first ?? ""
      let text = password.isEmpty ? "" : hidden("password", password)
      draft.auth = "{ basic: { user: \"\(hidden("user", pair[0]))\", password: \"\(text)\" } }"
    }
    for line in headers {
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      let name = String(line[..<colon])
      let value = line[colon...].dropFirst().drop { $0 == " " }.trimmedAtEnd
      if name.lowercased() == "authorization", value.lowercased().hasPrefix("bearer "), draft.auth == nil {
        draft.auth = "{ bearer: \"\(hidden("token", String(value.dropFirst(7))))\" }"
      } else {
        draft.headers.append((name, Self.isSecret(header: name) ? hidden(name, value) : value.asTemplate))
      }
    }
    if let body { draft.body = (try? JSONValue(parsing: Array(body.utf8)))?.text.asTemplate }
    if let method, method != (body == nil ? "GET" : "POST") { draft.method = method }
    return (draft, variables)
  }

  // MARK: Secrets

  /// Name of the service, from its host: `GITHUB_` for `api.github.com`.
  private var prefix: String {
    let host = url.split(separator: "/").dropFirst().first.map { $0.split(separator: ":")[0] } ?? ""
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

  private static func decoded(_ text: String) -> String { String(decoding: text.percentDecoded, as: UTF8.self) }
}

extension Substring {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
