// The request of a draft, as curl's options describe it, and which parts of it are secret.

import Diagnostics
import JSONText
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
    let place: String
    let items: [(name: String, value: String)]
    let body: String?

    init(_ request: JSONValue) {
      let url = (request["url"]?.string ?? "").prefix { $0 != "#" }
      let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      (method, place) = (request["method"]?.string ?? "", String(parts.first ?? ""))
      items = (parts.dropFirst().first ?? "").split(separator: "&").map {
        let item = URLItem(String($0))
        return (item.name, item.value)
      }
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
      return "the URL is no http or https URL: begin it with '\(Self.likelyScheme(of: url))://'"
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
    if user?.holdsControl == true { return "-u has a line end or another control character in its value" }
    if method.map({ !$0[...].isFieldName }) == true { return "-X takes a method such as GET or POST" }
    // No message shows a line: without its name, it may be a secret.
    for line in headers {
      guard line.contains(":") || line.hasSuffix(";") else {
        return "-H takes 'Name: value', and this one has no ':'"
      }
      let name = line.contains(":") ? line.prefix { $0 != ":" } : line.dropLast()
      if name.isEmpty { return "-H takes 'Name: value', and this one has no name" }
      if !name.isFieldName {
        return "-H takes 'Name: value', and this name has a blank or another character that no name can have"
      }
    }
    var names: Set<String> = []
    for (name, value) in fields {
      if value.holdsControl { return "-H '\(name.printable)' has a line end or another control character in its value" }
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

extension String {
  /// True if a header field can't have the text, because of a control character.
  fileprivate var holdsControl: Bool { unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F } }
}

extension Substring {
  /// True for a token of RFC 9110 §5.6.2.
  fileprivate var isFieldName: Bool {
    utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 0x20) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  fileprivate var trimmedAtEnd: String {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
