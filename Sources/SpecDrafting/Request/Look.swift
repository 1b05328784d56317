// The request of a draft, as curl's options describe it, and which parts of it are secret.

import Diagnostics
package import Engine
import FetchPlan
import JSONText
import PipelineSpec
import Primitives
import Wire

/// One request, from which a spec is drafted.
package struct Look: Sendable {
  package var url = ""
  package var method: String?
  /// Header fields, each a line `Name: value`.
  package var headers: [String] = []
  /// `USER:PASSWORD`.
  package var user: String?
  package var body: String?
  /// True for curl's `-k` with http, which has no certificates.
  var hasNeedlessSwitch = false

  package init() {}

  /// The type of the body that a recording has.
  private var recordedType: String?
  /// The change from the recording's first request to the next one, if that turns the page.
  private(set) var turn: RecordedTurn?

  /// Limit for the requests that are searched for the next one.
  private static let mostRequests = 1_000

  /// A request of a recording.
  struct Recorded {
    let method: String
    /// The URL without its query.
    let address: String
    let items: [(name: String, value: String)]
    let body: String?

    init(_ request: JSONValue) {
      let url = request["url"]?.string ?? ""
      (method, address) = (request["method"]?.string ?? "", String(url[..<URLParts(url).path.endIndex]))
      items = URLItem.all(in: url).map { ($0.name, $0.value) }
      body = request["postData"]?["text"]?.string
    }
  }

  /// Takes URL, method and body from the recording's first request, or from its first one to the given URL.
  ///
  /// Requests for a token or a session are skipped, since they come before those that fetch.
  package mutating func take(fromFirstIn har: [UInt8]) {
    let entries = (try? JSONValue(parsing: har))?["log"]?["entries"]
    let requests = Array((entries?.elements.lazy.compactMap { $0["request"] }) ?? [])
    let index =
      url.isEmpty
      ? requests.firstIndex { !Self.isLogin($0) } ?? requests.indices.first
      : requests.firstIndex { $0["url"]?.string == url }
    guard let index else { return }
    let request = requests[index]
    let first = Recorded(request)
    for request in requests[(index + 1)...].prefix(Self.mostRequests) where turn == nil {
      turn = RecordedTurn(from: first, to: Recorded(request))
    }
    url = request["url"]?.string ?? ""
    method = method ?? request["method"]?.string
    guard body == nil, let data = request["postData"] else { return }
    body = data["text"]?.string
    recordedType = data["mimeType"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reports that a recorded request asks for a token or a session.
  private static func isLogin(_ request: JSONValue) -> Bool {
    guard request["method"]?.string == "POST" else { return false }
    let path = (request["url"]?.string ?? "").lowercased().prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let body = (request["postData"]?["text"]?.string ?? "").lowercased()
    return loginNames.contains(name) || ["grant_type", "password", "client_secret"].contains { body.contains($0) }
  }

  private static let loginNames: Set = [
    "token", "oauth", "oauth2", "login", "log-in", "signin", "sign-in", "session", "sessions", "auth", "authenticate",
    "authorize", "access_token",
  ]

  /// Reason why no spec can be made from the request; nil if one can.
  package var problem: String? {
    if url.hasPrefix("^") { return Self.quotedForWindows("the URL") }
    if url.hasPrefix("curl ") { return "the curl command is one word: leave out the quotes around it" }
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
      return "the URL is not an http or https URL: begin it with '\(Self.likelyScheme(of: url))://'"
    }
    if url.split(separator: "/").dropFirst().first?.contains("@") == true {
      return "the URL has a user name in it: give USER:PASSWORD by '-u'"
    }
    if Origin(of: url) == nil { return "the URL has no host, or a wrong port: correct it" }
    return optionProblem
  }

  /// Returns the scheme that a URL without a scheme probably has: servers on this machine seldom speak TLS.
  static func likelyScheme(of url: String) -> String {
    ["localhost", "127.0.0.1", "[::1]"].contains { url.hasPrefix($0) } ? "http" : "https"
  }

  /// The first mistake in the values of the options `-u` and `-H`.
  private var optionProblem: String? {
    if user?.isEmpty == true { return "-u takes USER:PASSWORD, and was given nothing" }
    if user?.hasControlCharacter == true { return "-u has a line end or another control character in its value" }
    if method.map({ !$0.isToken }) == true { return "-X takes a method such as GET or POST" }
    // No message shows a line: without its name, it may be a secret.
    for line in headers {
      guard line.contains(":") || line.hasSuffix(";") else {
        return "-H takes 'Name: value', and this one has no ':'"
      }
      let name = line.contains(":") ? line.prefix { $0 != ":" } : line.dropLast()
      if name.isEmpty { return "-H takes 'Name: value', and this one has no name" }
      if !name.isToken {
        return "-H takes 'Name: value', and this name has a blank or another character that no name can have"
      }
    }
    var names: Set<String> = []
    for (name, value) in fields {
      if value.hasControlCharacter {
        return "-H '\(name.printable)' has a line end or another control character in its value"
      }
      if name.lowercased() == "authorization", user != nil {
        return "-u and -H '\(name.printable)' both say who asks: leave one of them out"
      }
      if !names.insert(name.lowercased()).inserted {
        return "-H gives '\(name.printable)' twice: leave one of them out"
      }
    }
    return nil
  }

  /// The header fields, without blanks around their values.
  ///
  /// As in curl, `Name;` is an empty field, and `Name:` is a field that is not sent.
  var fields: [(name: String, value: String)] {
    headers.compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return (String(line.dropLast()), "") }
      let value = line[colon...].dropFirst().drop { $0 == " " }.trimmedAtEnd
      return value.isEmpty ? nil : (String(line[..<colon]), value)
    }
  }

  /// Names of the fields that a run would send by default, and that are not to be sent (`Name:`).
  var removedFields: [String] {
    headers.compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = String(line[..<colon])
      guard line[colon...].dropFirst().allSatisfy(\.isWhitespace) else { return nil }
      return ["accept", "user-agent"].contains(name.lowercased()) ? name : nil
    }
  }

  /// Returns the problem of a request with the escapes of the Windows command line.
  static func quotedForWindows(_ subject: String) -> String {
    "\(subject) is quoted for the Windows command line: copy the request as 'cURL (bash)'"
  }

  /// The type of the body in the header fields; nil without such a field.
  var typeField: String? { fields.first { $0.name.lowercased() == "content-type" }?.value }

  /// The type of the body in the header fields, otherwise in the recording.
  var contentType: String? { typeField ?? recordedType }
}

extension Substring {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}

// A curl command line, as browsers copy it.

extension Look {
  /// Reads the arguments of curl, without `curl` itself.
  ///
  /// - Throws: `SpecError` for an option that changes the request, and that a spec can't express.
  package init(curl arguments: some Sequence<String>) throws(SpecError) {
    self.init()
    var rest = Array(arguments)[...]
    if rest.contains(where: { $0.hasPrefix("^") }) {
      throw SpecError(messages: [Self.quotedForWindows("the curl command")])
    }
    var data: [String] = []
    var (isQuery, isInsecure) = (false, false)
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), argument != "-" else {
        try take(url: argument)
        continue
      }
      let (name, attached) = Self.parts(of: argument)
      if Self.switches.contains(name) {
        // Letters of several switches: `-sS`.
        if let attached, !attached.isEmpty { rest = ["-" + attached] + rest }
        if ["-G", "--get"].contains(name) { isQuery = true }
        if ["-k", "--insecure"].contains(name) { isInsecure = true }
        continue
      }
      if ["--cacert", "--cert", "-E", "--key"].contains(name) {
        throw SpecError(messages: [
          "curl's '\(name)' is a key of the spec: leave it out, and write 'tls: { ca: FILE }' or 'tls: { certificate: FILE, key: FILE }'"
        ])
      }
      guard let kind = Self.options[name] else {
        throw SpecError(messages: [
          // A text after '=' may be a secret.
          "curl's '\(String(name.prefix { $0 != "=" }).printable)' is not understood: leave it out, or write the spec by hand"
        ])
      }
      guard let value = attached ?? rest.popFirst() else {
        throw SpecError(messages: ["curl's '\(name.printable)' lacks its value"])
      }
      try take(kind, name, value, &data)
    }
    try finish(data, isQuery: isQuery, isInsecure: isInsecure)
  }

  /// Returns an option's name, and the value that follows a letter directly, such as `POST` in `-XPOST`.
  private static func parts(of argument: String) -> (name: String, attached: String?) {
    guard !argument.hasPrefix("--"), argument.count > 2 else { return (argument, nil) }
    return (String(argument.prefix(2)), String(argument.dropFirst(2)))
  }

  /// Applies an option with its value; adds the text of a body to `data`.
  private mutating func take(
    _ kind: Kind, _ name: String, _ value: String, _ data: inout [String]
  ) throws(SpecError) {
    switch kind {
    case .header: if !Self.isOfBrowser(value) { headers.append(value) }
    case .method: method = value
    case .user: user = value
    case .url: try take(url: value)
    case .cookie where !value.contains("="):
      throw SpecError(messages: [
        "curl's '\(name) FILE' is not understood: give the cookies themselves, as 'NAME=VALUE'"
      ])
    case .cookie:
      // curl joins the cookies of all these options.
      if let index = headers.firstIndex(where: { $0.hasPrefix("Cookie: ") }) {
        headers[index] += "; " + value
      } else {
        headers.append("Cookie: " + value)
      }
    case .bearer: headers.append("Authorization: Bearer " + value)
    case .agent: headers.append("User-Agent: " + value)
    case .referer: headers.append("Referer: " + value)
    case .data, .json, .encoded:
      guard !value.hasPrefix("@") || name == "--data-raw" else {
        throw SpecError(messages: ["curl's '\(name) @FILE' is not understood: give the text itself"])
      }
      data.append(kind == .encoded ? try Self.encoded(value) : value)
      if kind == .json { headers += ["Content-Type: application/json", "Accept: application/json"] }
    case .ignored: break
    }
  }

  /// Returns a text of `--data-urlencode`: `name=content`, `=content` or `content`, of which the content is encoded.
  private static func encoded(_ value: String) throws(SpecError) -> String {
    guard let mark = value.firstIndex(of: "=") else {
      guard !value.contains("@") else {
        throw SpecError(messages: ["curl's '--data-urlencode NAME@FILE' is not understood: give the text itself"])
      }
      return value.percentEncoded
    }
    let name = value[..<mark]
    return (name.isEmpty ? "" : name + "=") + String(value[value.index(after: mark)...]).percentEncoded
  }

  /// Puts the texts of `-d` into the URL or the body, and checks the URL.
  private mutating func finish(_ data: [String], isQuery: Bool, isInsecure: Bool) throws(SpecError) {
    if isQuery {
      url += (url.contains("?") ? "&" : "?") + data.joined(separator: "&")
    } else if !data.isEmpty {
      body = data.joined(separator: "&")
    }
    if url.isEmpty { throw SpecError(messages: ["the curl command has no URL"]) }
    if !url.contains("://") { url = "\(Self.likelyScheme(of: url))://\(url)" }
    hasNeedlessSwitch = isInsecure
    if isInsecure, url.hasPrefix("https:") {
      throw SpecError(messages: [
        "curl's '-k' would trust any server, which no spec can say: leave it out, set CURL_CA_BUNDLE to the file of the "
          + "authority's certificate, and write 'tls: { ca: FILE }' in the spec"
      ])
    }
  }

  private mutating func take(url other: String) throws(SpecError) {
    guard url.isEmpty else {
      throw SpecError(messages: [
        "the curl command has two URLs, or a value without its option: a spec is made of one URL"
      ])
    }
    url = other
  }

  private enum Kind { case header, method, user, url, cookie, bearer, agent, referer, data, json, encoded, ignored }

  private static let options: [String: Kind] = [
    "-H": .header, "--header": .header, "-X": .method, "--request": .method, "-u": .user, "--user": .user,
    "--url": .url,
    "--oauth2-bearer": .bearer, "-b": .cookie, "--cookie": .cookie, "-A": .agent, "--user-agent": .agent,
    "-e": .referer, "--referer": .referer,
    "-d": .data, "--data": .data, "--data-raw": .data, "--data-binary": .data, "--data-ascii": .data, "--json": .json,
    "--data-urlencode": .encoded,
    "-o": .ignored, "--output": .ignored, "-m": .ignored, "--max-time": .ignored, "--connect-timeout": .ignored,
    "--retry": .ignored, "-w": .ignored, "--write-out": .ignored,
  ]

  /// Switches, of which only `-G` and `-k` have an effect here.
  private static let switches: Set = [
    "-s", "--silent", "-S", "--show-error", "-L", "--location", "-i", "--include", "-f", "--fail", "--fail-with-body",
    "-v",
    "--verbose", "--compressed", "-g", "--globoff", "-N", "--no-buffer", "--http1.1", "--http2", "-#", "--progress-bar",
    "-O",
    "--path-as-is", "-4", "-6", "-G", "--get", "-k", "--insecure",
  ]

  /// Reports that a header line is a browser's own field; libcurl has its own `Accept-Encoding`.
  private static func isOfBrowser(_ line: String) -> Bool {
    let name = line.prefix { $0 != ":" }.lowercased()
    return name.hasPrefix("sec-")
      || [
        "accept-encoding", "connection", "content-length", "host", "te", "priority", "upgrade-insecure-requests", "dnt",
        "cache-control", "pragma", "if-none-match", "if-modified-since",
      ].contains(name)
  }
}

// MARK: One item of a query or a form

/// A name and a value, as they are written in a query or a form.
struct URLItem {
  static let formType = "application/x-www-form-urlencoded"

  /// The item in its original spelling.
  let text: String
  let name: String
  let value: String
  /// False for an item without `=`.
  private let hasValue: Bool

  /// Reads an item of a query, in which `+` is a `+`.
  init(_ text: String) {
    self.init(text, decoding: text)
  }

  /// Returns the items of a URL's query.
  static func all(in url: String) -> [URLItem] { URLParts(url).items.map { URLItem(String($0.text)) } }

  /// Reads an item of a form, in which `+` is a blank.
  init(form text: String) {
    self.init(text, decoding: text.replacing("+", with: " "))
  }

  private init(_ text: String, decoding written: String) {
    let item = QueryItem(written[...])
    self.text = text
    name = item.name.percentDecodedText
    value = item.value?.percentDecodedText ?? ""
    hasValue = item.value != nil
  }

  /// True if a spec's `query` sends the item in its original spelling.
  var isEncodedAsUsual: Bool { hasValue && "\(name.percentEncoded)=\(value.percentEncoded)" == text }

  /// True if the item is part of a form, since other text may also contain `=`.
  var isOfForm: Bool {
    hasValue && !name.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Self.unusual.contains($0) }
  }

  var isSecret: Bool {
    guard !value.isEmpty else { return false }
    return CredentialName.isCredential(item: name) || CredentialName.isToken(value)
      // `?a=b;api_key=…`, and the key of a function of Azure.
      || CredentialName.first(in: value) != nil || name.lowercased() == "code" && value.utf8.count >= Self.leastKey
  }

  /// Length of the shortest `code` that is a key rather than the code of a country or a product.
  private static let leastKey = 32

  /// Bytes that every encoder of forms encodes.
  private static let unusual = Array("\"<>\\^`{|}".utf8)
}

extension CredentialName {
  /// Returns the first name of a credential in a text that has a value: `password=…`, `"apiKey": …`, `<token>…`, or a
  /// part `name="password"` of a multipart form.
  static func first(in text: String) -> String? {
    let text = text.percentDecodedText
    let parts = text.hasPrefix("--") ? text.matches(of: #/form-data; name="([^"]+)"/#).map { String($0.1) } : []
    if let part = parts.first(where: { isCredential(item: $0) }) { return part }
    return text.matches(of: #/([A-Za-z0-9_\-]+)["'\]]*\s*[=:>]/#).lazy.map { String($0.1) }.first {
      isCredential(item: $0)
    }
  }
}

extension StringProtocol {
  /// The text with percent-encoding undone.
  var percentDecodedText: String { String(decoding: percentDecoded, as: UTF8.self) }
}
