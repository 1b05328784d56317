// Turns a request into the first draft of its spec: secrets become variables.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// Writes a request into a draft without its secrets.
struct LookWriter {
  private let look: Look
  private(set) var draft = SpecDraft()
  /// The variables that stand for secrets, and their values.
  private(set) var variables: [(name: String, value: String)] = []

  init(_ look: Look) {
    self.look = look
    addURL()
    if look.hasNeedlessSwitch { draft.comments["endpoint"] = ["curl's '-k' is left out: http has no certificates."] }
    addCredentials()
    addFields()
    addBody()
    // The method is written for an empty body, since a spec can't have such a body.
    let usual = look.body == nil ? "GET" : "POST"
    if look.body?.isEmpty == true || look.method.map({ $0 != usual }) == true { draft.method = look.method ?? usual }
  }

  /// Returns the template that stands for a secret.
  private mutating func hidden(_ name: String, _ value: String) -> String {
    var base = Self.variable(name)
    if !base.hasPrefix(prefix) { base = prefix + base }
    var (variable, number) = (base, 1)
    while let same = variables.first(where: { $0.name == variable }), same.value != value {
      number += 1
      variable = "\(base)_\(number)"
    }
    if !variables.contains(where: { $0.name == variable }) { variables.append((variable, value)) }
    return "${env.\(variable)}"
  }

  private mutating func addURL() {
    let items = URLItem.all(in: look.url)
    let address = look.url[..<URLParts(look.url).path.endIndex]
    // All items of a name stay together, since the items of `query` come after those of `endpoint`.
    let asWritten = Set(items.filter { !$0.isEncodedAsUsual && !$0.isSecret }.map(\.name))
    var others: [String] = []
    for item in items {
      if item.isSecret {
        draft.query.append((item.name, hidden(item.name, item.value)))
      } else if asWritten.contains(item.name) {
        others.append(item.text)
      } else {
        draft.query.append((item.name, item.value.asTemplate))
      }
    }
    draft.endpoint = (address + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))).asTemplate
  }

  private mutating func addCredentials() {
    guard let user = look.user else { return }
    let pair = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let password = pair.dropFirst().first ?? ""
    // Some APIs take a token as the password of nobody, or as a user without password.
    let texts = [("user", pair[0]), ("password", password)].map { $1.isEmpty ? "" : hidden($0, $1) }
    draft.auth = "{ basic: { user: \"\(texts[0])\", password: \"\(texts[1])\" } }"
  }

  private mutating func addFields() {
    draft.removedHeaders = look.removedFields
    for (name, value) in look.fields {
      if name.lowercased() == "authorization", value.lowercased().hasPrefix("bearer "), draft.auth == nil {
        draft.auth = "{ bearer: \"\(hidden("token", String(value.dropFirst(7))))\" }"
      } else {
        // A value may be a URL with a token in it, as of the page before a log-in.
        let isSecret =
          CredentialName.isCredential(field: name) || CredentialName.isToken(value)
          || value.contains("=") && CredentialName.first(in: value) != nil
          || variables.contains { $0.value == value }
        let scheme = isSecret && name.lowercased() == "authorization" ? Self.scheme(of: value) : ""
        let rest = String(value.dropFirst(scheme.count))
        draft.headers.append((name, isSecret && !value.isEmpty ? scheme + hidden(name, rest) : value.asTemplate))
      }
    }
  }

  /// The part of 'Authorization' that is no secret: the scheme (RFC 9110 §11.6.2), and the name of a lone parameter, as in
  /// `Token token=…`.
  private static func scheme(of value: String) -> String {
    value.prefixMatch(of: #/[A-Za-z][A-Za-z0-9-]* ([A-Za-z_]+=(?!$|=))?(?=[^\s,]+$)/#).map { String($0.output.0) } ?? ""
  }

  private mutating func addBody() {
    guard let body = look.body else { return }
    let isJSON = look.contentType.map { $0.lowercased().contains("json") } ?? true
    if isJSON, let json = try? JSONValue(parsing: Array(body.utf8)) {
      draft.body = hiding(json).text
      addType(unless: "application/json")
    } else if let items = formItems(body) {
      draft.form = items.map { item in
        (item.name, item.isSecret ? hidden(item.name, item.value) : item.value.asTemplate)
      }
    } else {
      draft.text = body.asTemplate
      // This is the type that curl sends.
      addType(unless: "text/plain; charset=utf-8", orElse: URLItem.formType)
      if let name = CredentialName.first(in: body) {
        draft.comments["text"] = Self.warning(name)
      }
    }
  }

  private static func warning(_ name: String) -> [String] {
    ["The body has '\(name)', which may be a secret: put '${env.NAME}' in the place of its value."]
  }

  /// Adds the type of the body, unless a field or the spec's own key gives it.
  private mutating func addType(unless usual: String, orElse type: String? = nil) {
    guard look.typeField == nil, let type = look.contentType ?? type, type.lowercased() != usual else { return }
    draft.headers.append(("Content-Type", type))
  }

  /// Returns the items of a form (WHATWG URL §5.1); nil if the body is another text.
  private func formItems(_ body: String) -> [URLItem]? {
    guard look.contentType.map({ $0.lowercased().hasPrefix(URLItem.formType) }) ?? true else { return nil }
    let items = QueryItem.items(of: body[...]).map { URLItem(form: String($0.text)) }
    return !items.isEmpty && items.allSatisfy(\.isOfForm) ? items : nil
  }

  /// Returns JSON as a template, with variables in place of secret texts.
  private mutating func hiding(_ value: JSONValue) -> JSONValue {
    switch value.kind {
    case .object: JSONValue(members: value.members.map { ($0.name.asTemplate, hiding($0.value, named: $0.name)) })
    case .array: JSONValue(elements: value.elements.map { hiding($0) })
    case .string: value.string.map { JSONValue($0.asTemplate) } ?? value
    case .number, .boolean, .null: value
    }
  }

  private mutating func hiding(_ value: JSONValue, named name: String) -> JSONValue {
    if value.kind == .number, CredentialName.isCredential(item: name) { draft.comments["body"] = Self.warning(name) }
    guard let text = value.string, !text.isEmpty else { return hiding(value) }
    guard CredentialName.isCredential(item: name) || CredentialName.isToken(text) else {
      if let name = CredentialName.first(in: text) { draft.comments["body"] = Self.warning(name) }
      return hiding(value)
    }
    return JSONValue(hidden(name, text))
  }

  // MARK: Secrets

  /// Name of the service, from its host: `GITHUB_` for `api.github.com`.
  private var prefix: String {
    let host = look.url.split(separator: "/").dropFirst().first.flatMap { $0.split(separator: ":").first } ?? ""
    let labels = host.split(separator: ".").filter { !["www", "api"].contains($0.lowercased()) }
    guard labels.count > 1, host.utf8.contains(where: { (97...122).contains($0 | 0x20) }) else { return "API_" }
    return Self.variable(String(labels[labels.count - 2])) + "_"
  }

  private static func variable(_ name: String) -> String {
    var text = name.uppercased().hasPrefix("X-") ? String(name.dropFirst(2)) : name
    // `apiKey` is `API_KEY`.
    text.replace(#/([a-z0-9])([A-Z])/#) { "\($0.1)_\($0.2)" }
    let words = text.uppercased().utf8.split { !$0.isLetterOrDigit }
    return words.map { String(decoding: Array($0), as: UTF8.self) }.joined(separator: "_")
  }
}
