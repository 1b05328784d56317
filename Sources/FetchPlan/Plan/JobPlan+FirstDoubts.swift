// Doubts about a valid first page: its only record is a whole envelope, or an error stands beside no records.

import JSONText
import PipelineSpec
import Primitives
package import Wire

extension JobPlan {
  /// Returns a warning if the first page's only record is an envelope with a list in it, and the job has a pager.
  package func envelope(in page: PageFacts) -> Evidence? {
    guard job.contentIdentifier == nil, page.body.isSingle, job.pages.map({ $0.kind != .single }) == true else {
      return nil
    }
    let signs = MoreSigns(page)
    let path = signs.facts.way
    // Any object may have a list; an envelope speaks of pages, or has the list under a name that says so.
    guard let last = path.last, !signs.votes.isEmpty || Self.listNames.contains(last.lowercased()) else { return nil }
    let name = path.count == 1 && !path[0].hasPrefix("/") ? path[0] : JSONPath(path).pointer
    return Evidence(
      .error, "the whole answer is one record, and '\(name)' in it is a list: the pages of a list end by its records",
      advice: ["if its elements are the records, add to the job", "contentIdentifier: \(name)"])
  }

  private static let listNames: Set = ["data", "items", "results", "records", "entries", "values", "value", "rows"]

  /// Returns a warning if a page has no records, and its envelope says plainly that something went wrong.
  package func plainError(in page: PageFacts) -> Evidence? {
    guard job.failure == nil, job.empty == nil, job.poll == nil, !job.isGraphQL else { return nil }
    guard page.body.recordCount == 0 || isOnlyError(page) else { return nil }
    for member in page.body.outline where member.isWhole && member.path.count == 1 && !member.isInner {
      let value = JSONValue(validated: member.text[...])
      let isStatus = Self.statusNames.contains(MoreSign.normalized(member.path[0]))
      // A single answer with a status of its own is data as often as an error, unless it has a message, too.
      guard !(isStatus && page.body.recordCount > 0) || hasMessage(page) else { continue }
      // A number of successes beside one of failures is a count.
      guard value.kind != .number || !countsFailures(page) else { continue }
      guard let sign = Self.errorSign(member.path[0], value) ?? lonelyMessage(member.path[0], value, page) else {
        continue
      }
      let what = page.body.recordCount == 0 ? "a page has no records, and" : "the only record is the whole answer, and"
      return Evidence(
        .error, "\(what) '\(member.path[0])' in the response is \(value.excerpt): that looks like an error",
        advice: [
          "to make it one, add to the job", "failure: \(sign.failure)", "or, where it says that there is nothing more",
          "empty: { when: { \(sign.condition) } }",
        ])
    }
    return nil
  }

  /// A message in place of the content, beside nothing but what errors have.
  private func lonelyMessage(
    _ name: String, _ value: JSONValue, _ page: PageFacts
  ) -> (failure: String, condition: String)? {
    guard page.body.missingContent != nil, Self.messageNames.contains(MoreSign.normalized(name)), !value.isNoError,
      let text = value.string
    else { return nil }
    let isError = page.body.outline.allSatisfy { member in
      let name = MoreSign.normalized(member.path.last ?? "")
      let isYes = ["ok", "success"].contains(name) && JSONValue(validated: member.text[...]).flag == true
      return Self.errorNames.contains(name) && !isYes
    }
    return isError ? (Self.hole(name), "\(Self.key(name)): \(JSONValue(text).text)") : nil
  }

  /// True if the only record is the whole answer, and it has nothing but what errors have.
  private func isOnlyError(_ page: PageFacts) -> Bool {
    guard job.contentIdentifier == nil, page.body.isSingle else { return false }
    return page.body.outline.allSatisfy { member in
      let name = MoreSign.normalized(member.path.last ?? "")
      return member.path.count == 1
        && (Self.errorNames.contains(name) || name == "data" && member.text.elementsEqual("null".utf8))
    }
  }

  private static let errorNames: Set = [
    "error", "errors", "errormessage", "errorcode", "errordescription", "fault", "message", "code", "status",
    "statuscode",
    "ok", "success", "requestid", "detail", "details", "timestamp", "path", "type", "title", "stat", "msg", "exception",
    "iserror", "haserror", "returncode", "resultcode", "errno", "errcode", "errmsg", "errormsg",
  ]

  private func countsFailures(_ page: PageFacts) -> Bool {
    page.body.outline.contains {
      ["failure", "failures", "failed", "failurecount"].contains(MoreSign.normalized($0.path.last ?? ""))
    }
  }

  /// True if an answer of error members has a message beside others.
  private func hasMessage(_ page: PageFacts) -> Bool {
    let names = page.body.outline.map { MoreSign.normalized($0.path.last ?? "") }
    return names.count > 1 && !Self.messageNames.isDisjoint(with: names)
  }

  private static let messageNames: Set = ["message", "msg", "errormessage", "errormsg"]

  private static let statusNames: Set = ["status", "state", "result", "stat"]
  /// True for a name that YAML and templates read without quotes.
  private static func isWord(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F }
  }

  private static func key(_ name: String) -> String { isWord(name) ? name : JSONValue(name).text }

  /// The template that reads a member of the body.
  private static func hole(_ name: String) -> String {
    isWord(name) ? "\"${body.\(name)}\"" : "'${body[\"\(name)\"]}'"
  }

  /// Returns how `failure` and a condition spell a member that is an error; nil if the member is none.
  private static func errorSign(_ name: String, _ value: JSONValue) -> (failure: String, condition: String)? {
    let key = key(name)
    switch MoreSign.normalized(name) {
    case "error", "errors", "errormessage", "errormsg", "errorcode", "errordescription", "fault", "exception":
      guard !value.isNoError else { return nil }
      return (hole(name), "\(key): { exists: true }")
    case "ok", "success", "successful":
      return value.isNo ? ("{ \(key): \(value.text) }", "\(key): \(value.text)") : nil
    case "iserror", "haserror", "haserrors":
      return value.flag == true ? ("{ \(key): \(value.text) }", "\(key): \(value.text)") : nil
    case "returncode", "resultcode", "errcode", "errno":
      guard let code = value.count, ![0, 200].contains(code) else { return nil }
      return ("{ \(key): \(value.text) }", "\(key): \(value.text)")
    case let name where statusNames.contains(name):
      guard let text = value.string, ["error", "fail", "failed", "failure"].contains(text.lowercased()) else {
        return nil
      }
      return ("{ \(key): \(text) }", "\(key): \(text)")
    default: return nil
    }
  }
}

extension JSONValue {
  /// Texts that say that there is no error.
  private static let noErrors: Set = [
    "", "0", "00", "000", "200", "false", "null", "none", "n/a", "ok", "success", "successful", "no error", "no errors",
  ]

  /// True if a member that is called `error` says that there is none, as `{"code": 0, "message": ""}` does.
  fileprivate var isNoError: Bool {
    switch kind {
    case .null: true
    case .boolean: boolean == false
    case .number: [0, 200].contains(integer)
    case .string: Self.noErrors.contains(string?.lowercased() ?? "")
    case .array: bytes.count <= 2
    case .object:
      bytes.count <= 2
        || members.contains { ["code", "status", "message"].contains(MoreSign.normalized($0.name)) }
          && members.allSatisfy { member in
            let isReason = ["code", "status", "message", "msg", "type"].contains(MoreSign.normalized(member.name))
            return !isReason || member.value.isNoError
          }
    }
  }

  /// True for `false`, 0, and texts of them.
  fileprivate var isNo: Bool { flag == false || count == 0 }

  /// The beginning of the value.
  fileprivate var excerpt: String {
    let quote = string == nil ? "" : "'"
    let text = string ?? text
    return quote + (text.utf8.count > 100 ? String(text.prefix(100)) + "…" : text) + quote
  }
}
