// Doubts about a valid first page: its only record is a whole envelope, or an error stands beside no records.

import JSONText
import PipelineSpec
import Primitives
package import Wire

extension JobPlan {
  /// Returns a warning if the records of the first page don't look like the records of a list.
  package func doubtOfRecords(in page: PageFacts) -> String? {
    let heads = page.body.heads.map { String(decoding: $0, as: UTF8.self) }
    if job.read == .json, job.contentIdentifier == nil, heads.count == 2, page.body.recordCount == 2,
      heads[0].hasPrefix("{"), heads[1].hasPrefix("[")
    {
      return
        "the answer is a list of an object and a list, and these became two records: if the list has the records, write "
        + "'contentIdentifier: 1'"
    }
    guard page.body.isSingle, let head = heads.first else { return nil }
    if head == "\"\"" { return "the content is an empty text, and became a record: the response has no list there" }
    if Self.isJSON(head) {
      return "the content is one text with JSON inside, and became a record: pagecat does not read JSON inside texts"
    }
    guard job.contentIdentifier == nil else { return nil }
    for member in page.body.outline where member.isWhole && member.path.count == 1 {
      if Self.isJSON(String(decoding: member.text.prefix(8), as: UTF8.self)) {
        return
          "the whole answer is one record, and '\(member.path[0])' in it is a text with JSON inside: pagecat does not read "
          + "JSON inside texts"
      }
    }
    return nil
  }

  /// Reports that a JSON text begins as a list or an object in quotes does.
  private static func isJSON(_ text: String) -> Bool { text.hasPrefix("\"[{") || text.hasPrefix("\"{\\\"") }

  /// Returns a warning if the first page's only record is an envelope with a list in it, and the job has a pager.
  package func envelope(in page: PageFacts) -> Evidence? {
    guard job.contentIdentifier == nil, page.body.isSingle, job.pages?.isKnown == true else {
      return nil
    }
    let signs = PageHints(page)
    let path = signs.candidates.way
    // Any object may have a list; an envelope speaks of pages, or has the list under a name that says so.
    guard let last = path.last, !signs.votes.isEmpty || Self.listNames.contains(last.lowercased()) else { return nil }
    let name = JSONPath(path).description
    return Evidence(
      .error, "the whole answer is one record, and '\(name)' in it is a list: the pages of a list end by its records",
      advice: [
        "if its elements are the records, add to the job", "contentIdentifier: \(PagesProposer.path(path) ?? name)",
      ])
  }

  private static let listNames: Set = ["data", "items", "results", "records", "entries", "values", "value", "rows"]

  /// Returns evidence that an error stands in place of a page's records, or beside no records.
  package func plainError(in page: PageFacts) -> Evidence? {
    guard job.poll == nil, !job.isGraphQL || Self.graphQLError(in: page) == nil else { return nil }
    return errorInPlace(of: page) ?? errorInLastLine(of: page) ?? errorBesideNothing(page)
  }

  /// An answer that has an error and no other content: as the only record, without the content, or around a text.
  private func errorInPlace(of page: PageFacts) -> Evidence? {
    let pageName = page.number > 1 ? " of page \(page.number)" : ""
    let what: String
    if job.contentIdentifier == nil, page.body.isSingle {
      what = "the only record\(pageName) is the whole answer, and"
    } else if page.body.missingContent != nil, page.body.recordCount == 0 {
      what = "a page has no records, and"
    } else if page.body.isSingle, page.body.heads.first?.first == UInt8(ascii: "\"") {
      what = "the content\(pageName) is a text, and"
    } else {
      return nil
    }
    guard page.body.outline.allSatisfy({ $0.path.count == 1 && $0.isWhole }) else { return nil }
    var (start, members) = ([String](), page.body.outline.map { ($0.path[0], JSONValue(validated: $0.text[...])) })
    if members.count == 1, Int(members[0].0) != nil, members[0].1.kind == .object {
      // `[{"message": [{…}]}]` in place of `[{"total": 1}, […]]`.
      start = [members[0].0]
      members = members[0].1.members.map { ($0.name, $0.value.kind == .array ? JSONValue($0.value.text) : $0.value) }
    }
    guard let error = ErrorAnswer(members, at: start) else { return nil }
    return Evidence(
      .error, "\(what) '\(error.name)' in the response is \(error.value.excerpt): that looks like an error",
      advice: Self.advice(failure: error.failure()))
  }

  /// A last line of NDJSON that has an error and no other content: the server stopped before the end.
  private func errorInLastLine(of page: PageFacts) -> Evidence? {
    guard !page.body.lastLine.isEmpty else { return nil }
    let line = JSONValue(validated: page.body.lastLine[...])
    guard let error = ErrorAnswer(line.members.map { ($0.name, $0.value) }) else { return nil }
    return Evidence(
      .error,
      "the last line has only an error, '\(error.name)' is \(error.value.excerpt): the server stopped before the end",
      advice: ["to make it one, add to the job", "failure: \(error.failure(root: "last"))"])
  }

  /// A page without records whose envelope says plainly that something went wrong.
  private func errorBesideNothing(_ page: PageFacts) -> Evidence? {
    guard job.failure == nil, job.empty?.condition == nil, page.body.recordCount == 0 else { return nil }
    let way = job.contentIdentifier?.contentShape?.steps.map(\.name) ?? []
    for member in page.body.outline where member.isWhole && !member.isInner && way.starts(with: member.path.dropLast())
    {
      let value = JSONValue(validated: member.text[...])
      // A number of successes beside one of failures is a count.
      guard value.kind != .number || !countsFailures(page) else { continue }
      guard let sign = Self.errorSign(member.path, value) ?? lonelyMessage(member.path, value, page) else { continue }
      return Evidence(
        .error,
        "a page has no records, and '\(JSONPath(member.path))' in the response is \(value.excerpt): that looks like an error",
        advice: Self.advice(failure: sign))
    }
    return nil
  }

  private static func advice(failure: String) -> [String] {
    [
      "to make it one, add to the job", "failure: \(failure)", "or, where it says that there is nothing more",
      "empty: \(failure)",
    ]
  }

  /// A message in place of the content, beside nothing but what errors have.
  private func lonelyMessage(
    _ path: [String], _ value: JSONValue, _ page: PageFacts
  ) -> String? {
    guard page.body.missingContent != nil, path.count == 1, let name = path.first,
      Self.messageNames.contains(PageHint.normalized(name)), !value.isNoError, let text = value.string
    else { return nil }
    let isError = page.body.outline.allSatisfy { member in
      let name = PageHint.normalized(member.path.last ?? "")
      let isYes = ["ok", "success"].contains(name) && JSONValue(validated: member.text[...]).flag == true
      return Self.errorNames.contains(name) && !isYes
    }
    return isError ? "{ \(JSONPath(root: "body", [name]).yaml): \(JSONValue(text).text) }" : nil
  }

  private static let errorNames: Set = [
    "error", "errors", "errormessage", "errorcode", "errordescription", "fault", "message", "code", "status",
    "statuscode",
    "ok", "success", "requestid", "detail", "details", "timestamp", "path", "type", "title", "stat", "msg", "exception",
    "iserror", "haserror", "returncode", "resultcode", "errno", "errcode", "errmsg", "errormsg",
  ]

  private func countsFailures(_ page: PageFacts) -> Bool {
    page.body.outline.contains {
      ["failure", "failures", "failed", "failurecount"].contains(PageHint.normalized($0.path.last ?? ""))
    }
  }

  private static let messageNames: Set = ["message", "msg", "errormessage", "errormsg"]

  private static let statusNames: Set = ["status", "state", "result", "stat"]

  /// Returns the condition for a member that is an error; nil if the member is not an error.
  private static func errorSign(_ names: [String], _ value: JSONValue) -> String? {
    let path = JSONPath(root: "body", names).yaml
    switch PageHint.normalized(names.last ?? "") {
    case "error", "errors", "errormessage", "errormsg", "errorcode", "errordescription", "fault", "exception":
      guard !value.isNoError else { return nil }
      return path
    case "ok", "success", "successful":
      return value.isNo ? "{ \(path): \(value.text) }" : nil
    case "iserror", "haserror", "haserrors":
      return value.flag == true ? "{ \(path): \(value.text) }" : nil
    case "returncode", "resultcode", "errcode", "errno":
      guard let code = value.count, ![0, 200].contains(code) else { return nil }
      return "{ \(path): \(value.text) }"
    case let name where statusNames.contains(name):
      guard let text = value.string, ["error", "fail", "failed", "failure"].contains(text.lowercased()) else {
        return nil
      }
      return "{ \(path): \(text) }"
    default: return nil
    }
  }
}
