// Doubts about a valid first page: its only record is a whole envelope, or an error stands beside no records.

import Diagnostics
package import JSONText
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
        "if its elements are the records, add to the step", "contentIdentifier: \(PagesProposer.path(path) ?? name)",
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
      advice: ["to make it one, add to the step", "failure: \(error.failure(root: "last"))"])
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
      "to make it one, add to the step", "failure: \(failure)", "or, where it says that there is nothing more",
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

// MARK: Misspelt names in `pages`: the first page lacks the name, and has a similar one

extension JobPlan {
  /// Returns a doubt if the first page lacks a name of `pages`, or of optional content, and has a similar name;
  /// otherwise nil.
  ///
  /// A default (`"${body.next:-}"`) or a `?` says that the name is right and may be missing.
  package func nearName(in page: PageFacts) -> String? {
    if page.body.recordCount == 0, let missing = page.body.missingContent,
      let name = misspelling(of: missing.name, in: missing.names)
    {
      return "'\(missing.name)' in 'contentIdentifier' is missing on the first page, but it has '\(name)': "
        + Self.question
    }
    guard let pages = job.pages else { return nil }
    // A page without records may well lack their number.
    let counts = [pages.totalPages, pages.totalRecords]
    let templates = pages.kind.templates + (page.body.recordCount > 0 ? counts : []).compactMap { $0 }
    for path in page.body.recordCount > 0 ? pages.conditions.compactMap(\.statement) : [] {
      guard path.steps[0].name == "body", let name = near(JSONPath(Array(path.steps.dropFirst())), page) else {
        continue
      }
      return "'\(path)' in 'pages' is missing on the first page, but it has \(name): \(Self.question)"
    }
    for hole in templates.flatMap(\.holes) where hole.fallback == nil && !hole.isOptional {
      let name = hole.root == .headers ? nearHeader(to: hole, page) : hole.root == .body ? near(hole.path, page) : nil
      if let name {
        return "'\(hole.spelling)' in 'pages' is missing on the first page, but it has \(name): \(Self.question)"
      }
    }
    guard case .link(_, let path?) = pages.kind, let name = near(path, page) else { return nil }
    return "'in: \(path)' in 'pages' leads nowhere on the first page, but it has \(name): \(Self.question)"
  }

  private static let question = "did you mean that? There may be more"

  /// Returns the member whose name is similar to the path's first missing one.
  ///
  /// Nil if there is none, or if another template of `pages` reads the member.
  private func near(_ path: JSONPath, _ page: PageFacts) -> String? {
    guard let lack = page.body.lacking[path.description], lack.depth < path.steps.count else { return nil }
    let parent = Array(path.steps.prefix(lack.depth))
    let known = pagerPaths.filter { Array($0.steps.prefix(lack.depth)) == parent }
      .compactMap { $0.steps.dropFirst(lack.depth).first?.name }
    let others = lack.names.filter { !known.contains($0) }
    guard let name = misspelling(of: path.steps[lack.depth].name, in: others) else { return nil }
    return "'\(JSONPath(parent).member(name))'"
  }

  /// Returns evidence if the page at which the pages end has another way to the next one than the pager reads.
  ///
  /// The last page of a list lacks the pager's value, too. So the other value must have the same name at another path, or a
  /// similar name that page one does not have.
  func otherWay(after page: PageFacts, _ pages: Pages, _ pager: Pager) -> Evidence? {
    pages.kind.templates.lazy.compactMap(\.onlyHole).compactMap { otherWay(than: $0, after: page, pager) }.first
  }

  private func otherWay(than hole: Template.Hole, after page: PageFacts, _ pager: Pager) -> Evidence? {
    guard let own = hole.path.steps.last?.name else { return nil }
    let path = hole.path.steps.map(\.name)
    let found: String?
    switch hole.root {
    case .body where page.body.captured[hole.path.description] == nil:
      let others = PageHints.values(beside: page.body.outline).filter { $0.value.namesSomething && $0.path != path }
      let same = others.first { other in
        PageHint.normalized(other.path.last ?? "") == PageHint.normalized(own) && leadsOn(other.path, beside: path)
      }
      let beside = others.filter { $0.path.dropLast() == path.dropLast() }.compactMap(\.path.last)
      let news = pager.names(notIn: beside)
      let near = misspelling(of: own, in: news).map { Array(path.dropLast()) + [$0] }
      found = (same?.path ?? near).map { "'\(JSONPath($0))'" }
    case .headers where page.fields[own] == nil:
      found = misspelling(of: own, in: pager.names(notIn: page.fields.all.map(\.name))).map { "the header '\($0)'" }
    default: return nil
    }
    return found.map {
      Evidence(
        .way, "'\(hole.spelling)' in 'pages' is missing on page \(page.number), but it has \($0): there may be more")
    }
  }

  /// False for a path to an earlier page or to this one, and for a value whose name means anything.
  private func leadsOn(_ path: [String], beside own: [String]) -> Bool {
    guard !["href", "url", "uri", "link", "id", "value", "name", "type"].contains(PageHint.normalized(path.last ?? ""))
    else {
      return false
    }
    let others: Set = [
      "prev", "previous", "previouspage", "prevpage", "self", "first", "firstpage", "last", "lastpage", "current",
      "before", "start", "up", "backward", "request", "query", "params",
    ]
    return !path.dropLast().contains { others.contains(PageHint.normalized($0)) && !own.contains($0) }
  }

  private func nearHeader(to hole: Template.Hole, _ page: PageFacts) -> String? {
    guard let name = hole.path.steps.first?.name, page.fields[name] == nil else { return nil }
    return misspelling(of: name, in: page.fields.all.map(\.name)).map { "the header '\($0)'" }
  }
}

extension JobPlan {
  /// Returns a doubt if the response is a part (206), while the job has no `pages` to get the rest.
  ///
  /// Nil if the part is the whole, or if the job asks for a part.
  package func partOfMore(in page: PageFacts) -> String? {
    guard page.status == 206, isWithoutPager, !PageHints.isWhole(page),
      !job.headers.contains(where: { $0.name.lowercased() == "range" })
    else { return nil }
    return "the response is a part of more (206), but the step has no 'pages': there is more, see 'pages'"
  }
}

// MARK: Doubts about a condition: a name that the record spells otherwise, or a value of another kind

extension Condition {
  /// Returns the reason why the condition can't hold for records like this one; nil if it can.
  package func doubt(about record: JSONValue) -> String? {
    guard alternatives.count == 1, !holds(for: record) else { return nil }
    return alternatives[0].lazy.compactMap { $0.doubt(about: record) }.first
  }
}

extension Condition.Clause {
  fileprivate func doubt(about record: JSONValue) -> String? {
    // A missing member fulfils some clauses, and these are not to blame.
    if Condition([self]).holds(for: record) { return nil }
    if path.hasEvery { return nil }
    let name = path.description
    guard let value = record[path] else { return misspelt(name, in: record) }
    guard !value.isNull, let reason = tests.lazy.compactMap({ $0.doubt(about: value.kind) }).first else { return nil }
    return "'\(name)' of the first record is \(value.kind.withArticle), and \(reason)"
  }

  private func misspelt(_ name: String, in record: JSONValue) -> String? {
    if path.steps.count == 1, name.contains("."), let other = try? JSONPath(path.steps[0].name), record[other] != nil {
      return "the first record has no member '\(name)', but '\(other)'"
    }
    // A name with dots, as it is spelled in a record.
    if path.steps.count > 1, record[[name]] != nil {
      return "the first record has no member '\(name)', but '\(JSONPath(rootKey: name))'"
    }
    let names = path.steps.map(\.name)
    guard let depth = names.indices.first(where: { record[JSONPath(Array(names[...$0]))] == nil }) else { return nil }
    let others = record[JSONPath(Array(names[..<depth]))]?.members.map(\.name) ?? []
    // A name of one letter has no misspelling, except for its case.
    guard
      let near = misspelling(of: names[depth], in: others)
        ?? others.first(where: { $0.lowercased() == names[depth].lowercased() })
    else { return nil }
    let missing = JSONPath(Array(path.steps[...depth])).description
    let existing = JSONPath(Array(path.steps[..<depth])).member(near).description
    return "the first record has no member '\(missing)', but '\(existing)'"
  }
}

extension Condition.Test {
  /// Returns the reason why the test can't hold for any value of this kind; nil if it can.
  fileprivate func doubt(about kind: JSONKind) -> String? {
    switch self {
    case .among(let wanted):
      guard let first = wanted.first, wanted.allSatisfy({ !$0.isNull && $0.kind != kind }) else { return nil }
      return "'where' compares it with \(first.kind.withArticle), which never equals it"
    case .above(let bound): return Self.doubt(about: kind, bound, "above")
    case .below(let bound): return Self.doubt(about: kind, bound, "below")
    case .has: return [.string, .array].contains(kind) ? nil : "'has' holds for texts and lists only"
    case .not, .truthy, .given: return nil
    }
  }
}

extension Condition.Test {
  private static func doubt(about kind: JSONKind, _ bound: JSONValue, _ key: String) -> String? {
    kind == bound.kind ? nil : "'\(key)' compares it with \(bound.kind.withArticle)"
  }
}

extension JobPlan {
  /// Returns the reason why `match` can't join two records like these; nil if it can.
  package func doubtOfMatch(_ fetched: JSONValue, _ input: JSONValue) -> String? {
    for pair in job.match {
      let sides = [("fetched", pair.fetched, fetched), ("input", pair.input, input)]
      for (side, name, record) in sides where record[name] == nil {
        let names = record.members.prefix(5).map { "'\($0.name.shortName)'" }.joined(separator: ", ")
        let others = names.isEmpty ? "and no other" : "but \(names)"
        return
          "the first \(side) record has no member '\(name)', \(others); the name on the left is of the fetched records, the one "
          + "on the right of the input records"
      }
      guard let (a, b) = fetched[pair.fetched].flatMap({ a in input[pair.input].map { (a.kind, $0.kind) } }), a != b,
        a != .null, b != .null
      else {
        continue
      }
      return
        "'\(pair.fetched)' of the first fetched record is \(a.withArticle), '\(pair.input)' of the first input record is \(b.withArticle), "
        + "and these never equal each other"
    }
    return nil
  }
}

extension JobPlan {
  /// Returns for each condition that most answers should have values for, by its key, whether a page has none of them.
  ///
  /// A value whose existence is the error is missing from other pages. So `failure` counts only if it compares.
  package func misses(in page: PageFacts) -> [(key: String, isMiss: Bool)] {
    guard page.body.recordCount > 0, job.failure != nil || job.pages?.hasFlag == true else { return [] }
    let comparing = job.failure.flatMap { failure in
      failure.alternatives.joined().contains { !$0.comparesNothing } ? failure : nil
    }
    let keys = [("failure", comparing), ("more", job.pages?.more)]
    let found = keys.compactMap { key, condition in condition.map { (key, $0.hasNoValue(in: page)) } }
    let ends = (job.pages?.until ?? []).compactMap { if case .condition(let end) = $0 { end } else { nil } }
    return ends.isEmpty ? found : found + [("until", ends.allSatisfy { $0.hasNoValue(in: page) })]
  }
}

extension Condition.Clause {
  /// True for a bare path.
  fileprivate var comparesNothing: Bool { tests.allSatisfy { if case .truthy = $0 { true } else { false } } }
}
