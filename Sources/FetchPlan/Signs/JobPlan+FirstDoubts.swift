// What makes a page doubtful although it is valid: a whole envelope for a record, and an error beside no records.

import JSONText
import PipelineSpec
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
      guard let condition = Self.failure(member.path[0], value) else { continue }
      let what = page.recordCount == 0 ? "a page has no records, and" : "the only record is the whole answer, and"
      return MoreWarning(
        reason: "\(what) '\(member.path[0])' in the response is \(value.excerpt): that looks like an error",
        advice: ["to make it one, add to the job", condition])
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

  /// The line that makes a member an error; nil where it says nothing of one.
  private static func failure(_ name: String, _ value: JSONValue) -> String? {
    switch MoreSign.normalized(name) {
    case "error", "errors", "errormessage", "errorcode", "errordescription", "fault":
      let isNothing = value.isNull || value.boolean == false || value.integer == 0 || value.bytes.count <= 2
      let word = value.string?.lowercased()
      return isNothing || ["none", "ok", "success", "no error"].contains(word) ? nil : "failure: \"${body.\(name)}\""
    case "ok", "success", "successful":
      return value.boolean == false ? "failure: { \(name): false }" : nil
    case "status", "state", "result":
      guard let text = value.string, ["error", "fail", "failed", "failure"].contains(text.lowercased()) else {
        return nil
      }
      return "failure: { \(name): \(text) }"
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
