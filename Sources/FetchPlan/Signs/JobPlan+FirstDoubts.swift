// What makes a page doubtful although it is valid: a whole envelope for a record, and an error beside no records.

import JSONText
import PipelineSpec
import Primitives
package import Wire

extension JobPlan {
  /// Returns a warning if the first page's only record is an envelope with a list in it, of which the job turns the pages.
  package func envelope(in page: PageFacts) -> MoreWarning? {
    guard job.contentIdentifier == nil, page.isSingle, job.pages.map({ $0.kind != .single }) == true else { return nil }
    let signs = MoreSigns(page)
    let path = signs.facts.way
    // Any object may have a list; an envelope speaks of pages, or has the list under a name that says so.
    guard let last = path.last, !signs.votes.isEmpty || Self.listNames.contains(last.lowercased()) else { return nil }
    let name = path.count == 1 && !path[0].hasPrefix("/") ? path[0] : JSONPath(path).pointer
    return MoreWarning(
      reason: "the whole answer is one record, and '\(name)' in it is a list: the pages of a list end by its records",
      advice: ["if its elements are the records, add to the job", "contentIdentifier: \(name)"])
  }

  private static let listNames: Set = ["data", "items", "results", "records", "entries", "values", "value", "rows"]

  /// Returns a warning if a page has no records, and its envelope says plainly that something went wrong.
  package func plainError(in page: PageFacts) -> MoreWarning? {
    guard job.failure == nil, job.empty == nil, job.poll == nil, !job.isGraphQL else { return nil }
    guard page.recordCount == 0 || isOnlyError(page) else { return nil }
    for member in page.outline where member.isWhole && member.path.count == 1 && !member.isInner {
      let value = JSONValue(validated: member.text[...])
      let isStatus = Self.statusNames.contains(MoreSign.normalized(member.path[0]))
      // A single answer with a status of its own is data as often as an error.
      guard !(isStatus && page.recordCount > 0), let sign = Self.errorSign(member.path[0], value) else { continue }
      let what = page.recordCount == 0 ? "a page has no records, and" : "the only record is the whole answer, and"
      return MoreWarning(
        reason: "\(what) '\(member.path[0])' in the response is \(value.excerpt): that looks like an error",
        advice: [
          "to make it one, add to the job", "failure: \(sign.failure)", "or, where it says that there is nothing more",
          "empty: { when: { \(sign.condition) } }",
        ])
    }
    return nil
  }

  /// True if the only record is the whole answer, and it has nothing but what errors have.
  private func isOnlyError(_ page: PageFacts) -> Bool {
    guard job.contentIdentifier == nil, page.isSingle else { return false }
    return page.outline.allSatisfy { member in
      let name = MoreSign.normalized(member.path.last ?? "")
      return member.path.count == 1
        && (Self.errorNames.contains(name) || name == "data" && member.text.elementsEqual("null".utf8))
    }
  }

  private static let errorNames: Set = [
    "error", "errors", "errormessage", "errorcode", "errordescription", "fault", "message", "code", "status",
    "statuscode",
    "ok", "success", "requestid", "detail", "details", "timestamp", "path", "type", "title",
  ]

  private static let statusNames: Set = ["status", "state", "result"]
  /// Texts that say that there is no error.
  private static let noErrors: Set = [
    "", "0", "00", "000", "200", "false", "null", "none", "n/a", "ok", "success", "successful", "no error", "no errors",
  ]

  /// What makes a member an error, as 'failure' takes it, and as a condition; nil where it says nothing of one.
  private static func errorSign(_ name: String, _ value: JSONValue) -> (failure: String, condition: String)? {
    // A name that YAML or a template would read otherwise has quotes.
    let isWord = !name.isEmpty && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F }
    let key = isWord ? name : JSONValue(name).text
    switch MoreSign.normalized(name) {
    case "error", "errors", "errormessage", "errorcode", "errordescription", "fault":
      let text = value.string?.lowercased()
      let isNothing =
        value.isNull || value.boolean == false || [0, 200].contains(value.integer) || value.bytes.count <= 2
      guard !isNothing, text.map({ !noErrors.contains($0) }) != false else { return nil }
      return (isWord ? "\"${body.\(name)}\"" : "'${body[\"\(name)\"]}'", "\(key): { exists: true }")
    case "ok", "success", "successful":
      return value.boolean == false ? ("{ \(key): false }", "\(key): false") : nil
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
  /// The beginning of the value.
  fileprivate var excerpt: String {
    let text = string ?? text
    return text.utf8.count > 100 ? String(text.prefix(100)) + "…" : text
  }
}
