// `new`: finds the records of an answer.

import Diagnostics
import Engine
import FetchPlan
package import Fetching
import JSONText
import Wire
import YAMLText

extension SpecDrafter {
  /// Describes the format of the answer, and the place of its records.
  func describe(_ reply: KeptReplies.Kept, _ draft: inout SpecDraft, error: any Error) throws {
    guard let answer = try? JSONValue(parsing: reply.bytes) else {
      guard let read = form(of: reply) else { throw error }
      draft.read = read
      draft.comments["read"] =
        switch read {
        case "lines": ["The answer is no JSON document, but one JSON value a line."]
        case "sequence":
          ["The answer is no JSON document, but a sequence of JSON texts, one after the other (RFC 7464)."]
        default:
          [
            "The answer is no JSON document, but CSV.",
            "Its values are texts: 'decode: { types: { NAME: number } }' makes numbers of them.",
          ]
        }
      return
    }
    let isOneLine = reply.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).count == 1
    if isOneLine, let type = reply.head.fields["Content-Type"], Self.isLines(type) {
      draft.read = "lines"
      draft.comments["read"] = ["The answer has one line, but by its type it is one JSON value a line."]
      return
    }
    if let type = reply.head.fields["Content-Type"], Self.isSequence(type) {
      draft.read = "sequence"
      draft.comments["read"] = ["The answer has one JSON text, but by its type it is a sequence of them (RFC 7464)."]
      return
    }
    var names = WritableNames(without: secrets)
    let body = names.keep(answer)
    defer { draft.comments["contentIdentifier", default: []] += names.comment }
    let candidates = Self.candidates(in: body, of: draft)
    guard let best = Self.best(of: candidates) ?? (body.kind == .array ? candidates.first : nil) else {
      describeWithoutList(body, candidates, &draft)
      return
    }
    if let table = ContentCandidate.table(of: candidates, in: body) { return describe(table: table, &draft) }
    if let record = ContentCandidate.record(in: body, around: best) { return describe(record, insteadOf: best, &draft) }
    if let table = best.namedByFirstRow(in: body) {
      draft.content = table
      draft.comments["contentIdentifier"] = [
        "The records: the rows \(table.location), with the names of their values from the first one, since numbers are below it."
      ]
      return
    }
    draft.content = best
    var comment = ["The records: \(best.text)."]
    if best.count == 0, body.kind != .array {
      comment = ["The list \(best.location) is empty here, and taken for the records."]
    }
    let others = candidates.filter { $0 != best && $0.count > 0 && !$0.isOther }
    if !others.isEmpty {
      comment.append("There are other lists, too: \(others.prefix(5).map(\.text).joined(separator: ", ")).")
    }
    draft.comments["contentIdentifier"] = comment + Self.doubts(about: best, in: body)
  }

  /// Describes the rows of a table.
  private func describe(table: ContentCandidate, _ draft: inout SpecDraft) {
    draft.content = table
    draft.comments["contentIdentifier"] = [
      "The records: \(table.count.counted("row")) \(table.location), with the names of their values from '\(table.columns ?? "")'."
    ]
  }

  /// Returns what is not sure about the elements of a list.
  private static func doubts(about content: ContentCandidate, in body: JSONValue) -> [String] {
    if content.mayBeginWithNames(in: body) {
      let columns = YAMLScalar.path(JSONPath(content.names + ["0"]).description.asTemplate)
      return ["If the first element has the names of the other ones' values, add 'columns: \(columns)'."]
    }
    guard content.hasObjects else { return [] }
    let path = JSONPath(content.names).description
    if let wrapper = content.wrapper {
      let lost = wrapper.lost.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      guard !lost.isEmpty || !["node", "resource"].contains(wrapper.name) else { return [] }
      let whole =
        content.names.isEmpty ? "leave it out" : "write 'contentIdentifier: \(YAMLScalar.text(path.asTemplate))'"
      return [
        "Each is '\(wrapper.name)' of an element\(lost.isEmpty ? "" : ", without \(lost) beside it"): for whole elements, \(whole)."
      ]
    }
    let list = content.names.reduce(Optional(body)) { $0?[$1] }
    let elements = list.map { Array($0.elements.prefix(mostElements)) } ?? []
    guard let name = ElementWrapper.doubtful(in: elements) else { return [] }
    let inner = YAMLScalar.text(JSONPath(content.names).every.member(name).description.asTemplate)
    return ["If '\(name)' of each element is the record, write 'contentIdentifier: \(inner)'."]
  }

  /// Number of elements that are examined.
  private static let mostElements = 100

  /// Describes an answer that is one record, though it has a list.
  private func describe(_ record: ContentCandidate, insteadOf list: ContentCandidate, _ draft: inout SpecDraft) {
    draft.content = record.names.isEmpty ? nil : record
    draft.comments["contentIdentifier"] = [
      "The answer is taken for one record\(record.names.isEmpty ? "" : ", \(record.location)").",
      "If the list \(list.location) has the records instead, write 'contentIdentifier: \(YAMLScalar.text(list.identifier ?? ""))'.",
    ]
  }

  /// Describes an answer without a list: it has a map of records, or is one record.
  private func describeWithoutList(_ body: JSONValue, _ candidates: [ContentCandidate], _ draft: inout SpecDraft) {
    if let map = ContentCandidate.map(in: body) {
      draft.content = map
      draft.comments["contentIdentifier"] = [
        "The records: \(map.text), which have the same members; 'key' keeps the name of each."
      ]
      return
    }
    let maps = body.members.filter { $0.value.likeMembers > 1 || $0.value.isMapOfNumbers }
    let noun = candidates.isEmpty ? "list" : "list of records"
    if maps.isEmpty, let object = ContentCandidate.onlyObject(in: body) {
      draft.content = object
      draft.comments["contentIdentifier"] = [
        "The answer has no \(noun): it is one record, \(object.location).",
        "For the answer as it is, leave 'contentIdentifier' out.",
      ]
      return
    }
    draft.comments["contentIdentifier"] = [
      "The answer has no \(noun): it is one record\(maps.isEmpty ? "" : " as it is")."
    ]
    for map in maps.prefix(Self.mostMaps) {
      let name = ContentCandidate.nameMember(of: map.value)
      let path = YAMLScalar.text(JSONPath([map.name]).every.description.asTemplate)
      draft.comments["contentIdentifier"]?.append(
        "If the members of '\(map.name)' are records, write 'contentIdentifier: \(path)' and 'key: \(name)'.")
    }
  }

  /// Number of maps that a comment is about.
  private static let mostMaps = 5

  /// Returns the list that has the records.
  ///
  /// It is the first one that is not empty. Without such a list, it is the only one, or the one that is named like
  /// content.
  private static func best(of candidates: [ContentCandidate]) -> ContentCandidate? {
    let possible = candidates.filter { !$0.isOther }
    if let full = possible.first(where: { $0.count > 0 }) { return full }
    return possible.first(where: \.isUsual) ?? (possible.count == 1 ? possible.first : nil)
  }

  private func form(of reply: KeptReplies.Kept) -> String? {
    let type = (reply.head.fields["Content-Type"] ?? "").lowercased()
    let path = look.url.prefix { !"?#".contains($0) }.lowercased()
    // The type of a packed file is that of the packing.
    if type.contains("csv") || path.hasSuffix(".csv") || path.hasSuffix(".csv.gz") { return Self.csv(reply.bytes) }
    if Self.isSequence(type) || reply.bytes.first == 0x1E { return "sequence" }
    let lines = reply.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
    let isLines = lines.count > 1 && lines.prefix(2).allSatisfy { (try? JSONValue(parsing: Array($0))) != nil }
    if isLines { return "lines" }
    return Self.isTable(Array(lines.prefix(2))) ? Self.csv(reply.bytes) : nil
  }

  /// Reports that a media type is that of JSON values on lines of their own.
  private static func isLines(_ type: String) -> Bool {
    ["ndjson", "jsonl", "jsonlines", "json-lines"].contains { type.lowercased().contains($0) }
  }

  /// Reports that a media type is that of JSON texts one after the other (RFC 7464 §4, RFC 8091).
  private static func isSequence(_ type: String) -> Bool { type.lowercased().contains("json-seq") }

  /// Reports that two lines have the same number of columns, and begin like no other format.
  private static func isTable(_ lines: [ArraySlice<UInt8>]) -> Bool {
    guard lines.count == 2, let first = lines[0].first, !"{[<#%".utf8.contains(first) else { return false }
    return ",;\t|".utf8.contains { delimiter in
      let counts = lines.map { line in line.count { $0 == delimiter } }
      return counts[0] > 0 && counts[0] == counts[1]
    }
  }

  /// Returns the value of `read` for CSV, with the delimiter if the first line has no comma.
  private static func csv(_ bytes: [UInt8]) -> String {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2).prefix(2)
    guard let header = lines.first, !header.contains(where: ",\"".utf8.contains) else { return "csv" }
    let delimiter = [";", "\t", "|"].first { delimiter in lines.allSatisfy { $0.contains(delimiter.utf8.first ?? 0) } }
    return delimiter.map { "{ csv: { delimiter: \(JSONValue($0).text) } }" } ?? "csv"
  }
}

// MARK: `new --har`: takes the pager from the way in which a recording continues

extension SpecDrafter {
  /// Limit for the shown characters of an item's value.
  private static let mostOfValue = 80

  /// Returns the pager of the recording, with the evidence for it.
  func turn(of reply: KeptReplies.Kept, _ first: Trial, _ draft: SpecDraft) -> Attempt? {
    guard let turn = look.turn, let body = try? JSONValue(parsing: reply.bytes) else { return nil }
    // For a pager, the last record is the whole element.
    let list = draft.content.flatMap { $0.wrapper == nil ? nil : $0.names.reduce(Optional(body)) { $0?[$1] } }
    let lines = list.map { Array($0.elements.map(\.bytes).joined(separator: "\n".utf8)) } ?? first.lines
    guard
      let proposal = turn.proposal(body, lines, like: first.counters.finding?.proposal)
    else { return nil }
    func shown(_ value: String) -> String {
      secrets.redacting(value).shortened(to: Self.mostOfValue)
    }
    let (before, after) = (shown(turn.before ?? "nothing"), shown(turn.after))
    let evidence =
      "The next request of the recording has '\(turn.item.name)' of \(after), where the first has \(before)."
    return Attempt(proposal: proposal, evidence: [evidence])
  }

  /// Adds the pager of a recording, if it gives a second page; otherwise returns the reason why it is wrong.
  func add(_ turn: Attempt, to draft: inout SpecDraft, _ first: Trial) async throws -> PagerDoubt? {
    draft.pages = turn.proposal
    // A pager that no spec can express is no pager.
    let isValid = (try? Self.spec(draft.file)) != nil
    let reason = isValid ? doubt(first, try await trial(draft.file, pages: 2)) : .invalidSpec
    guard reason == nil else {
      draft.pages = nil
      return reason
    }
    draft.comments["pages"] = turn.evidence
    try await endPages(&draft, turn.proposal)
    return nil
  }

  /// Ends the pages with a short one, if the recording ends in this way.
  private func endPages(_ draft: inout SpecDraft, _ proposal: PagesProposal) async throws {
    guard let short = proposal.endingShort else { return }
    let all = try await trial(draft.file, pages: Self.mostPages)
    guard all.failure != nil else { return }
    draft.pages = short
    let ended = try await trial(draft.file, pages: Self.mostPages)
    if ended.failure == nil, ended.counters.records == all.counters.records {
      draft.comments["pages"]?.append("Its last page has fewer records than the first: that is taken for the end.")
    } else {
      draft.pages = proposal
      draft.comments["pages"]?.append(
        "It does not show how the pages end: without a key for that, an empty page ends them.")
    }
  }

  /// Limit for the pages of a recording.
  private static let mostPages = 1_000
}

// MARK: `pagecat URL`: a spec that fetches all of what a URL shows, from one request

extension SpecDrafter {
  /// A spec, and what its first run needs.
  package struct Whole: Sendable {
    package let text: String
    /// Variables that stand for secrets in the spec, with their values.
    package let variables: [(name: String, value: String)]
    /// Answers the requests that were made by the replies that have come, once, and all others by the network.
    package let transport: any HTTPTransport
  }

  /// Makes the request, and writes the spec, with `pages: auto`.
  ///
  /// - Throws: `NetworkingError` if the answer has several lists of objects, since the records are one of them.
  package func whole() async throws -> Whole {
    var draft = start
    let (reply, first) = try await lookedAt(&draft)
    try describe(reply, &draft, error: error(of: first))
    try checkContent(of: reply, &draft)
    draft.comments = [:]
    draft.isAuto = true
    let text = draft.file
    _ = try Self.spec(text)
    return Whole(text: text, variables: variables, transport: replies.firstOnes)
  }

  /// Takes the only list of objects for the content; without one, the answer is one record.
  private func checkContent(of reply: KeptReplies.Kept, _ draft: inout SpecDraft) throws(NetworkingError) {
    guard draft.read == nil, let body = try? JSONValue(parsing: reply.bytes), body.kind != .array,
      draft.content?.columns == nil, draft.content?.nameMember == nil
    else { return }
    var names = WritableNames(without: secrets)
    let candidates = Self.candidates(in: names.keep(body), of: draft).filter { !$0.isOther }
    let lists = candidates.filter { $0.hasObjects && $0.count > 0 }
    guard lists.count < 2 else {
      let all = lists.prefix(5).map { "\($0.text)" }.joined(separator: ", ")
      throw .decodingError(
        source: secrets.redacting(reply.head.url.redacted).printable, page: 1, record: 1, keyPath: "",
        expected: "one list of records",
        found:
          "\(lists.count), which are \(secrets.redacting(all).printable); 'pagecat new URL' writes a spec in which you choose"
      )
    }
    if let list = lists.first {
      draft.content = list
    } else if let content = draft.content, candidates.contains(content), content.count > 0, content.width == 0 {
      // A list of values is a member of the record.
      draft.content = nil
    }
  }
}
