// An error in place of the records: an answer that has a status or an error, and no other content.

package import JSONText
import PipelineSpec
import Primitives
package import Wire

/// An object that says that something went wrong, and says nothing else.
///
/// Data may have such names, too. So every member must belong to an error, or be empty, and one must say what is wrong.
struct ErrorAnswer {
  /// The names that lead to the member that says so.
  let path: [String]
  let value: JSONValue
  /// The test of the member in a condition; nil if any value of the member is an error.
  private let test: String?

  private struct Member {
    let name: String
    let plain: String
    let value: JSONValue
    /// The error in an object that is around the whole answer.
    var inner: [ErrorAnswer] = []

    init(_ name: String, _ value: JSONValue, depth: Int) {
      (self.name, self.value) = (name, value)
      plain = PageHint.normalized(name)
      guard value.kind == .object, ErrorAnswer.wrappers.contains(plain), depth < 3 else { return }
      inner = ErrorAnswer(value.members.map { ($0.name, $0.value) }, depth: depth + 1).map { [$0] } ?? []
    }

    var isEmpty: Bool {
      value.isNull || value.string?.isEmpty == true || (value.kind.isContainer && value.bytes.count == 2)
    }
    var isError: Bool {
      ["err", "fault", "exception"].contains { plain.hasPrefix($0) } || plain.contains("error")
    }
    var isFlag: Bool { ErrorAnswer.flags.contains(plain) || isFailure }
    /// A flag that is true if the request failed.
    var isFailure: Bool { ["fail", "failed", "failure", "isfailed", "isfailure"].contains(plain) && value.flag != nil }
    var isCode: Bool { ErrorAnswer.codes.contains(plain) || ErrorAnswer.words.contains(plain) }

    var isMessage: Bool {
      ErrorAnswer.messages.contains(plain) && (value.kind == .string || value.bytes.starts(with: "[\"".utf8))
    }

    var saysError: Bool {
      if !inner.isEmpty { return true }
      if isError {
        return ["iserror", "haserror", "haserrors"].contains(plain) ? value.flag == true : !value.isNoError
      }
      if isFailure { return value.flag == true }
      if isFlag { return value.isNo }
      if isMessage { return ErrorAnswer.badMessages.contains(PageHint.normalized(value.string ?? "")) }
      if isCode, let text = value.string, Int(text) == nil { return ErrorAnswer.isBad(text) }
      return ErrorAnswer.codes.contains(plain) && (400...599).contains(value.count ?? 0)
    }

    var saysSuccess: Bool {
      if isFailure { return value.flag == false }
      if isFlag { return value.flag == true || value.count ?? 0 > 0 }
      guard isCode else { return false }
      if let count = value.count {
        return count == 0 || (ErrorAnswer.zeroCodes.contains(plain) ? 200...299 : 0...299).contains(count)
      }
      return value.isNoError || ErrorAnswer.goodWords.contains(value.string?.lowercased() ?? "")
    }
  }

  private static let flags: Set = ["ok", "success", "successful", "issuccess", "issuccessful", "succeeded"]
  /// Names of codes, whose numbers are those of HTTP; and of words.
  private static let codes: Set = [
    "code", "cod", "status", "statuscode", "httpcode", "httpstatus", "httpstatuscode", "returncode", "resultcode",
    "responsecode", "retcode",
  ]
  /// Codes of which only 0 and 200 mean success.
  private static let zeroCodes: Set = ["returncode", "resultcode", "retcode", "ret", "rc"]
  private static let words: Set = ["state", "stat", "result", "response", "ret", "rc"]
  private static let wrappers: Set = ["meta", "data", "response", "result", "status", "header", "body", "d", "return"]
  private static let goodWords: Set = [
    "completed", "complete", "done", "true", "active", "running", "healthy", "up", "pass",
  ]
  private static let badMessages: Set = ["notok", "nok", "error", "fail", "failed", "failure"]
  private static let messages: Set = [
    "message", "messages", "msg", "detail", "reason", "statusmessage", "statustext", "resultmessage", "returnmessage",
    "responsemessage", "retmsg", "resultdesc", "resultdescription", "returndesc", "returndescription",
  ]
  /// What stands beside a message that is alone.
  private static let besideMessage: Set = [
    "type", "documentationurl", "docs", "moreinfo", "moreinformation", "helpurl", "help", "hint", "requestid",
    "responsetime", "took",
    "traceid",
    "correlationid",
  ]
  private static let besideError: Set = besideMessage.union([
    "description", "details", "title", "info", "note", "instance", "path", "timestamp", "time", "date", "debugid",
    "link",
    "links", "url", "href", "resource", "hostid", "jsonrpc", "version", "apiversion", "method", "domain", "target",
    "severity", "level", "cause", "causes", "trace", "stacktrace", "stack",
  ])

  private static func isBad(_ text: String) -> Bool {
    let word = PageHint.normalized(text)
    return ["ko", "nok", "notok"].contains(word) || word.hasPrefix("err")
      || ["error", "fail", "denied", "invalid", "unauthorized", "forbidden", "exceeded"].contains { word.contains($0) }
  }

  /// Nil if the object may be data.
  ///
  /// - Parameters:
  ///   - members: all members of the object.
  ///   - start: names that lead to the object.
  ///   - depth: number of objects around it.
  init?(_ members: [(name: String, value: JSONValue)], at start: [String] = [], depth: Int = 0) {
    let all = members.prefix(64).map { Member($0.name, $0.value, depth: depth) }
    let isRPC = all.contains { $0.plain == "jsonrpc" }
    let isOnlyError = all.allSatisfy { member in
      member.isEmpty || member.isError || member.isFlag || member.isMessage || !member.inner.isEmpty
        || member.isCode && member.value.kind != .object || Self.besideError.contains(member.plain)
        || isRPC && member.plain == "id"
    }
    guard members.count <= 64, isOnlyError, let found = all.first(where: \.saysError) ?? Self.lonelyMessage(all) else {
      return nil
    }
    if let inner = found.inner.first {
      (path, value, test) = (start + [found.name] + inner.path, inner.value, inner.test)
    } else {
      (path, value, test) = (start + [found.name], found.value, Self.test(of: found))
    }
  }

  /// A message beside nothing but codes, none of which says that all is well.
  private static func lonelyMessage(_ all: [Member]) -> Member? {
    guard !all.contains(where: \.saysSuccess) else { return nil }
    let isAlone = all.allSatisfy { member in
      member.isEmpty || member.isError || member.isFlag || member.isCode || member.isMessage
        || besideMessage.contains(member.plain)
    }
    return isAlone ? all.first { $0.isMessage && !$0.isEmpty && !$0.value.isNoError } : nil
  }

  // MARK: Lines to write

  private static func test(of member: Member) -> String? {
    if member.isFlag || member.plain.hasPrefix("is") || member.plain.hasPrefix("has") { return member.value.text }
    guard member.isCode, !member.isError else { return nil }
    return member.value.kind == .number && member.value.count ?? 0 >= 400 ? "{ above: 399 }" : member.value.yaml
  }

  /// The member as messages and conditions name it.
  var name: String { JSONPath(path).description }

  /// `failure` for the next answer of this kind.
  ///
  /// - Parameter root: `body`, or `last` for the last record of a page.
  func failure(root: String = "body") -> String {
    let path = JSONPath(root: root, path).yaml
    return root == "body" ? test.map { "{ \(path): \($0) }" } ?? path : path
  }
}

extension JSONKind {
  fileprivate var isContainer: Bool { self == .object || self == .array }
}

extension JSONValue {
  /// Texts that say that there is no error, or no warning.
  static let noErrors: Set = [
    "", "0", "00", "000", "0000", "200", "false", "null", "none", "n/a", "ok", "success", "successful", "no error",
    "no errors", "no warning", "no warnings",
  ]

  /// True if a member that is called `error` says that there is none, as `{"code": 0, "message": ""}` does.
  var isNoError: Bool {
    switch kind {
    case .null: true
    case .boolean: boolean == false
    case .number: [0, 200].contains(integer)
    case .string: Self.noErrors.contains(string?.lowercased() ?? "")
    case .array: bytes.count <= 2
    case .object:
      bytes.count <= 2
        || members.contains { ["code", "status", "message"].contains(PageHint.normalized($0.name)) }
          && members.allSatisfy { member in
            let isReason = ["code", "status", "message", "msg", "type"].contains(PageHint.normalized(member.name))
            return !isReason || member.value.isNoError
          }
    }
  }

  /// True for `false`, 0, and texts of them.
  var isNo: Bool { flag == false || count == 0 }

  /// The value as YAML: a text in quotes unless it is a word.
  fileprivate var yaml: String {
    guard let string, string.first?.isLetter == true, flag == nil, string.lowercased() != "null" else { return text }
    return string.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F } ? string : text
  }

  /// The beginning of the value.
  var excerpt: String {
    let quote = string == nil ? "" : "'"
    let text = string ?? text
    return quote + (text.utf8.count > 100 ? String(text.prefix(100)) + "…" : text) + quote
  }
}

// MARK: Signs of a rate limit in the error that an answer with a successful status reports

/// The place in a body at which an error names a rate limit, and the word by which it does.
package struct LimitSign: Hashable, Sendable {
  package let path: JSONPath
  /// The word as the server spells it: `THROTTLED`.
  package let word: String

  private static let words = ["throttled", "rate limit", "ratelimit", "rate_limit", "too many requests"]
  private static let mostDepth = 8

  /// Finds the first text that names a limit among the values that a page captured at these paths; nil if there is none.
  package init?(at paths: [JSONPath], in page: PageFacts) {
    let found = paths.lazy.compactMap { path in
      page.body.captured[path.description].flatMap {
        Self(in: JSONValue(validated: $0[...]), at: path.steps.map(\.name))
      }
    }
    guard let first = found.first else { return nil }
    self = first
  }

  private init?(in value: JSONValue, at names: [String]) {
    guard names.count <= Self.mostDepth else { return nil }
    let inner: LimitSign?
    switch value.kind {
    case .string:
      inner = Self.word(in: value.string ?? "").map { LimitSign(path: JSONPath(names), word: $0) }
    case .object:
      inner = value.members.lazy.compactMap { LimitSign(in: $0.value, at: names + [$0.name]) }.first
    case .array:
      inner = value.elements.lazy.enumerated().compactMap { LimitSign(in: $1, at: names + ["\($0)"]) }.first
    case .number, .boolean, .null:
      inner = nil
    }
    guard let inner else { return nil }
    self = inner
  }

  private init(path: JSONPath, word: String) {
    (self.path, self.word) = (path, word)
  }

  /// Returns the first of the words in the spelling of the text.
  private static func word(in text: String) -> String? {
    let bytes = Array(text.utf8)
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return words.lazy.compactMap { word in
      lower.firstRange(of: Array(word.utf8)).map { String(decoding: bytes[$0], as: UTF8.self) }
    }.first
  }
}

extension Condition {
  /// Returns the sign of a rate limit in the values of the body that the condition reads; nil if there is none.
  package func limitSign(in page: PageFacts) -> LimitSign? {
    LimitSign(at: bodyPaths, in: page)
  }
}

// MARK: GraphQL in a job's request

extension Job {
  /// True if the job asks by GraphQL, and reads the answer's `data`.
  package var isGraphQL: Bool { graphQLQuery != nil && readsData }

  /// True if the content is in the root's `data`, or may be.
  private var readsData: Bool {
    contentIdentifier.map { $0.contentShape?.steps.first?.name == "data" } ?? true
  }

  /// The variable that takes the cursor of the next page: `$cursor` of `issues(after: $cursor)`, or `after`.
  var graphQLVariable: String? {
    guard let query = graphQLInBody, query.contains("{") else { return nil }
    for range in query.ranges(of: "after:") {
      let rest = query[range.upperBound...].drop { $0 == " " }
      let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      if rest.first == "$", !name.isEmpty { return String(name) }
    }
    return "after"
  }

  var hasVariables: Bool {
    guard case .map(let members)? = body else { return false }
    return members.contains { if case .map = $0.value, $0.name == "variables" { true } else { false } }
  }
}
