// The comment about an answer that only says that a job has started: how to wait for its result.

import Diagnostics
import FetchPlan
import Fetching
import JSONText
import Primitives
import Wire
import YAMLText

/// Advice about a job that the server has started, and whose result comes later.
struct JobAdvice {
  let lines: [String]

  /// Nil if the answer is no sign of a job.
  init?(_ draft: SpecDraft, _ reply: KeptReplies.Kept, _ body: JSONValue?, method: String) {
    let location = reply.head.fields["Location"]
    let status = body.flatMap { WorkStatus(in: $0) }
    let isAccepted = reply.head.status == 202 || reply.head.status == 201 && location != nil && status != nil
    // A list may well have elements that are pending.
    guard isAccepted || status != nil, draft.content.map({ $0.count == 1 && $0.size == 0 }) ?? true else { return nil }
    let sign = [
      isAccepted ? "the status is \(reply.head.status)" : nil,
      status.map { "'\($0.path)' is '\($0.value)'" },
    ].compactMap { $0 }.joined(separator: ", and ")
    let until =
      status.map {
        "until: { \(YAMLScalar.text($0.path.description, inFlow: true)): { not: [\(Self.pending(like: $0.value))] } }, "
      }
      ?? ""
    let poll = "poll: { \(until)\(Self.interval(of: reply)) }"
    let ends =
      (status.map {
        [
          "'until' takes any other status for the end: compare the list with the API's documentation.",
          "If you know the status of a finished job, write that instead, such as 'until: { \(YAMLScalar.text($0.path.description, inFlow: true)): [DONE] }'.",
        ]
      } ?? [])
      + ["If a job can fail, name that in 'poll', such as 'failure: { body.status: [FAILED] }'."]
    guard method != "GET" else {
      lines = ["The job is not done: \(sign). To repeat the request until it is done, add:", "  \(poll)"] + ends
      return
    }
    let names = draft.content?.names ?? []
    let atLocation = location.flatMap { Self.endpoint(at: $0, of: body, names) }
    guard atLocation != nil || location == nil else {
      lines =
        ["The server has started a job: \(sign), and 'Location' is its address. To wait there for the result, add:"]
        + ["  \(poll)"] + ends
      return
    }
    let next = atLocation ?? Self.endpoint(of: body, reply.head.url.text, names)
    lines =
      ["The server has started a job: \(sign). A spec that waits for its result has two steps:"]
      + draft.steps(then: next ?? "${input.url}", [poll]).map { "  " + $0 }
      + [
        next == nil
          ? "The answer has no address of the job: look up where its state is, and write that in place of '${input.url}'."
          : "See whether the job's state is at this address, and what a result looks like."
      ] + ends
  }

  /// Usual words for a job that is not done.
  private static let usual = [
    "queued", "pending", "submitted", "accepted", "created", "waiting", "scheduled", "started", "running", "processing",
    "working", "executing", "in_progress", "in progress", "in-progress", "inprogress",
  ]

  /// Returns the elements of a list of statuses: the found one, and the usual ones in the same case.
  private static func pending(like found: String) -> String {
    let words = usual.map { word in
      if found == found.uppercased() { return word.uppercased() }
      guard found.first?.isUppercase == true else { return word }
      return word == "inprogress"
        ? "InProgress" : word.replacing(#/[a-z]+/#) { $0.output.prefix(1).uppercased() + $0.output.dropFirst() }
    }
    return ([found] + words.filter { $0 != found }).map { YAMLScalar.text($0.asTemplate, inFlow: true) }.joined(
      separator: ", ")
  }

  /// Returns `every` and `within` of `poll`: the interval is that of `Retry-After`, if the answer has one.
  static func interval(of reply: KeptReplies.Kept) -> String {
    let seconds = reply.head.fields["Retry-After"].flatMap { Int($0) } ?? 0
    guard (1...longestInterval).contains(seconds) else { return "every: 10s, within: 30m" }
    return "every: \(seconds)s, within: \(seconds > shortInterval ? "24h" : "30m")"
  }

  private static let shortInterval = 300
  private static let longestInterval = 12 * 3_600

  private static func letters(of text: String) -> String { text.lowercased().filter(\.isLetter) }

  /// Returns the members of the answer's record, and those that are ids.
  private static func members(
    of body: JSONValue?, _ names: [String]
  ) -> (all: [JSONValue.Member], ids: [JSONValue.Member]) {
    let record = names.reduce(body) { $0?[$1] }
    let members = (record?.kind == .object ? record.map { Array($0.members) } : nil) ?? []
    let ids = members.filter { member in
      let name = letters(of: member.name)
      return ["id", "handle", "key", "token"].contains { name.hasSuffix($0) } && member.value.idText != nil
    }
    return (members, ids)
  }

  /// Returns the address of the field `Location` with the member of the answer that ends it; nil if none does.
  private static func endpoint(at location: String, of body: JSONValue?, _ names: [String]) -> String? {
    let (members, ids) = members(of: body, names)
    for member in ids + members {
      guard let id = member.value.idText, id.count > 1 || ids.contains(where: { $0.name == member.name }),
        location.hasSuffix("/" + id),
        let hole = hole(member.name)
      else { continue }
      return location.dropLast(id.count).description.asTemplate + hole
    }
    return nil
  }

  /// Returns the address of the job from a URL in the answer, or from its id.
  private static func endpoint(of body: JSONValue?, _ url: String, _ names: [String]) -> String? {
    let (members, ids) = members(of: body, names)
    let base = url.prefix { $0 != "?" && $0 != "#" }
    let urls = ["statusurl", "statusuri", "url", "uri", "href", "self", "location", "link", "polling", "operation"]
    let links = members.filter { member in
      let name = letters(of: member.name)
      return urls.contains { name.hasSuffix($0) }
        && member.value.string.map { $0.contains("://") || $0.hasPrefix("/") } == true
    }
    let link = links.first { letters(of: $0.name).contains("status") } ?? links.first
    if let hole = link.flatMap({ hole($0.name) }) { return hole }
    return ids.first.flatMap { hole($0.name) }.map { String(base).asTemplate + ($0.isEmpty ? "" : "/") + $0 }
  }

  /// Returns a template that reads a member of the record; nil if its name can't be written down.
  private static func hole(_ name: String) -> String? {
    let isWord =
      !name.isEmpty
      && name.utf8.allSatisfy(\.isWord)
    return isWord ? "${input.\(name)}" : nil
  }
}

extension JSONValue {
  /// The text of a value that may be an id.
  fileprivate var idText: String? {
    switch kind {
    case .string: string.flatMap { $0.isEmpty || $0.contains("://") ? nil : $0 }
    case .number: text
    case .object, .array, .boolean, .null: nil
    }
  }
}

// The comment about records that only name others: a second step fetches those.

/// Advice about a list of addresses or ids.
struct ReferenceAdvice {
  let lines: [String]

  /// A record with more members has data of its own.
  private static let mostMembers = 4

  /// Nil if the records are more than references.
  init?(_ draft: SpecDraft, records: [JSONValue], url: String) {
    guard let first = records.first else { return nil }
    if records.allSatisfy({ $0.kind == .number || $0.kind == .string }) {
      let kind = first.kind == .number ? "numbers" : "texts"
      lines = [
        "The records are \(kind). If they are ids, a second step can fetch each: '${input}' in its 'endpoint' is the id."
      ]
      return
    }
    let origin = Origin(of: url)
    guard records.allSatisfy({ Array($0.members.prefix(Self.mostMembers + 1)).count <= Self.mostMembers }) else {
      return nil
    }
    let name = first.members.map(\.name).first { name in
      records.allSatisfy { record in
        record[name]?.string.map { $0.contains("://") && Origin(of: $0) == origin } == true
      }
    }
    guard let name, name.utf8.allSatisfy({ (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "_") }) else {
      return nil
    }
    lines =
      ["Each record has a URL of this server in '\(name)'. To fetch what is there, write two steps:"]
      + draft.steps(then: "${input.\(name)}").map { "  \($0)" }
  }
}

// MARK: The comment about an answer that only has a token: the request logs in

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
    let origin = url[..<URLParts(url).path.startIndex]
    spec =
      ["endpoint: \(YAMLScalar.text("\(origin)/".asTemplate))", "auth:", "  login:"]
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
